/**
 * Sets approvals up: compiles the rules once, and opens the folder that all sessions share.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { warmUp } from "../../guard/warm.ts";
import { reasonOf } from "../../text/reason.ts";
import type { OpenInterceptor } from "../kinds/chains.ts";
import type { InterceptorSetUp, ReadJob } from "../kinds/kind.ts";
import type { ReadPorts, SetUpPorts } from "../kinds/set_up_ports.ts";
import { rulesOf, ruleSource } from "../../guard/rules/rules_source.ts";
import { ApproveInterceptor } from "./approve.ts";
import { HeldCalls } from "./held_calls.ts";
import type { ApproveJob, ApproveOptions } from "./options.ts";

/** Their set-up. */
export const approveSetUp: InterceptorSetUp<ApproveOptions, ApproveJob> = {
  read: readJob,
  open: openApprovals,
};

async function readJob(
  { rules: path }: ApproveOptions,
  { readText, names }: ReadPorts,
): Promise<ReadJob<ApproveJob>> {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    throw new Error(`--approve "${path}": ${reasonOf(error)}`, { cause: error });
  }
  const source = await ruleSource(text, path);
  const { rules } = await rulesOf(source);
  const fault = (what: string) => new Error(`--approve "${path}": ${what}`);
  if (!rules.some(({ cases }) => cases.some(({ approve }) => approve !== undefined))) {
    throw fault("no rule of it has the key approve");
  }
  const asking = rules.find(({ isEnforced, cases }) =>
    isEnforced && cases.some(({ ask }) => ask !== undefined)
  );
  if (asking !== undefined && !names.has("guard")) {
    throw fault(`rule "${asking.id}" asks a model; give the file to --guards as well`);
  }
  const sha256 = createHash("sha256").update(text, "utf8").digest("hex");
  return { job: { source, sha256 }, withoutOracle: [] };
}

async function openApprovals(
  { waitMs, dir, rules: file }: ApproveOptions,
  { source, sha256 }: ApproveJob,
  ports: SetUpPorts,
): Promise<OpenInterceptor> {
  const { say, monotonicMs, unixMs, randomHex, later, server } = ports;
  const rules = await rulesOf(source);
  const asking = rules.rules.filter(({ isEnforced, cases }) =>
    isEnforced && cases.some(({ approve }) => approve !== undefined)
  );
  say(`approvals ${file}: ${asking.length} rules ask a person; answer with 'hoist approve'`);
  const steps = warmUp(rules);
  const step = () => void (steps.next().done !== true && later(0, step));
  later(0, step);
  const held = new HeldCalls({
    store: await ports.approvals(dir),
    waitMs,
    monotonicMs,
    unixMs,
    randomHex,
    later,
    say,
    server,
    rules: { file, sha256 },
  });
  return {
    begin: (session) => ({
      make: (chain) =>
        new ApproveInterceptor(rules, {
          held: held.session({ name: session.id, isOnce: session.isOnce }),
          notify: chain.notify,
          later,
          waitMs,
          say: session.say,
        }),
    }),
    end: () => held.end(),
  };
}
