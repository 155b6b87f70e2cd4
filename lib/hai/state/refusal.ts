/**
 * Refusals of tools, and the error for a
 * state file that cannot be trusted.
 *
 * A refusal is a value: handlers return it. A corrupt file is a machine
 * failure: loaders throw it, and the engine turns it into a reply in one place.
 *
 * @module
 */

/** The JSON a tool answers with. */
export type ToolReply = Readonly<Record<string, unknown>>;

/** Every code a refusal may carry in `error`. */
export const ERROR_CODES = [
  "invalid_args",
  "missing_project",
  "path_outside_root",
  "max_active_lanes",
  "no_proposal",
  "owner_gate_required",
  "owner_channel_unavailable",
  "active_mission_exists",
  "review_required",
  "mission_not_active",
  "contract_version_mismatch",
  "lease_expired",
  "lease_revoked",
  "parallel_session_denied",
  "device_mount_required",
  "learning_block_active",
  "learning_block_already_completed",
  "learning_block_abandoned",
  "learning_block_already_abandoned",
  "learning_time_required",
  "learning_state_invalid",
  // Below: ours.
  "time_limit_exceeded",
  "unknown_lane",
  "state_corrupt",
  "state_unavailable",
  "unknown_item",
  "already_resolved",
  "weaker_gate",
  "mission_unverified",
  "session_token_required",
  "work_stopped",
  "internal_error",
] as const;

/** A code a refusal may carry in `error`. */
export type ErrorCode = typeof ERROR_CODES[number];

/** A call that was not carried out, and why. */
export class CallRefusal {
  /** Its code. */
  readonly error: ErrorCode;
  /** Message for a reader. */
  readonly message: string;
  /** Further members of the reply. */
  readonly extra: ToolReply;

  /**
   * Makes a refusal.
   *
   * @param error Its code.
   * @param message The cause, and the remedy.
   * @param extra Further members of the reply.
   */
  constructor(error: ErrorCode, message: string, extra: ToolReply = {}) {
    this.error = error;
    this.message = message;
    this.extra = extra;
  }

  /** The same refusal with more members; the present ones win. */
  with(extra: ToolReply): CallRefusal {
    return new CallRefusal(this.error, this.message, { ...extra, ...this.extra });
  }

  /** The JSON that is answered. */
  toReply(): ToolReply {
    return { ...this.extra, ok: false, error: this.error, message: this.message };
  }
}

/** A state file that does not parse, has the wrong shape, or fails its hash. */
export class StateCorruptError extends SyntaxError {
  override name = "StateCorruptError";
  /** The file, as an absolute path. */
  readonly file: string;
  /** The fault. */
  readonly problem: string;

  /**
   * Makes the error.
   *
   * @param file The file.
   * @param problem The fault.
   */
  constructor(file: string, problem: string) {
    super(`Cannot trust "${file}": ${problem}`);
    this.file = file;
    this.problem = problem;
  }
}

/** An event that must be sealed cannot be. */
export class SealError extends Error {
  override name = "SealError";

  /**
   * Makes the error.
   *
   * @param problem Why not.
   */
  constructor(problem: string) {
    super(`Cannot seal with the owner's key: ${problem}`);
  }
}

/**
 * The reply for a corrupt file: nothing was changed, and the owner can repair.
 *
 * @param error The error.
 * @returns The refusal.
 */
export function corruptRefusal(error: StateCorruptError): CallRefusal {
  return new CallRefusal("state_corrupt", error.message, {
    file: error.file,
    problem: error.problem,
    hint: "Nothing was changed. The owner runs 'hai-mcp doctor' to see all faults and " +
      "'hai-mcp repair' to mend them; repair keeps a backup.",
  });
}
