/**
 * The command line of every program and every command: what the reference in
 * docs/cli.md and the completions are made of.
 *
 * @module
 */

import { AUDIT_FLAGS } from "./flow/audit_command.ts";
import { COMPILE_FLAGS } from "./flow/compile_command.ts";
import { COMPLETIONS_FLAGS } from "./completions_command.ts";
import { CONFIRM_FLAGS } from "./guard/confirm_command.ts";
import { CONTEXT_HOOK_FLAGS } from "./context_hook_command.ts";
import { DOCTOR_FLAGS } from "./machine/doctor_flags.ts";
import { DRIFT_FLAGS } from "./flow/drift_command.ts";
import { EPISODES_FLAGS } from "./sessions/episodes_flags.ts";
import { EVALUATE_FLAGS } from "./flow/evaluate_command.ts";
import type { FlagTable } from "../flags/flags.ts";
import { LOG_CHECK_FLAGS } from "./sessions/log_check_command.ts";
import { FLOW_CHECK_FLAGS } from "./flow/flow_check_command.ts";
import { FLOW_DIFF_FLAGS } from "./flow/flow_diff_command.ts";
import { FLOW_SHOW_FLAGS } from "./flow/flow_show_command.ts";
import {
  FLOW_COMMIT_FLAGS,
  FLOW_LOG_FLAGS,
  FLOW_ROLLBACK_FLAGS,
} from "./flow/flow_version_commands.ts";
import { GUARDS_FLAGS } from "./guard/guards_command.ts";
import * as hai from "./hai/hai_flags.ts";
import { INIT_FLAGS } from "./machine/init_flags.ts";
import { LEARN_FLAGS } from "./flow/learn_command.ts";
import { PROCEDURE_CHECK_FLAGS } from "./procedure/procedure_check_command.ts";
import { PROCEDURE_FLAGS } from "./procedure/procedure_command.ts";
import { PROCEDURE_COMPILE_FLAGS } from "./procedure/procedure_compile_command.ts";
import { PROCEDURE_RUN_FLAGS } from "./procedure/procedure_flags.ts";
import { PROMOTE_FLAGS } from "./flow/promote_command.ts";
import { PROXY_FLAGS } from "../proxy_options/proxy_flags.ts";
import { REDACT_FLAGS } from "./sessions/redact_command.ts";
import { REPLAY_FLAGS } from "./flow/replay_command.ts";
import { STAGE_FLAGS } from "./flow/stage_command.ts";
import { DEMO_FLAGS } from "./demo/demo_flags.ts";
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
  hai.HAI_DOCTOR_FLAGS,
  hai.REPAIR_FLAGS,
  hai.RECALL_FLAGS,
  hai.LIMITS_FLAGS,
  DEMO_FLAGS,
];
