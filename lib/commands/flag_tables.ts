/**
 * The command lines of all programs, for the reference in docs/cli.md and for completions.
 *
 * @module
 */

import type { FlagTable } from "../flags/flags.ts";
import { PROXY_FLAGS } from "../proxy_options/proxy_flags.ts";
import { DEMO_FLAGS } from "./demo/demo_flags.ts";
import * as hai from "./hai/hai_flags.ts";
import { PROCEDURE_RUN_FLAGS } from "./procedure/procedure_flags.ts";

/**
 * Adds the other programs' tables to those of `hoist`.
 *
 * @param tables Those of `hoist` and its commands.
 * @returns Every table, in the order of the reference.
 */
export function withOtherPrograms(tables: readonly FlagTable[]): readonly FlagTable[] {
  return [
    PROXY_FLAGS,
    ...tables,
    PROCEDURE_RUN_FLAGS,
    hai.SERVE_FLAGS,
    hai.OWNER_FLAGS,
    hai.HAI_DOCTOR_FLAGS,
    hai.REPAIR_FLAGS,
    hai.RECALL_FLAGS,
    hai.LIMITS_FLAGS,
    hai.HOOK_FLAGS,
    hai.RUN_FLAGS,
    DEMO_FLAGS,
  ];
}
