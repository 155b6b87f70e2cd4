/**
 * Sets a contract up: takes the session, reads the map, and opens the gate that all sessions of
 * the proxy share.
 *
 * @module
 */

import { z } from "zod";
import { reasonOf } from "../../text/reason.ts";
import type { OpenInterceptor } from "../kinds/chains.ts";
import type { InterceptorSetUp, ReadJob } from "../kinds/kind.ts";
import type { ReadPorts, SetUpPorts } from "../kinds/set_up_ports.ts";
import { HaiInterceptor } from "./hai.ts";
import { readHaiMap } from "./map.ts";
import type { HaiJob, HaiOptions } from "./options.ts";

const LEASE = z.looseObject({ session_id: z.string(), session_token: z.string() });

/** Its set-up. */
export const haiSetUp: InterceptorSetUp<HaiOptions, HaiJob> = {
  read: readJob,
  open: openContract,
};

async function readJob(
  { home, ownerHome, lease: leaseFile, map: mapFile }: HaiOptions,
  { readText, take }: ReadPorts,
): Promise<ReadJob<HaiJob>> {
  const from = <T>(flag: string, path: string, work: (path: string) => T): T => {
    try {
      return work(path);
    } catch (error) {
      throw new Error(`--${flag} "${path}": ${reasonOf(error)}`, { cause: error });
    }
  };
  // First what can be wrong: the session is gone once it is taken.
  const map = mapFile === undefined
    ? { hoist_hai_map: 1 as const, server: "unknown", tools: {} }
    : await readHaiMap(from("hai-map", mapFile, readText), mapFile);
  const text = from("hai-lease", leaseFile, take);
  const lease = LEASE.safeParse(text === "" ? { session_id: "", session_token: "" } : json(text));
  if (!lease.success) {
    throw new Error(`--hai-lease "${leaseFile}": it is no JSON with session_id and session_token`);
  }
  const { session_id: sessionId, session_token: sessionToken } = lease.data;
  const gate = { home, ownerHome, server: map.server, sessionId, sessionToken };
  return { job: { map, gate }, withoutOracle: [] };
}

async function openContract(
  _options: HaiOptions,
  { map, gate: job }: HaiJob,
  { say, toolGate }: SetUpPorts,
): Promise<OpenInterceptor> {
  const gate = await toolGate(job);
  const first = await gate.check(undefined);
  say(
    first.kind === "allowed"
      ? `contract of session ${job.sessionId} is enforced for the server "${map.server}"`
      : `every call is refused: ${first.text} (${first.code})`,
  );
  return { begin: () => ({ make: (ports) => new HaiInterceptor(map, gate, ports) }) };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
