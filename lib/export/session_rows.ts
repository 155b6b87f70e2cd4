/**
 * Makes the rows of one session, line by line: its calls, turns, lookups and refusals, and at its
 * end its own. Memory is bounded by open calls and the calls of one session's lookups.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { at } from "../json/json.ts";
import type { LogHeader, LogLine } from "../log/log.ts";
import type { Overview } from "../timeline/overview.ts";
import type { CallResult } from "../trace/call_result.ts";
import { type Call, CallFinder, type CallStep, COMMIT_TOOL } from "../trace/calls.ts";
import { Pairer, type WireExchange } from "../trace/pairing.ts";
import { type Turn, TurnFinder, type TurnOptions } from "../trace/turns.ts";
import { messagesOf, type WireMessage } from "../trace/wire_messages.ts";
import type { TableName, TableRow } from "./tables.ts";

/** Takes each row of a table. */
export type TakeRow = (table: TableName, row: TableRow) => void;

/** What the rows hold of arguments and results. */
export interface RowOptions extends TurnOptions {
  /** The keyed hash of a text: equal values can be joined, and no value be guessed. */
  readonly hash: (text: string) => string;
  /** Whether arguments and results stand in the rows too. */
  readonly withValues: boolean;
  /** The log's file, as the reader names it. */
  readonly file: string;
}

/** Characters of JSON that make about one token, as in `hoist tools`. */
const CHARACTERS_PER_TOKEN = 4;

/** The last words of a refusal: `(policy check a, b).` */
const CHECKS = /\(policy check ([^()]*)\)\.$/;

/** A call that was sent, until its answer. */
interface Open {
  readonly call: Call;
  readonly number: number;
  readonly turn: number;
  readonly sentMs: number;
  readonly argumentsText: string;
}

/** Makes the rows of one session. */
export class SessionRows {
  readonly #take: TakeRow;
  readonly #options: RowOptions;
  readonly #overview: Overview;
  readonly #header: LogHeader;
  readonly #place: { readonly session: string; readonly day: string; readonly domain: string };
  readonly #pairer = new Pairer({ keeps: "heads" });
  readonly #finder = new CallFinder({ keeps: "heads" });
  readonly #turns: TurnFinder;
  readonly #open = new Map<string, Open>();
  /** Lookups by tool and arguments, with their rows: the agent may call the same later. */
  readonly #lookups = new Map<string, { row: TableRow; again: boolean }>();
  #turn: { readonly turn: Turn; calls: number; beganMs: number; firstTool: string } | undefined;
  #turnNumber = -1;
  #index = 0;
  #numbers = 0;
  #lists = 0;
  #listCharacters = 0;

  /**
   * Starts before the first line.
   *
   * @param header First line of the log.
   * @param overview The session at a glance, from an earlier reading.
   * @param take Called with each row; those of `sessions` and `lookups` come last.
   * @param options What the rows hold.
   */
  constructor(header: LogHeader, overview: Overview, take: TakeRow, options: RowOptions) {
    this.#header = header;
    this.#overview = overview;
    this.#take = take;
    this.#options = options;
    this.#turns = new TurnFinder(options);
    const { server } = overview.parties;
    this.#place = {
      session: header.session,
      day: new Date(header.started_unix_ms).toISOString().slice(0, 10),
      domain: header.domain ?? header.server_name ?? server?.name ?? "",
    };
  }

  /** Takes the next line. */
  take(line: LogLine): void {
    const messages = messagesOf(line, this.#index);
    this.#index += messages.length;
    const characters = line.kind === "message" ? line.text.length : line.raw.length;
    for (const message of messages) this.#follow(message, characters / messages.length);
  }

  /** Ends the session. */
  end(): void {
    for (const open of this.#open.values()) this.#call(open, "unanswered", null, null, undefined);
    this.#endTurn();
    for (const { row, again } of this.#lookups.values()) {
      this.#take("lookups", { ...row, called_again: again });
    }
    const { parties: { client, server, protocol, model }, summary } = this.#overview;
    const header = this.#header;
    this.#take("sessions", {
      ...this.#place,
      file: this.#options.file,
      started: header.started_unix_ms,
      agent_model: header.agent_model ?? model ?? null,
      host: client?.name ?? null,
      host_version: client?.version ?? null,
      server: server?.name ?? null,
      server_version: server?.version ?? null,
      protocol: protocol ?? null,
      host_session: header.host_session ?? null,
      duration_ms: summary.duration_ms,
      turns: summary.turns,
      calls: summary.calls,
      lookups: summary.lookups,
      errors: summary.errors,
      lines: summary.lines,
      raw_lines: summary.raw_lines,
      tool_lists: this.#lists,
      tool_list_tokens: Math.ceil(this.#listCharacters / CHARACTERS_PER_TOKEN),
    });
  }

  #follow(message: WireMessage, characters: number): void {
    const exchange = this.#pairer.take(message);
    const step = exchange === undefined ? undefined : this.#finder.take(message, exchange);
    const turn = this.#turns.take(message, step);
    if (exchange !== undefined) this.#list(message, exchange, characters);
    if (step === undefined || step.call.name === COMMIT_TOOL) return;
    if (step.kind === "sent") this.#sent(step.call, turn, message.t_ms);
    else if (step.kind === "cancelled" || step.kind === "answered") {
      this.#ended(step, message, characters);
    }
  }

  /** Counts what a listing of tools costs: the host's own listings alone. */
  #list(message: WireMessage, { request }: WireExchange, characters: number): void {
    if (message.kind !== "response" || request.method !== "tools/list") return;
    if (request.from !== "client" || at(message.result, "tools") === undefined) return;
    this.#lists++;
    this.#listCharacters += characters;
  }

  #sent(call: Call, turn: Turn | undefined, t_ms: number): void {
    const argumentsText = canonicalJson(call.arguments);
    const key = `${call.name} ${this.#options.hash(argumentsText)}`;
    if (call.by === "agent") {
      const lookup = this.#lookups.get(key);
      if (lookup !== undefined) lookup.again = true;
    }
    if (call.by !== "flow" && turn !== undefined && turn !== this.#turn?.turn) {
      this.#endTurn();
      this.#turnNumber++;
      this.#turn = { turn, calls: 0, beganMs: t_ms, firstTool: call.name };
    }
    if (call.by !== "flow" && this.#turn !== undefined) this.#turn.calls++;
    const turnNumber = Math.max(this.#turnNumber, 0);
    this.#open.set(call.id, {
      call,
      number: this.#numbers++,
      turn: turnNumber,
      sentMs: t_ms,
      argumentsText,
    });
  }

  #ended(step: CallStep, message: WireMessage, characters: number): void {
    const open = this.#open.get(step.call.id);
    if (open === undefined) return;
    this.#open.delete(step.call.id);
    if (step.kind !== "answered") {
      return this.#call(open, "cancelled", message.t_ms, null, undefined);
    }
    const { result } = step;
    const isRefused = result.error && message.from === "proxy" && open.call.by === "agent";
    const outcome = isRefused ? "refused" : result.error ? "error" : "done";
    this.#call(open, outcome, message.t_ms, characters, result);
    if (!isRefused) return;
    this.#take("refusals", {
      ...this.#place,
      call: open.call.id,
      turn: open.turn,
      tool: open.call.name,
      refused: this.#at(message.t_ms),
      checks: CHECKS.exec(result.content)?.[1] ?? null,
      reason: this.#options.withValues ? result.content : null,
    });
  }

  #call(
    { call, number, turn, sentMs, argumentsText }: Open,
    outcome: string,
    endMs: number | null,
    characters: number | null,
    result: CallResult | undefined,
  ): void {
    const { hash, withValues } = this.#options;
    const duration_ms = endMs === null ? null : endMs - sentMs;
    const common = {
      ...this.#place,
      call: call.id,
      turn,
      tool: call.name,
      sent: this.#at(sentMs),
      outcome,
      duration_ms,
    };
    const arguments_hash = hash(argumentsText);
    this.#take("calls", {
      ...common,
      number,
      caller: call.by,
      arguments_chars: argumentsText.length,
      result_chars: characters === null ? null : Math.round(characters),
      arguments_hash,
      result_hash: result === undefined ? null : hash(result.content),
      arguments: withValues ? argumentsText : null,
      result: withValues && result !== undefined ? result.content : null,
    });
    if (call.by !== "flow") return;
    const key = `${call.name} ${arguments_hash}`;
    const before = this.#lookups.get(key);
    if (before !== undefined) this.#take("lookups", { ...before.row, called_again: before.again });
    this.#lookups.set(key, { row: common, again: false });
  }

  #endTurn(): void {
    if (this.#turn === undefined) return;
    const { calls, beganMs, firstTool } = this.#turn;
    this.#take("turns", {
      ...this.#place,
      turn: this.#turnNumber,
      began: this.#at(beganMs),
      calls,
      first_tool: firstTool,
    });
    this.#turn = undefined;
  }

  #at(t_ms: number): number {
    return this.#header.started_unix_ms + t_ms;
  }
}
