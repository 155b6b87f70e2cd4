/**
 * The flags of approvals, and the options they make.
 *
 * @module
 */

import { FlagFault, type FlagReader } from "../../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import type { RuleSource } from "../../guard/rules/rules_source.ts";

/** The flags. */
export const APPROVE_FLAGS: readonly Flag[] = [
  {
    name: "approve",
    value: "FILE",
    help:
      "Check each call with the rules of this file; hold a call that one of its approve rules " +
      "is for until a person has said yes in 'hoist approve'. See docs/approvals.md.",
  },
  {
    name: "approve-wait",
    value: "SECONDS",
    help:
      "How long a call is held before the agent is told to repeat it. Default: 25, since many " +
      "hosts give up after 30.",
  },
  {
    name: "approve-dir",
    value: "DIR",
    help: "The folder of held calls and answers. Default: ~/.hoist/approvals.",
  },
];

/** How calls are approved. */
export interface ApproveOptions {
  /** The rule file. */
  readonly rules: string;
  readonly waitMs: number;
  /** The folder of held calls. */
  readonly dir: string;
}

/** Rules that were read and checked. */
export interface ApproveJob {
  readonly source: RuleSource;
  /** Of the file's text. */
  readonly sha256: string;
}

/** The default folder. */
export const APPROVALS_DIR = "~/.hoist/approvals";

const MAX_WAIT_SECONDS = 3600;

/** Reads the flags; undefined without `--approve`. Throws a fault when one is wrong. */
export function parseApproveFlags(
  read: FlagReader,
  values: FlagValues,
): ApproveOptions | undefined {
  const rules = read.path("approve");
  const seconds = read.count("approve-wait") ?? 25;
  const dir = read.path("approve-dir") ?? (rules && read.expanded("approve-dir", APPROVALS_DIR));
  if (rules === undefined || dir === undefined) {
    const stray = APPROVE_FLAGS.find(({ name }) => values.has(name));
    if (stray !== undefined) throw new FlagFault(`--${stray.name} needs --approve`);
    return undefined;
  }
  if (seconds < 1 || seconds > MAX_WAIT_SECONDS) {
    throw new FlagFault(`--approve-wait takes 1 to ${MAX_WAIT_SECONDS} seconds, not "${seconds}"`);
  }
  return { rules, waitMs: 1000 * seconds, dir: dir.replace(/(?<=.)[/\\]+$/, "") };
}
