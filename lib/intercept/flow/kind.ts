/**
 * The flow's entry in the order of interceptors.
 *
 * @module
 */

import type { InterceptorKind } from "../kinds/kind.ts";
import { FLOW_FLAGS, type FlowJob, type FlowOptions, parseFlow } from "./options.ts";

/** The flow. */
export const FLOW_KIND = {
  name: "flow",
  flags: FLOW_FLAGS,
  parse: parseFlow,
  files: ({ log }) => log === undefined ? [] : [{ flag: "flow-log", path: log, use: "append" }],
  startReads: ({ path }) => [path],
  asksOracle: () => true,
  setUp: async () => (await import("./set_up.ts")).flowSetUp,
} as const satisfies InterceptorKind<FlowOptions, FlowJob>;
