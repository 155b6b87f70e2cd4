/**
 * The owner under attack and in bad luck: floods of requests, rights of the
 * owner's folder, deliveries that were cut off, what a terminal would obey.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type Answer,
  assertRefused,
  haiCase,
  type HaiHome,
  scriptedTerminal,
} from "../../../tests/util/hai_home.ts";
import type { Delivery, OwnerNotice } from "../call/owner_notice.ts";
import { plainText } from "../../text/plain_text.ts";
import { denoRuntime } from "../../runtime/deno_runtime.ts";
import { runHai } from "../../commands/hai/hai_commands.ts";
import { diagnose } from "../../commands/hai/hai_repair_command.ts";
import { HaiShell } from "./hai_shell.ts";

function accept(hai: HaiHome, more: Record<string, unknown> = {}): Promise<Answer> {
  return hai.call("hai_accept_next_step", {
    project_path: hai.project(),
    content: "# do the thing",
    ...more,
  });
}

const notices = (hai: HaiHome) => hai.names("owner").filter((name) => name.endsWith(".txt"));

haiCase("issue()", "the owner is asked ten times an hour in vain, then no more", async (hai) => {
  for (let i = 0; i < 10; i++) {
    const asked = await accept(hai, { reason: `please, ${i}` });
    assertEquals(asked.status, "pending_owner_code");
    hai.pass(60);
  }
  const flood = await accept(hai, { reason: "please, please" });
  assertRefused(flood, "owner_gate_required");
  assertEquals([flood.detail, flood.retry_after_seconds], ["too_many_challenges", 3000]);
  assertRefused(await accept(hai, { content: "# another" }), "owner_gate_required", "too_many");
  assertEquals(notices(hai).length, 10);
  assertEquals((await hai.call("hai_status")).ok, true);
  hai.pass(3000);
  assertEquals((await accept(hai)).status, "pending_owner_code");
});

haiCase("issue()", "guessing codes asks the owner ten times an hour at most", async (hai) => {
  let tries = 0;
  for (let i = 0; i < 60; i++) {
    const guess = await accept(hai, { owner_code: "2222-2222" });
    if (guess.detail === "invalid_owner_code") tries++;
    else await accept(hai);
  }
  assertEquals([tries, notices(hai).length], [30, 10]);
});

haiCase("issue()", "what the owner approved does not count", async (hai) => {
  for (let i = 0; i < 15; i++) {
    const asked = await accept(hai, { content: `# step ${i}` });
    const owner_code = hai.code(asked.challenge_id);
    assertEquals((await accept(hai, { content: `# step ${i}`, owner_code })).ok, true);
  }
});

haiCase(
  "ownerHomeAt()",
  "a folder open to others is closed, a key they could read unused",
  async (hai) => {
    const asked = await accept(hai);
    const owner_code = hai.code(asked.challenge_id);
    const mode = () => (Deno.statSync(hai.ownerHome).mode ?? 0) & 0o777;
    Deno.chmodSync(hai.ownerHome, 0o777);
    const warned = diagnose(hai.config()).findings;
    assertEquals(warned.map(({ severity, file }) => [severity, file]), [[
      "warning",
      hai.ownerHome,
    ]]);
    assertRefused(await accept(hai, { owner_code: "2222-2222" }), "owner_gate_required");
    assertEquals(mode(), 0o700);
    const key = `${hai.ownerHome}/owner.key`;
    Deno.chmodSync(key, 0o644);
    assertRefused(await accept(hai, { owner_code }), "owner_channel_unavailable", "mode 644");
    assertRefused(
      await accept(hai, { content: "# other" }),
      "owner_channel_unavailable",
      "mode 644",
    );
    assertEquals(diagnose(hai.config()).findings.map(({ file }) => file), [key]);
    Deno.chmodSync(key, 0o600);
    assertEquals((await accept(hai, { owner_code })).canonical, true);
    assertEquals(diagnose(hai.config()).findings, []);
  },
);

haiCase("diagnose()", "says why the owner cannot be asked", async (hai) => {
  await hai.call("hai_status");
  hai.restart({ HAI_OWNER_HOME: `${hai.home}/owner` });
  const [inside] = diagnose(hai.config()).findings;
  assertStringIncludes(inside?.problem ?? "", "inside HAI_HOME");
  hai.restart({ HAI_OWNER_HOME: `${hai.root}/elsewhere` });
  hai.write("elsewhere/owner.key", "no key");
  Deno.chmodSync(`${hai.root}/elsewhere`, 0o700);
  const [odd] = diagnose(hai.config()).findings;
  assertStringIncludes(odd?.problem ?? "", "cannot be used (SyntaxError)");
});

haiCase(
  "isCutOff()",
  "an approval in the terminal stands, though the telling was cut off",
  async (hai) => {
    const told = Promise.withResolvers<void>();
    const never = new Promise<Delivery>(() => {});
    const channel = {
      name: "dead",
      deliver(_notice: OwnerNotice) {
        told.resolve();
        return never;
      },
    };
    const dead = new HaiShell(hai.config(), { version: "0", unixMs: () => hai.unixMs, channel });
    void dead.call("hai_accept_next_step", {
      project_path: hai.project(),
      content: "# do the thing",
    });
    await told.promise;
    hai.pass(91);
    const out: string[] = [];
    const host = {
      ...denoRuntime("hai-mcp"),
      env: (name: string) => ({ HAI_HOME: hai.home, HAI_OWNER_HOME: hai.ownerHome })[name],
      unixMs: () => hai.unixMs,
      print: (text: string) => void out.push(text),
      say: (text: string) => void out.push(text),
    };
    const terminal = scriptedTerminal(["approve"]);
    assertEquals(await runHai(["owner", "approve"], host, terminal), 0, out.join("\n"));
    assertEquals((await accept(hai)).canonical, true);
  },
);

haiCase("isCutOff()", "a sensor prompt may take as long as it was given", async (hai) => {
  hai.restart({ HAI_OWNER_CHANNEL: "touchid", HAI_OWNER_TOUCHID_TIMEOUT: "300" });
  const told = Promise.withResolvers<OwnerNotice>();
  const answer = Promise.withResolvers<Delivery>();
  const channel = {
    name: "touchid",
    deliver(notice: OwnerNotice) {
      told.resolve(notice);
      return answer.promise;
    },
  };
  const shell = new HaiShell(hai.config(), { version: "0", unixMs: () => hai.unixMs, channel });
  const args = { project_path: hai.project(), content: "# do the thing" };
  const first = shell.call("hai_accept_next_step", args);
  await told.promise;
  hai.pass(299);
  answer.resolve({ kind: "approved", record: {} });
  assertEquals((await first).status, "owner_approved");
  assertEquals((await shell.call("hai_accept_next_step", args)).canonical, true);
});

haiCase(
  "readHaiConfig()",
  "times without end are cut, and what has no effect is said",
  async (hai) => {
    hai.restart({
      HAI_OWNER_CODE_TTL: "9007199254740991",
      HAI_OWNER_TOUCHID_TIMEOUT: "9000000",
      HAI_OWNER_NTFY_URL: "https://me:s3cret@ntfy.example/topic-of-mine",
      HAI_OWNER_CHANNEL: "ntfy",
    });
    const health = await hai.call("hai_health");
    assertEquals(health.owner_gate.code_ttl_seconds, 604800);
    assertEquals(health.owner_gate.ntfy_url, "https://ntfy.example");
    assertEquals(health.config_warnings.length, 2);
    assert(!/s3cret|topic-of-mine/.test(JSON.stringify(health)));
    assertRefused(await accept(hai), "owner_channel_unavailable");
    hai.restart({ HAI_OWNER_GATE: "ack_legacy", HAI_OWNER_POLICY: "strict" });
    assertStringIncludes((await hai.call("hai_health")).config_warnings.join(), "has no effect");
  },
);

haiCase("runDoctor()", "shows no name that a terminal would obey", async (hai) => {
  await hai.call("hai_status");
  hai.write("home/learning/blocks/\u001b[2J\u009b31m\u202eevil/started.json", "{}");
  const out: string[] = [];
  const host = {
    ...denoRuntime("hai-mcp"),
    env: (name: string) => ({ HAI_HOME: hai.home, HAI_OWNER_HOME: hai.ownerHome })[name],
    print: (text: string) => void out.push(text),
    say: (text: string) => void out.push(text),
  };
  for (const args of [["doctor"], ["limits"], ["repair", "--yes"]]) await runHai(args, host);
  assertStringIncludes(out.join("\n"), "<U+001B>[2J<U+009B>31m<U+202E>evil");
  for (const letter of "\u001b\u009b\u202e") assert(!out.join("\n").includes(letter));
});

Deno.test("plainText() shows what could not be seen", () => {
  for (const point of [0x0b, 0x85, 0xad, 0x34f, 0x115f, 0x180e, 0x200d, 0x2028, 0x2066, 0x2800]) {
    const hex = point.toString(16).toUpperCase().padStart(4, "0");
    assertEquals(plainText(`a${String.fromCodePoint(point)}b`), `a<U+${hex}>b`);
  }
  for (const point of [0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xd800, 0xe0041, 0xe0100]) {
    const hex = point.toString(16).toUpperCase().padStart(4, "0");
    assertEquals(plainText(String.fromCodePoint(point)), `<U+${hex}>`);
  }
  assertEquals(plainText("tab\tline\n ä 漢 😀 é"), "tab\tline\n ä 漢 😀 é");
});
