/**
 * The flags of the lock, and the options they make.
 *
 * @module
 */

import { FlagFault, type FlagReader } from "../../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";

/** The flags. */
export const LOCK_FLAGS: readonly Flag[] = [
  {
    name: "lock",
    value: "FILE",
    help: "Compare every list of the server with this lock, which 'hoist lock' writes. See " +
      "docs/testing_with_recordings.md.",
  },
  {
    name: "on-change",
    value: "warn|hide|refuse",
    help: "What differs from the lock is told, hidden from the host, or shown as it was locked; " +
      "hide and refuse also refuse its calls. Default: refuse.",
  },
];

/** What becomes of what differs. */
export type OnChange = "warn" | "hide" | "refuse";

/** How the lock is kept. */
export interface LockOptions {
  readonly path: string;
  readonly onChange: OnChange;
}

/** Reads the flags; undefined without `--lock`. Throws a fault when one is wrong. */
export function parseLockFlags(read: FlagReader, _values: FlagValues): LockOptions | undefined {
  const path = read.path("lock");
  const onChange = read.oneOf("on-change", ["warn", "hide", "refuse"]);
  if (path !== undefined) return { path, onChange: onChange ?? "refuse" };
  if (onChange !== undefined) throw new FlagFault("--on-change needs --lock");
  return undefined;
}
