/**
 * The guards' entry in the order of interceptors.
 *
 * @module
 */

import type { InterceptorKind } from "../kinds/kind.ts";
import { GUARD_FLAGS, type GuardOptions, parseGuardFlags } from "./options.ts";
import type { GuardJob } from "./rules_job.ts";

/** The guards. */
export const GUARD_KIND = {
  name: "guard",
  flags: GUARD_FLAGS,
  parse: parseGuardFlags,
  files: ({ asking }) =>
    asking?.log === undefined ? [] : [{ flag: "confirm-log", path: asking.log, use: "append" }],
  startReads: ({ rules: { path } }) => path === undefined ? [] : [path],
  variables: ({ asking }) => asking === undefined ? [] : ["TYPESAFE_DEFAULT_MODEL"],
  asksOracle: ({ asking }) => asking !== undefined,
  setUp: async () => (await import("./set_up.ts")).guardSetUp,
} as const satisfies InterceptorKind<GuardOptions, GuardJob>;
