/**
 * The owner's desk behind the console: what waits, and the answers, through the same folder and the
 * same control plane as `hoist approve` and `hai-mcp owner`.
 *
 * @module
 */

import { answerHeld, heldCalls } from "../../disk/approval/approval_folder.ts";
import {
  activeMissionId,
  closedMissions,
  loadContract,
  loadMission,
} from "../../hai/mission/missions.ts";
import type { Mission } from "../../hai/state/records.ts";
import { at, isObject } from "../../json/json.ts";
import { HaiShell } from "../../hai/shell/hai_shell.ts";
import { type OwnerService, ownerService } from "../../hai/shell/owner_service.ts";
import { VERSION } from "../../flags/version.ts";
import { plainText } from "../../text/plain_text.ts";
import { messageOf } from "../../text/reason.ts";
import type { OwnerCode } from "../answer/owner_code.ts";
import { type ConsoleWish, needsCode, type WishOutcome } from "../answer/owner_wish.ts";
import type { AnswerOptions } from "../record/console_options.ts";
import type { AnswersModel, ClosedMission, ControlPlane } from "../view/answers_page.ts";

/** What the desk works with. */
export interface DeskParts {
  readonly options: AnswerOptions;
  readonly code: OwnerCode;
  nowMs(): number;
  /** Takes what went wrong, for the terminal. */
  onFault(line: string): void;
}

/** Closed missions that the page shows. */
const MAX_CLOSED = 5;

/** The desk. */
export class AnswerDesk {
  readonly #parts: DeskParts;
  readonly #shell: HaiShell | undefined;
  readonly #owner: OwnerService | undefined;

  /** Opens the desk; the control plane is opened when it is first looked at. */
  constructor(parts: DeskParts) {
    this.#parts = parts;
    const { hai } = parts.options;
    if (hai === undefined) return;
    this.#shell = new HaiShell(hai, { version: VERSION, unixMs: parts.nowMs });
    this.#owner = ownerService(this.#shell);
  }

  /** What waits now. */
  async model(outcome: WishOutcome | undefined): Promise<AnswersModel> {
    const { options, nowMs } = this.#parts;
    return {
      held: heldCalls(options.approveDir, nowMs()),
      approveDir: options.approveDir,
      plane: await this.#plane(),
      outcome,
    };
  }

  /** A text that changes when something else waits than before. */
  async waiting(): Promise<string> {
    const held = heldCalls(this.#parts.options.approveDir, this.#parts.nowMs());
    const asked = await this.#owner?.requests().catch(() => []) ?? [];
    return JSON.stringify([
      held.map(({ fingerprint }) => fingerprint),
      "problem" in asked ? [] : asked.map(({ id, status, expiresAt }) => [id, status, expiresAt]),
    ]);
  }

  /**
   * Carries out a wish.
   *
   * @param wish The wish.
   * @param code What was typed as the owner's code.
   * @returns How it ended.
   */
  async carryOut(wish: ConsoleWish, code: string): Promise<WishOutcome> {
    if (needsCode(wish) && !this.#parts.code.isRight(code)) return "code";
    try {
      return await this.#do(wish);
    } catch (error) {
      this.#parts.onFault(messageOf(error));
      return "failed";
    }
  }

  async #do(wish: ConsoleWish): Promise<WishOutcome> {
    if (wish.kind === "held") {
      const { id, fingerprint, verdict } = wish;
      const { options, nowMs } = this.#parts;
      const came = answerHeld(options.approveDir, { id, fingerprint, verdict }, nowMs());
      return came === "done" ? verdict : came;
    }
    const owner = this.#owner;
    if (owner === undefined) return "gone";
    switch (wish.kind) {
      case "request": {
        const { id: challengeId, fingerprint, verdict } = wish;
        const isDone = await owner.decide({ challengeId, fingerprint, verdict, via: "console" });
        return isDone ? verdict : "gone";
      }
      case "revoke":
        return await owner.revoke(wish.session) ? "revoked" : "gone";
      case "stop":
        await owner.stopAll();
        return "stopped";
      case "resume":
        await owner.resume();
        return "resumed";
    }
  }

  async #plane(): Promise<ControlPlane | undefined> {
    if (this.#shell === undefined || this.#owner === undefined) return undefined;
    const none = { requests: [], mission: undefined, closed: [], leases: [], events: undefined };
    try {
      const state = await this.#shell.hold((ctx) => {
        const { chain } = ctx.world;
        if ("fault" in chain) return { mission: undefined, closed: [], events: undefined };
        const id = activeMissionId(ctx.tx);
        const mission = id === null ? undefined : loadMission(ctx.tx, id);
        const contract = mission === undefined
          ? undefined
          : loadContract(ctx.tx, mission.mission_id, mission.current_version);
        return {
          events: chain.mark.seq,
          closed: closedMissions(ctx.tx, MAX_CLOSED).map(closedView),
          mission: contract === undefined ? undefined : {
            id: contract.mission_id,
            objective: plainText(contract.objective),
            criteria: contract.done_criteria.map(({ description }) => plainText(description)),
          },
        };
      });
      if (state.events === undefined) return { ...none, problem: "The audit trail is broken." };
      const requests = await this.#owner.requests();
      const leases = await this.#owner.leases();
      return "problem" in requests
        ? { ...state, leases, requests: [], problem: requests.problem }
        : { ...state, leases, requests, problem: undefined };
    } catch (error) {
      this.#parts.onFault(messageOf(error));
      return { ...none, problem: "The state of the control plane cannot be read now." };
    }
  }
}

/** A closed mission, safe to show. */
function closedView(mission: Mission): ClosedMission {
  const text = (value: unknown) => plainText(typeof value === "string" ? value : "");
  const verified = isObject(mission.verified_criteria) ? mission.verified_criteria : {};
  return {
    id: mission.mission_id,
    status: mission.status,
    closedAt: text(mission.closed_at),
    outcome: text(mission.outcome_summary),
    evidence: Object.entries(verified).map(([criterion, item]) => ({
      criterion: plainText(criterion),
      path: text(at(item, "path")),
      sha256: text(at(item, "sha256")).replace(/^sha256:/, ""),
    })),
  };
}
