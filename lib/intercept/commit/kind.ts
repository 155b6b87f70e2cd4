/**
 * The flag of `hoist_commit`, and its entry in the order of interceptors.
 *
 * @module
 */

import type { InterceptorKind } from "../kinds/kind.ts";

/** `--commit` has no options. */
export type CommitOptions = Readonly<Record<never, never>>;

/** `hoist_commit`. */
export const COMMIT_KIND = {
  name: "commit",
  flags: [{
    name: "commit",
    help: "Add the tool hoist_commit, which makes several confirmed calls in order, each guarded.",
  }],
  parse: (_read, values) => values.has("commit") ? {} : undefined,
  async setUp() {
    const { commitInterceptor: make } = await import("./commit.ts");
    return {
      read: () => Promise.resolve({ job: undefined, withoutOracle: [] }),
      open: () => Promise.resolve({ begin: () => ({ make }) }),
    };
  },
} as const satisfies InterceptorKind<CommitOptions, undefined>;
