/**
 * The flag that leaves tools out, and its entry in the order of interceptors.
 *
 * @module
 */

import { FlagFault } from "../../flags/flag_reader.ts";
import type { InterceptorKind } from "../kinds/kind.ts";

/** Which tools are shown. */
export interface OnlyOptions {
  /** Patterns of names, with `*` and `?`. */
  readonly globs: readonly string[];
}

/** `--tools`. */
export const ONLY_KIND = {
  name: "only",
  flags: [{
    name: "tools",
    value: "GLOB",
    repeat: true,
    help: "Show only the server's tools of these names, such as 'get_*', and refuse calls of all " +
      "others. 'hoist tools' tells which were used.",
  }],
  parse(_read, values) {
    const globs = values.all("tools");
    const odd = globs.find((glob) => /[[\]{}!]/.test(glob));
    if (odd !== undefined) {
      throw new FlagFault(`--tools takes a name with * and ?, not "${odd}"; repeat it for more`);
    }
    return globs.length === 0 ? undefined : { globs };
  },
  async setUp() {
    const { onlyInterceptor } = await import("./only.ts");
    return {
      read: () => Promise.resolve({ job: undefined, withoutOracle: [] }),
      open: ({ globs }) =>
        Promise.resolve({ begin: () => ({ make: () => onlyInterceptor(globs) }) }),
    };
  },
} as const satisfies InterceptorKind<OnlyOptions, undefined>;
