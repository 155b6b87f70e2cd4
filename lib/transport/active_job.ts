/**
 * What acting on sessions needs from files and the environment, read once while
 * that is still allowed, in a form that can be handed to a worker.
 *
 * @module
 */

import type { ProxyOptions } from "../cli/proxy_flags.ts";
import type { Decider } from "../flow/decider.ts";
import type { Host } from "../host/host.ts";

/** The oracle of a session. */
export interface OracleJob {
  readonly kind: "jev" | "replay" | "mock";
  /** Folder of kept answers. */
  readonly cacheDir: string;
  /** Undefined when there is none: then nothing is asked. */
  readonly key: string | undefined;
  readonly baseUrl: string;
}

/** What was read. */
export interface ActiveJob {
  readonly flow: { readonly text: string; readonly decider: Decider } | undefined;
  /** Who answers; undefined where nothing asks. */
  readonly oracle: OracleJob | undefined;
}

/**
 * Reads what the options name.
 *
 * @param options What to do.
 * @param host Whose environment.
 * @returns The job.
 * @throws {Error} When a file cannot be read or does not say what it should; names it.
 */
export async function readActive(options: ProxyOptions, host: Host): Promise<ActiveJob> {
  const flow = await readFlowJob(options);
  const asks = flow?.decider === "arbiter";
  const { oracle } = options.active;
  if (!asks || oracle === undefined) return { flow, oracle: undefined };
  const { JEV_BASE_URL } = await import("../host/jev_client.ts");
  let key: string | undefined;
  if (oracle.kind === "jev") {
    try {
      const { oracleKey } = await import("../host/oracle_key.ts");
      key = await oracleKey(host);
    } catch (error) {
      host.say(`${messageOf(error)}; until then the flow hands back`);
    }
  }
  const baseUrl = host.env("TYPESAFE_BASE_URL")?.trim() || JEV_BASE_URL;
  return { flow, oracle: { ...oracle, key, baseUrl } };
}

async function readFlowJob({ active }: ProxyOptions): Promise<ActiveJob["flow"]> {
  const { flow: options } = active;
  if (options === undefined) return undefined;
  const { readFlow } = await import("../flow/read_flow.ts");
  let text: string;
  try {
    text = Deno.readTextFileSync(options.path);
  } catch (error) {
    throw new Error(`--flow "${options.path}": ${messageOf(error)}`, { cause: error });
  }
  const flow = readFlow(text, options.path);
  const decider = options.decider ??
    (flow.arbiter !== undefined ? "arbiter" : flow.reach !== undefined ? "reach" : "habit");
  if (decider === "arbiter" && flow.arbiter === undefined) {
    throw new Error(`--flow-decider arbiter: the flow "${options.path}" has no arbiter`);
  }
  if (decider === "reach" && flow.reach === undefined) {
    throw new Error(`--flow-decider reach: the flow "${options.path}" has no reach`);
  }
  return { text, decider };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
