/**
 * A session that survives its server, as a deterministic machine: events and
 * their times in, effects out.
 *
 * Invariants: each request of the host gets one answer at most. A line is sent
 * twice only if {@linkcode OpenRequests} allows it. Lines keep their order.
 *
 * @module
 */

import { spanText, valueAt } from "../../json/json_spans.ts";
import { errorResponse, INTERNAL_ERROR } from "../../wire/rpc_error.ts";
import type { Message } from "../../wire/message.ts";
import { Phases } from "../phases.ts";
import { missingIn, offerOf, refusalIn } from "./server_offer.ts";
import { Crashes, MAX_CRASHES } from "./crashes.ts";
import { ServerTraffic } from "./server_traffic.ts";
import type { OpenRequest } from "./open_requests.ts";
import type { RestartEffect, RestartEvent } from "./restart_effects.ts";
import { RESTART_MOVES, type RestartPhase } from "./restart_phases.ts";
import { lineMessages, requestIds, WaitingLines } from "./waiting_lines.ts";

/** How long open requests may hold a restart after a save; then they are answered with an error. */
const DRAIN_MS = 10_000;
/** How long a new server may take to answer the greeting: package runners download at a start. */
const GREETING_MS = 60_000;
/** The exit status of a session that we ended. */
const ENDED_BY_US = 125;
const NOT_STARTED = "the server does not run: it waits for a change of its files";
const encoder = new TextEncoder();

/** One session. */
export class Restart {
  readonly #isWatching: boolean;
  readonly #phases = new Phases(RESTART_MOVES, "up");
  readonly #traffic = new ServerTraffic((effect) => this.#push(effect));
  readonly #crashes = new Crashes();
  readonly #waiting = new WaitingLines();
  /** A file has changed while the new server was greeted. */
  #isStale = false;
  #isPlanned = false;
  #code = ENDED_BY_US;
  #endsWith: number | undefined;
  #out: RestartEffect[] = [];

  /** Begins with a running server; `isWatching` when saves restart it. */
  constructor(options: { readonly isWatching: boolean }) {
    this.#isWatching = options.isWatching;
  }

  /** The present phase. */
  get phase(): RestartPhase {
    return this.#phases.now;
  }

  /** Bytes that wait for a server. */
  get heldBytes(): number {
    return this.#waiting.bytes;
  }

  /**
   * Takes an event.
   *
   * @param event What happened. Its bytes are kept.
   * @param tMs When, on a clock that never goes back.
   * @returns What to do, in order.
   */
  on(event: RestartEvent, tMs: number): readonly RestartEffect[] {
    this.#out = [];
    switch (event.kind) {
      case "host":
        this.#host(event.line);
        break;
      case "server":
        this.#server(event.line);
        break;
      case "gone":
        this.#gone(event, tMs);
        break;
      case "alarm":
        this.#alarm();
        break;
      case "saved":
        this.#saved();
        break;
      case "closing":
        this.#closing();
    }
    return this.#out;
  }

  #host(line: Uint8Array): void {
    const [message, ...more] = lineMessages(line);
    if (message !== undefined && more.length === 0) {
      // An answer overtakes what is held: the server may wait for it to get ready.
      if (message.kind === "response") {
        const isThere = !["down", "waiting", "stopping"].includes(this.phase);
        return this.#traffic.hostAnswer(message, line, isThere);
      }
      if (message.method === "notifications/cancelled" && this.#cancelled(message)) return;
    }
    if (this.phase === "waiting") {
      return requestIds(line).forEach((id) => this.#fail(id, NOT_STARTED, false));
    }
    if (["up", "ending", "over"].includes(this.phase)) this.#traffic.send(line);
    else this.#waiting.hold(line);
  }

  /** Takes a cancelled request out of what waits; whether the server need not hear of it. */
  #cancelled({ bytes, params }: Message): boolean {
    const span = valueAt(bytes, params, "requestId");
    if (span === undefined) return false;
    const id = spanText(bytes, span);
    if (this.#waiting.cancel(id)) return true;
    this.#traffic.cancelled(id);
    return false;
  }

  #server(line: Uint8Array): void {
    const greeting = this.#traffic.server(line);
    if (greeting !== undefined && this.phase === "greeting") this.#greeted(greeting);
    if (this.phase === "draining" && this.#traffic.isIdle) this.#drained();
  }

  #gone({ code, unsent, why }: RestartEvent & { kind: "gone" }, tMs: number): void {
    this.#code = code;
    if (this.phase === "ending") {
      this.#phases.move("gone");
      return this.#push({ kind: "noAlarm" }, { kind: "over", code: this.#endsWith ?? code });
    }
    if (this.phase === "down" || this.phase === "waiting" || this.phase === "over") return;
    this.#isPlanned = this.phase === "stopping";
    const { kept, again, failed } = this.#traffic.ended(unsent, this.#isPlanned);
    this.#waiting.holdFirst(kept);
    this.#waiting.repeat(again);
    const reason = why ?? `the server has ended (exit status ${code})`;
    this.#note(reason, failed);
    for (const { id } of failed) this.#fail(id, `${reason}; it had this request`, true);
    this.#traffic.cancelAsked();
    if (this.#isPlanned) return this.#start();
    this.#crashed(reason, tMs);
  }

  #crashed(reason: string, tMs: number): void {
    this.#phases.move("crash");
    const { count, delayMs } = this.#crashes.add(tMs);
    if (delayMs !== undefined) {
      this.#say(`${reason}; starting it again (crash ${count} of ${MAX_CRASHES} within a minute)`);
      return this.#push({ kind: "alarm", ms: delayMs });
    }
    this.#push({ kind: "noAlarm" });
    const what = `${reason}, ${count} times within a minute`;
    if (this.#isWatching) {
      this.#phases.move("giveUp");
      return this.#giveUp(`${what}; it waits for a change of its files`);
    }
    this.#giveUp(`${what}; the session ends`);
    this.#phases.move("close");
    this.#push({ kind: "over", code: this.#code === 0 ? ENDED_BY_US : this.#code });
  }

  #alarm(): void {
    switch (this.phase) {
      case "draining":
        this.#say("restarting, though requests are still open");
        return this.#drained();
      case "down":
        return this.#start();
      case "greeting":
        this.#say("the new server does not answer the greeting; ending it");
        return this.#push({ kind: "stop", isKill: true });
    }
  }

  #saved(): void {
    switch (this.phase) {
      case "up":
        this.#phases.move("saved");
        if (this.#traffic.isIdle) return this.#drained();
        return this.#push({ kind: "alarm", ms: DRAIN_MS });
      case "down":
      case "waiting":
        this.#crashes.forget();
        return this.#start();
      case "greeting":
        this.#isStale = true;
    }
  }

  #drained(): void {
    this.#phases.move("drained");
    this.#push({ kind: "noAlarm" }, { kind: "stop", isKill: false });
  }

  #start(): void {
    this.#phases.move("start");
    this.#push({ kind: "start" });
    const greeting = this.#traffic.spoken.greeting();
    // Nothing was agreed on: the host's own greeting is open or held, and is sent again as it is.
    if (greeting === undefined) return this.#serve();
    this.#traffic.sendOwn(greeting, true);
    this.#push({ kind: "alarm", ms: GREETING_MS });
  }

  #greeted(answer: Message): void {
    const after = offerOf(answer);
    const before = this.#traffic.spoken.offer;
    const fault = after === undefined
      ? `it refuses the session: ${refusalIn(answer)}`
      : before && missingIn(before, after);
    if (fault !== undefined) {
      const what = `the server was started again, but ${fault}`;
      this.#giveUp(`${what}; the session ends`);
      this.#endsWith = ENDED_BY_US;
      this.#phases.move("close");
      return this.#push({ kind: "noAlarm" }, { kind: "stop", isKill: true });
    }
    this.#traffic.restore();
    this.#push({ kind: "noAlarm" });
    this.#serve();
  }

  /** Sends what waits, and tells the host that lists may have changed. */
  #serve(): void {
    this.#phases.move("greeted");
    const { again, held } = this.#waiting.take();
    again.forEach((request) => this.#traffic.repeat(request));
    held.forEach((line) => this.#traffic.send(line));
    if (this.#traffic.spoken.offer !== undefined) {
      this.#say(this.#isPlanned ? "the server runs again after a change" : "the server runs again");
      this.#traffic.tellChanges();
    }
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#saved();
  }

  #closing(): void {
    switch (this.phase) {
      case "ending":
      case "over":
        return;
      case "down":
      case "waiting":
        this.#refuseWaiting("the session ends before the server runs again");
        this.#phases.move("close");
        return this.#push({ kind: "noAlarm" }, { kind: "over", code: this.#code });
      case "draining":
        this.#waiting.take().held.forEach((line) => this.#traffic.send(line));
        break;
      default:
        this.#refuseWaiting("the session ends before the server runs again");
    }
    this.#phases.move("close");
    this.#push({ kind: "noAlarm" });
  }

  #giveUp(reason: string): void {
    this.#say(reason);
    this.#refuseWaiting(reason);
  }

  /** Answers what waits. What was sent before says so. */
  #refuseWaiting(reason: string): void {
    const { again, held } = this.#waiting.take();
    for (const { id } of again) this.#fail(id, reason, true);
    for (const bytes of held) for (const id of requestIds(bytes)) this.#fail(id, reason, false);
  }

  #fail(id: string, reason: string, wasSent: boolean): void {
    const outcome = wasSent
      ? "It was sent: it is not known whether it was done."
      : "It was not sent.";
    const text = `${reason[0]?.toUpperCase()}${reason.slice(1)}. ${outcome}`;
    this.#traffic.toHost(errorResponse(id, INTERNAL_ERROR, text, { sent: wasSent }), true);
  }

  /** Notes a restart in the log, and only there. */
  #note(reason: string, failed: readonly OpenRequest[]): void {
    const params = {
      reason,
      isPlanned: this.#isPlanned,
      failed: failed.length,
      again: this.#waiting.again,
      held: this.#waiting.held,
    };
    const note = { jsonrpc: "2.0", method: "notifications/hoist/restart", params };
    this.#push({ kind: "record", from: "proxy", line: encoder.encode(JSON.stringify(note)) });
  }

  #say(text: string): void {
    this.#push({ kind: "say", text });
  }

  #push(...effects: readonly RestartEffect[]): void {
    this.#out.push(...effects);
  }
}
