/**
 * Makes the spans of one session, line by line: one for each request, and at its end one for the
 * session. Names and attributes are those of the semantic conventions for MCP and GenAI.
 *
 * Memory is bounded by open requests. Ids are made of the session's id and the place of the request
 * in its log, so that a span has the same id at every export.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { at, jsonText, textAt } from "../json/json.ts";
import type { LogHeader, LogLine } from "../log/log.ts";
import type { Call, CallStep } from "../trace/calls.ts";
import { CallFinder } from "../trace/calls.ts";
import { Pairer, type WireExchange } from "../trace/pairing.ts";
import { PartyFinder } from "../trace/parties.ts";
import { messagesOf, type WireMessage, type WireRequest } from "../trace/wire_messages.ts";
import { parseTraceparent, type SessionSpan, type SpanPlace } from "./spans.ts";

/** Options for {@linkcode SessionSpans}. */
export interface SpanOptions {
  /** Whether arguments, results, resources' addresses and errors' texts stand in the spans. */
  readonly withValues: boolean;
}

type Attributes = Record<string, string | number | boolean>;

/** A request that has no answer yet. */
interface Open {
  readonly index: number;
  readonly startMs: number;
  readonly method: string;
  /** The tool or prompt it is about. */
  readonly target: string | undefined;
  readonly parent: SpanPlace | undefined;
  readonly attributes: Attributes;
}

/** Makes the spans of one session. */
export class SessionSpans {
  readonly #header: LogHeader;
  readonly #take: (span: SessionSpan) => void;
  readonly #options: SpanOptions;
  readonly #session: SpanPlace;
  readonly #pairer = new Pairer({ keeps: "heads" });
  readonly #calls = new CallFinder({ keeps: "heads" });
  readonly #parties = new PartyFinder();
  readonly #open = new Map<WireExchange, Open>();
  #index = 0;
  #isOver = false;
  #lastMs = 0;
  #requests = 0;
  #errors = 0;

  /** Starts before the first line; `take` gets each span when it ends. */
  constructor(header: LogHeader, take: (span: SessionSpan) => void, options: SpanOptions) {
    this.#header = header;
    this.#take = take;
    this.#options = options;
    this.#session = {
      traceId: digits(`${header.session} trace`, 32),
      spanId: digits(`${header.session} session`, 16),
    };
  }

  /** The number of messages so far, and half of one more once the session has ended. */
  get place(): number {
    return this.#index + (this.#isOver ? 0.5 : 0);
  }

  /** Takes the next line. */
  take(line: LogLine): void {
    const messages = messagesOf(line, this.#index);
    this.#index += messages.length;
    this.#lastMs = Math.max(this.#lastMs, line.t_ms);
    for (const message of messages) this.#follow(message);
  }

  /** Ends the session: requests that are open have no answer. */
  end(): void {
    this.#isOver = true;
    for (const open of this.#open.values()) this.#span(open, this.#lastMs, "unanswered", {});
    this.#open.clear();
    const header = this.#header;
    const { client, server, protocol, model } = this.#parties.parties;
    const agent = header.agent_model ?? model;
    this.#take({
      ...this.#session,
      parentSpanId: undefined,
      link: undefined,
      name: `session ${header.domain ?? header.server_name ?? server?.name ?? ""}`.trim(),
      isRequest: false,
      startUnixMs: header.started_unix_ms,
      endUnixMs: header.started_unix_ms + this.#lastMs,
      error: undefined,
      attributes: given({
        "mcp.session.id": header.session,
        "mcp.protocol.version": protocol,
        "gen_ai.request.model": agent,
        "gen_ai.conversation.id": header.host_session,
        "hoist.host.name": client?.name,
        "hoist.host.version": client?.version,
        "hoist.server.name": server?.name,
        "hoist.server.version": server?.version,
        "hoist.domain": header.domain ?? undefined,
        "hoist.requests": this.#requests,
        "hoist.errors": this.#errors,
      }),
      place: this.place,
    });
  }

  #follow(message: WireMessage): void {
    const exchange = this.#pairer.take(message);
    this.#parties.take(message, exchange);
    if (exchange === undefined) return;
    const step = this.#calls.take(message, exchange);
    if (message.kind === "request") {
      this.#requests++;
      this.#open.set(exchange, this.#begun(message, step));
      return;
    }
    const open = this.#open.get(exchange);
    if (open === undefined) return;
    if (message.kind === "notification") {
      this.#open.delete(exchange);
      return this.#span(open, message.t_ms, "cancelled", {});
    }
    if (message.kind !== "response" || message.index !== exchange.answers[0]?.index) return;
    this.#open.delete(exchange);
    this.#answered(open, message, step);
  }

  #begun(request: WireRequest, step: CallStep | undefined): Open {
    const { method, params, from } = request;
    const call: Call | undefined = step?.call;
    const name = textAt(params, "name");
    const isTool = method === "tools/call";
    const isPrompt = method === "prompts/get";
    const { withValues } = this.#options;
    return {
      index: request.index,
      startMs: request.t_ms,
      method,
      target: isTool || isPrompt ? name : undefined,
      parent: parseTraceparent(textAt(params, "_meta", "traceparent")),
      attributes: given({
        "mcp.method.name": method,
        "mcp.session.id": this.#header.session,
        "mcp.protocol.version": this.#parties.parties.protocol,
        "jsonrpc.request.id": request.id,
        "network.transport": /^https?:/.test(this.#header.server_command[0] ?? "") ? "tcp" : "pipe",
        "gen_ai.operation.name": isTool ? "execute_tool" : undefined,
        "gen_ai.tool.name": isTool ? name : undefined,
        "gen_ai.prompt.name": isPrompt ? name : undefined,
        "gen_ai.tool.call.arguments": isTool && withValues
          ? jsonText(at(params, "arguments") ?? {})
          : undefined,
        "mcp.resource.uri": withValues ? textAt(params, "uri") : undefined,
        "hoist.caller": call?.by ??
          (from === "server" ? "server" : from === "client" ? "host" : "proxy"),
      }),
    };
  }

  #answered(open: Open, message: WireMessage & { kind: "response" }, step: CallStep | undefined) {
    const { withValues } = this.#options;
    const { error, result } = message;
    const code = at(error, "code");
    const isToolError = at(result, "isError") === true;
    const isRefused = message.from === "proxy" && (isToolError || error !== undefined);
    const outcome = isRefused ? "refused" : error !== undefined || isToolError ? "error" : "done";
    this.#span(open, message.t_ms, outcome, {
      "rpc.response.status_code": error === undefined ? undefined : String(code),
      "hoist.refused": isRefused || undefined,
      "gen_ai.tool.call.result": withValues && step?.kind === "answered"
        ? step.result.content
        : undefined,
      "exception.message": withValues ? textAt(error, "message") : undefined,
    }, error === undefined ? "tool_error" : String(code));
  }

  #span(
    open: Open,
    endMs: number,
    outcome: "done" | "error" | "refused" | "cancelled" | "unanswered",
    more: Readonly<Record<string, string | number | boolean | undefined>>,
    kind?: string,
  ): void {
    const { index, startMs, method, target, parent, attributes } = open;
    const started = this.#header.started_unix_ms;
    const error = outcome === "done" ? undefined : kind ?? outcome;
    if (error !== undefined) this.#errors++;
    this.#take({
      traceId: parent?.traceId ?? this.#session.traceId,
      spanId: digits(`${this.#header.session} ${index}`, 16),
      parentSpanId: parent?.spanId ?? this.#session.spanId,
      link: parent === undefined ? undefined : this.#session,
      name: target === undefined ? method : `${method} ${target}`,
      isRequest: true,
      startUnixMs: started + startMs,
      endUnixMs: started + endMs,
      error,
      attributes: {
        ...attributes,
        ...given({ ...more, "error.type": error, "hoist.outcome": outcome }),
      },
      place: this.place,
    });
  }
}

/** Attributes that have a value. */
function given(all: Readonly<Record<string, string | number | boolean | undefined>>): Attributes {
  return Object.fromEntries(
    Object.entries(all).flatMap(([key, value]) => value === undefined ? [] : [[key, value]]),
  );
}

/** Hexadecimal digits that a text always gives, and no other does. */
function digits(text: string, count: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, count);
}
