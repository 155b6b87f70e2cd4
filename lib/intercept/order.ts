/**
 * The order of the interceptors, stated once: nearest to the host first.
 *
 * A host message passes them from the first to the last, a server message from the last to
 * the first. A request that an interceptor makes itself passes those after it, and so does its
 * answer: the guards check the calls of `hoist_commit`, and know what a flow looked up. A person
 * is asked about what the guards let pass. The contract comes after whatever holds a call for
 * long. The lock comes last: it judges the server's own list, which the contract may cut.
 *
 * @module
 */

import { APPROVE_KIND } from "./approve/kind.ts";
import { COMMIT_KIND } from "./commit/kind.ts";
import { CONTEXT_KIND } from "./context/kind.ts";
import { FLOW_KIND } from "./flow/kind.ts";
import { GUARD_KIND } from "./guard/kind.ts";
import { HAI_KIND } from "./hai/kind.ts";
import type { InterceptorKind } from "./kinds/kind.ts";
import { LOCK_KIND } from "./lock/kind.ts";
import { ONLY_KIND } from "./only/kind.ts";

const KINDS = [
  CONTEXT_KIND,
  COMMIT_KIND,
  FLOW_KIND,
  GUARD_KIND,
  APPROVE_KIND,
  ONLY_KIND,
  HAI_KIND,
  LOCK_KIND,
] as const;

type Kind = typeof KINDS[number];

/** The interceptors, in their order. */
export const ORDER: readonly InterceptorKind<unknown, unknown>[] = KINDS;

/** The name of an interceptor. */
export type InterceptorName = Kind["name"];

/** The options of the interceptors that a command line asks for. */
export type InterceptorOptions = {
  readonly [K in Kind as K["name"]]?: NonNullable<ReturnType<K["parse"]>>;
};
