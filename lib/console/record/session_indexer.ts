/**
 * Reads a log once, line by line, for the rows of its page: each request with its answers, what was
 * said, and where turns begin. Content is not kept, only where it lies.
 *
 * @module
 */

import { at, type JsonObject, jsonText } from "../../json/json.ts";
import type { LogHeader, LogLine } from "../../log/log.ts";
import type { LinePlace } from "../../log/parse_log.ts";
import { describeAnswer, describeParams } from "../../timeline/describe.ts";
import { type FollowedMessage, LogFollower } from "../../timeline/log_follower.ts";
import { partyText } from "../../timeline/header_lines.ts";
import { isOfModel, type Summary, SummaryCounter } from "../../timeline/summary.ts";
import { COMMIT_TOOL } from "../../trace/calls.ts";
import { callResult } from "../../trace/call_result.ts";
import type { PlacedEvent } from "../../trace/log_episode.ts";
import type { WireExchange } from "../../trace/pairing.ts";
import type { WireRequest, WireResponse } from "../../trace/wire_messages.ts";
import { draftOf, longLine, outcomeOf, type RowDraft, senderOf } from "./row_draft.ts";
import {
  MAX_ANSWERS,
  type MessagePlace,
  type SessionEntry,
  type SessionRow,
} from "./session_row.ts";

/** Characters of arguments, texts and answers that a row keeps. */
const BRIEF = 300;
/** Characters of a row's arguments that can be searched for, and of a whole session's. */
const SEARCHED = 2000;
const MAX_SEARCHED = 1_000_000;
/** Requests with a progress token that are remembered. */
const MAX_TOKENS = 1000;

/** What a log tells of itself, without its file. */
export type IndexedFacts = Omit<
  SessionEntry,
  "key" | "path" | "bytes" | "changedMs" | "faults"
>;

/** Indexes one session. */
export class SessionIndexer {
  readonly #counter = new SummaryCounter();
  readonly #follower: LogFollower;
  readonly #rowOf = new WeakMap<WireExchange, RowDraft>();
  readonly #tokens = new Map<string, RowDraft>();
  readonly #changed = new Set<RowDraft>();
  #tools = new Map<string, number>();
  #turns: number[] = [];
  #words: string[] = [];
  #searched = 0;
  #refused = 0;
  #asks = 0;
  #discovers = 0;

  /** Starts before the first line. */
  constructor() {
    this.#follower = new LogFollower({}, (placed) => {
      this.#counter.event(placed);
      this.#noteTurn(placed);
    });
  }

  /**
   * Takes the next line.
   *
   * @param line The line.
   * @param place Where it lies in the file.
   */
  take(line: LogLine, place: LinePlace): void {
    this.#counter.line(line);
    const followed = this.#follower.take(line);
    followed.forEach((one, part) => this.#message(one, { ...place, part }, line.line));
  }

  /**
   * Takes a line that is too long to be read: a row says so, and where it lies.
   *
   * @param line Its number.
   * @param start Its first bytes.
   * @param place Where it lies in the file.
   */
  takeLong(line: number, start: string, place: LinePlace): void {
    const lastMs = this.#counter.summary.duration_ms;
    const long = longLine(start, { line, bytes: place.length, lastMs });
    this.#counter.line({ ...long, kind: "message", text: "", message: null }); // It may be JSON.
    this.#follower.take(long).forEach((one) => this.#message(one, { ...place, part: 0 }, line));
  }

  /** The rows that are new or have changed since the last call. */
  changedRows(): SessionRow[] {
    const rows = [...this.#changed];
    this.#changed.clear();
    return rows;
  }

  /** The indexes of first messages of turns that were found since the last call. */
  newTurns(): number[] {
    this.#follower.heldEvents.forEach((placed) => this.#noteTurn(placed));
    const turns = this.#turns;
    this.#turns = [];
    return turns;
  }

  /** The calls of each tool that have come since the last call. */
  newTools(): ReadonlyMap<string, number> {
    const tools = this.#tools;
    this.#tools = new Map();
    return tools;
  }

  /** The text to search in that has come since the last call. */
  newWords(): string {
    const text = this.#words.join("\n");
    this.#words = [];
    return text;
  }

  /** The session's numbers and names so far. */
  facts(header: LogHeader | undefined): IndexedFacts {
    const { client, server, protocol } = this.#follower.parties;
    const { turns, calls, lookups, errors, duration_ms, lines, raw_lines } = this.#summary();
    return {
      session: header?.session,
      startedMs: header?.started_unix_ms ?? 0,
      command: header?.server_command.join(" ") ?? "",
      host: client === undefined ? "" : partyText(client),
      server: header?.server_name ?? (server === undefined ? "" : partyText(server)),
      protocol: protocol ?? "",
      domain: header?.domain ?? "",
      model: header?.agent_model ?? "",
      hostSession: header?.host_session ?? "",
      turns,
      calls,
      lookups,
      errors,
      refused: this.#refused,
      durationMs: duration_ms,
      lines,
      rawLines: raw_lines,
      isProbe: this.#asks > 0 && this.#asks === this.#discovers,
    };
  }

  /** The numbers with the last turn, which a session that goes on has not ended. */
  #summary(): Summary {
    const held = new SummaryCounter();
    this.#follower.heldEvents.forEach((placed) => held.event(placed));
    const [now, more] = [this.#counter.summary, held.summary];
    return {
      ...now,
      turns: now.turns + more.turns,
      calls: now.calls + more.calls,
      lookups: now.lookups + more.lookups,
      errors: now.errors + more.errors,
    };
  }

  #noteTurn({ event, index }: PlacedEvent): void {
    if (event.kind === "assistant" && isOfModel(event)) this.#turns.push(index);
  }

  #message(followed: FollowedMessage, place: MessagePlace, line: number): void {
    const { message } = followed;
    if (message.from === "client" && "method" in message) {
      this.#asks++;
      if (message.method === "server/discover") this.#discovers++;
    }
    switch (message.kind) {
      case "request":
        return this.#request(followed, message, place, line);
      case "response":
        return this.#response(followed, message, place, line);
      case "notification": {
        if (this.#isProgress(message.params, message.method)) return;
        if (followed.exchange !== undefined) return this.#cancel(followed.exchange, message.t_ms);
        const brief = describeParams(message.method, message.params);
        return this.#add(
          { ...draftOf(message, place, line), kind: "notice", name: message.method },
          brief,
        );
      }
      case "spoken":
        return this.#add({
          ...draftOf(message, place, line),
          kind: "spoken",
          by: message.role === "user" ? "user" : "agent",
          name: message.role,
        }, message.text);
      case "noise":
        return this.#add(
          { ...draftOf(message, place, line), kind: "noise", name: "not a message" },
          message.text,
        );
    }
  }

  #request(
    { step, call, exchange }: FollowedMessage,
    request: WireRequest,
    place: MessagePlace,
    line: number,
  ): void {
    const row: RowDraft = {
      ...draftOf(request, place, line),
      kind: step === undefined ? "request" : "call",
      by: call?.by ?? senderOf(request),
      name: call?.name ?? request.method,
      outcome: "open",
    };
    if (exchange !== undefined) this.#rowOf.set(exchange, row);
    const token = at(request.params, "_meta", "progressToken");
    if (token !== undefined && this.#tokens.size < MAX_TOKENS) {
      this.#tokens.set(jsonText(token), row);
    }
    if (row.kind === "call") this.#tools.set(row.name, (this.#tools.get(row.name) ?? 0) + 1);
    const text = step === undefined
      ? describeParams(request.method, request.params)
      : jsonText(step.call.arguments);
    this.#add(row, text);
  }

  #response(
    { exchange, step }: FollowedMessage,
    response: WireResponse,
    place: MessagePlace,
    line: number,
  ): void {
    const row = exchange === undefined ? undefined : this.#rowOf.get(exchange);
    if (row === undefined || exchange === undefined) {
      const text = jsonText(response.error ?? response.result);
      return this.#add(
        { ...draftOf(response, place, line), kind: "notice", name: "answer to no request" },
        text,
      );
    }
    if (row.answers.length < MAX_ANSWERS) {
      const { from, t_ms: tMs } = response;
      row.answers = [...row.answers, { ...place, from, tMs }];
    }
    this.#changed.add(row);
    // What the agent got after the server's answer changes how it reads, not how it ended.
    if (response.index !== exchange.answers[0]?.index) return;
    this.#drop(row);
    const isError = response.error !== undefined || at(response.result, "isError") === true;
    const text = row.kind === "call"
      ? callResult(response).content
      : describeAnswer(exchange.request, response);
    row.endMs ??= response.t_ms;
    row.reply = text.slice(0, BRIEF);
    row.outChars = text.length;
    if (row.outcome !== "cancelled") {
      row.outcome = outcomeOf(step?.kind, response, {
        isError,
        isCommit: row.name === COMMIT_TOOL,
      });
    }
    if (row.outcome === "refused") this.#refused++;
    if (isError) this.#search(text.slice(0, SEARCHED));
  }

  #cancel(exchange: WireExchange, t_ms: number): void {
    const row = this.#rowOf.get(exchange);
    if (row === undefined) return;
    row.outcome = "cancelled";
    row.endMs = t_ms;
    this.#drop(row);
    this.#changed.add(row);
  }

  /** Counts a notification of progress with its request; false for any other notification. */
  #isProgress(params: JsonObject, method: string): boolean {
    if (method !== "notifications/progress") return false;
    const row = this.#tokens.get(jsonText(at(params, "progressToken")));
    if (row === undefined) return false;
    row.progress++;
    this.#changed.add(row);
    return true;
  }

  /** Forgets the progress token of a request that has ended. */
  #drop(row: RowDraft): void {
    for (const [token, of] of this.#tokens) if (of === row) this.#tokens.delete(token);
  }

  #add(row: RowDraft, text: string): void {
    row.brief = text.slice(0, BRIEF);
    row.inChars = text.length;
    this.#changed.add(row);
    this.#search(`${row.name} ${text.slice(0, SEARCHED)}`);
  }

  #search(text: string): void {
    if (this.#searched > MAX_SEARCHED) return;
    this.#searched += text.length;
    this.#words.push(text);
  }
}
