/**
 * The contract's entry in the order of interceptors.
 *
 * @module
 */

import { ruleFileVariables } from "../../guard/rules/rules_source.ts";
import type { InterceptorKind } from "../kinds/kind.ts";
import { HAI_FLAGS, type HaiJob, type HaiOptions, parseHaiFlags } from "./options.ts";

/** The contract of a session of hai-mcp. */
export const HAI_KIND = {
  name: "hai",
  flags: HAI_FLAGS,
  parse: parseHaiFlags,
  startReads: ({ map }) => map === undefined ? [] : [map],
  startTakes: ({ lease }) => [lease],
  folders: ({ home, ownerHome }) => [
    { flag: "hai", path: home },
    { flag: "hai-owner-home", path: ownerHome },
  ],
  // Where links lead is seen only by looking.
  reads: () => ["/"],
  variables: ({ map }) => map === undefined ? [] : ruleFileVariables(map),
  setUp: async () => (await import("./set_up.ts")).haiSetUp,
} as const satisfies InterceptorKind<HaiOptions, HaiJob>;
