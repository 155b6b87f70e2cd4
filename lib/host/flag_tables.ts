/**
 * The command line of every program and every command: what the reference in
 * docs/cli.md and the completions are made of.
 *
 * @module
 */

import { AUDIT_FLAGS } from "../cli/audit_command.ts";
import { COMPILE_FLAGS } from "../cli/compile_command.ts";
import { COMPLETIONS_FLAGS } from "../cli/completions_command.ts";
import { CONFIRM_FLAGS } from "../cli/confirm_command.ts";
import { CONTEXT_HOOK_FLAGS } from "../cli/context_hook_command.ts";
import { DOCTOR_FLAGS } from "../cli/doctor_flags.ts";
import { DRIFT_FLAGS } from "../cli/drift_command.ts";
import { EPISODES_FLAGS } from "../cli/episodes_flags.ts";
import { EVALUATE_FLAGS } from "../cli/evaluate_command.ts";
import type { FlagTable } from "../cli/flags.ts";
import { LOG_CHECK_FLAGS } from "../cli/log_check_command.ts";
import { FLOW_CHECK_FLAGS } from "../cli/flow_check_command.ts";
import { FLOW_DIFF_FLAGS } from "../cli/flow_diff_command.ts";
import { FLOW_SHOW_FLAGS } from "../cli/flow_show_command.ts";
import {
  FLOW_COMMIT_FLAGS,
  FLOW_LOG_FLAGS,
  FLOW_ROLLBACK_FLAGS,
} from "../cli/flow_version_commands.ts";
import { GUARDS_FLAGS } from "../cli/guards_command.ts";
import * as hai from "../cli/hai_flags.ts";
import { INIT_FLAGS } from "../cli/init_flags.ts";
import { LEARN_FLAGS } from "../cli/learn_command.ts";
import { PROCEDURE_CHECK_FLAGS } from "../cli/procedure_check_command.ts";
import { PROCEDURE_FLAGS } from "../cli/procedure_command.ts";
import { PROCEDURE_COMPILE_FLAGS } from "../cli/procedure_compile_command.ts";
import { PROCEDURE_RUN_FLAGS } from "../cli/procedure_flags.ts";
import { PROMOTE_FLAGS } from "../cli/promote_command.ts";
import { PROXY_FLAGS } from "../cli/proxy_flags.ts";
import { REDACT_FLAGS } from "../cli/redact_command.ts";
import { REPLAY_FLAGS } from "../cli/replay_command.ts";
import { STAGE_FLAGS } from "../cli/stage_command.ts";
import { DEMO_FLAGS } from "../demo/demo_flags.ts";
import { HOIST_FLAGS } from "./hoist_commands.ts";

/** Every table, in the order of the reference. */
export const FLAG_TABLES: readonly FlagTable[] = [
  PROXY_FLAGS,
  HOIST_FLAGS,
  INIT_FLAGS,
  DOCTOR_FLAGS,
  COMPLETIONS_FLAGS,
  EPISODES_FLAGS,
  LOG_CHECK_FLAGS,
  LEARN_FLAGS,
  COMPILE_FLAGS,
  REPLAY_FLAGS,
  PROMOTE_FLAGS,
  AUDIT_FLAGS,
  DRIFT_FLAGS,
  EVALUATE_FLAGS,
  FLOW_CHECK_FLAGS,
  FLOW_SHOW_FLAGS,
  FLOW_DIFF_FLAGS,
  STAGE_FLAGS,
  FLOW_COMMIT_FLAGS,
  FLOW_ROLLBACK_FLAGS,
  FLOW_LOG_FLAGS,
  REDACT_FLAGS,
  GUARDS_FLAGS,
  CONFIRM_FLAGS,
  CONTEXT_HOOK_FLAGS,
  PROCEDURE_FLAGS,
  PROCEDURE_COMPILE_FLAGS,
  PROCEDURE_CHECK_FLAGS,
  PROCEDURE_RUN_FLAGS,
  hai.SERVE_FLAGS,
  hai.OWNER_FLAGS,
  hai.DOCTOR_FLAGS,
  hai.REPAIR_FLAGS,
  hai.RECALL_FLAGS,
  hai.LIMITS_FLAGS,
  DEMO_FLAGS,
];
