/**
 * The guards' entry in the order of interceptors.
 *
 * @module
 */

import { ruleFileVariables } from "../../guard/rules/rules_source.ts";
import type { InterceptorKind } from "../kinds/kind.ts";
import { GUARD_FLAGS, type GuardJob, type GuardOptions, parseGuardFlags } from "./options.ts";

/** The guards. */
export const GUARD_KIND = {
  name: "guard",
  flags: GUARD_FLAGS,
  parse: parseGuardFlags,
  files: ({ asking }) =>
    asking?.log === undefined ? [] : [{ flag: "confirm-log", path: asking.log, use: "append" }],
  startReads: ({ rules: { path } }) => path === undefined ? [] : [path],
  variables: ({ rules: { path }, asking }) => [
    ...asking === undefined ? [] : ["TYPESAFE_DEFAULT_MODEL"],
    ...path === undefined ? [] : ruleFileVariables(path),
  ],
  asksOracle: ({ asking }) => asking !== undefined,
  setUp: async () => (await import("./set_up.ts")).guardSetUp,
} as const satisfies InterceptorKind<GuardOptions, GuardJob>;
