/**
 * The lock's entry in the order of interceptors.
 *
 * @module
 */

import type { InterceptorKind } from "../kinds/kind.ts";
import { LOCK_FLAGS, type LockOptions, parseLockFlags } from "./options.ts";
import type { LockJob } from "./set_up.ts";

/** The lock. */
export const LOCK_KIND = {
  name: "lock",
  flags: LOCK_FLAGS,
  parse: parseLockFlags,
  startReads: ({ path }) => [path],
  setUp: async () => (await import("./set_up.ts")).lockSetUp,
} as const satisfies InterceptorKind<LockOptions, LockJob>;
