/**
 * A process of a state root that is shared and killed: an agent that asks for approvals and uses
 * them, or the owner who decides them. It prints a line of JSON for all that was acknowledged.
 * Arguments: `agent` or `owner`, project folder, a name that no other process has, and when the clock
 * of all of them started: it runs a thousand times as fast, so that denials are soon an hour old and
 * agents may ask on.
 *
 * @module
 */

import { LockTimeoutError } from "../../lib/disk/lock_file.ts";
import { HaiShell } from "../../lib/hai/shell/hai_shell.ts";
import { ownerService } from "../../lib/hai/shell/owner_service.ts";
import { readHaiConfig } from "../../lib/hai/state/config.ts";

const [role = "agent", project = "/", name = "", began = "0"] = Deno.args;
const config = readHaiConfig((variable) => Deno.env.get(variable), "/nowhere");
const shell = new HaiShell(config, {
  version: "0.1.0",
  caller: name,
  unixMs: () => Number(began) + (Date.now() - Number(began)) * 1000,
  onFault: (error) => error instanceof LockTimeoutError || console.error(error),
});

function say(line: Readonly<Record<string, unknown>>): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
}

/** Asks for a change until it is made or denied, and takes in something beside it. */
async function work(): Promise<never> {
  for (let i = 0;; i++) {
    const wish = { project_path: project, content: `# step ${i} of ${name}` };
    for (let isOpen = true; isOpen;) {
      const reply = await shell.call("hai_accept_next_step", wish);
      const challenge = reply.challenge_id;
      isOpen = reply.ok !== true && reply.detail !== "owner_denied";
      say({ accepted: reply.ok === true, challenge, refused: reply.detail ?? reply.error });
      const { intake_id } = await shell.call("hai_intake", { raw: `${i} of ${name}` });
      say({ intake: intake_id });
    }
  }
}

/** Approves what waits; denies every twentieth request. */
async function decide(): Promise<never> {
  const owner = ownerService(shell);
  for (let i = 0;;) {
    const open = await owner.requests();
    const waiting = "problem" in open ? [] : open.filter(({ status }) => status === "pending");
    for (const { id: challengeId, fingerprint } of waiting) {
      const verdict = i++ % 20 === 4 ? "denied" : "approved";
      if (await owner.decide({ challengeId, fingerprint, verdict })) {
        say({ decided: challengeId, verdict });
      }
    }
    say({ looked: "problem" in open ? 0 : open.length });
  }
}

/** A lock that others held for too long is no answer: it is tried again. */
async function again(play: () => Promise<never>): Promise<never> {
  for (;;) {
    try {
      return await play();
    } catch (error) {
      if (!(error instanceof LockTimeoutError)) throw error;
    }
  }
}

await again(role === "owner" ? decide : work);
