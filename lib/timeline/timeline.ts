/**
 * Prints a session as a timeline: time, source and content of each message, turn by
 * turn.
 *
 * Every message has a line, including late answers and lines that are not JSON. Long
 * texts are cut at the end of the line. Control characters are escaped, so a log
 * cannot drive the terminal.
 *
 * @module
 */

import { excerpt, printable } from "../text/printable.ts";
import { type Call, COMMIT_TOOL } from "../trace/calls.ts";
import { describeAnswer, describeParams } from "./describe.ts";
import { episodeEvents, type EpisodeOptions, type PlacedEvent } from "../trace/log_episode.ts";
import { headerLines } from "./header_lines.ts";
import { at, jsonText } from "../json/json.ts";
import { type Paint, type PaintRole, plainPaint } from "../text/paint.ts";
import type { WireExchange } from "../trace/pairing.ts";
import type { Trace } from "../trace/trace.ts";
import { isOfModel } from "./summary.ts";
import type {
  WireMessage,
  WireNotification,
  WireRequest,
  WireResponse,
} from "../trace/wire_messages.ts";

/** Options for {@linkcode timeline}. */
export interface TimelineOptions extends EpisodeOptions {
  /**
   * Colours the parts of a line.
   *
   * @default {plainPaint}
   */
  paint?: Paint;
  /**
   * Columns to fill before a line is cut.
   *
   * @default {120}
   */
  width?: number;
}

/** The parts of one line. */
interface Row {
  readonly who: PaintRole;
  /** The name to print instead of the role. */
  readonly label?: string;
  /** `→` to the server, `←` to the host, `·` otherwise. */
  readonly arrow: "→" | "←" | "·";
  /** The method or tool. */
  readonly what: string;
  /** Its content; cut to fit. */
  readonly text: string;
  /** Ids and durations; never cut. */
  readonly note?: string;
  readonly isError?: boolean;
  /** Keeps spaces and line ends. */
  readonly isRaw?: true;
}

/** Columns of the time (`  1234.567 s`) and of who (`server`), with the gaps around them. */
const TIME_WIDTH = 9;
const WHO_WIDTH = 7;

/**
 * Prints the timeline of a session.
 *
 * @param trace The trace of the session.
 * @param options Colours, width, and the time limit between calls of one turn.
 * @returns Lines of text.
 */
export function timeline(trace: Trace, options: TimelineOptions = {}): string[] {
  const { paint = plainPaint, width = 120 } = options;
  const placed = episodeEvents(trace, options);
  const lines = headerLines(trace, placed.map(({ event }) => event), paint);
  const headings = turnHeadings(placed);
  lines.push("");
  for (const message of trace.messages) {
    const heading = headings.get(message.index);
    if (heading !== undefined) lines.push("", paint("heading", heading));
    lines.push(layOut(row(trace, message), message.t_ms, paint, width));
  }
  return lines;
}

function turnHeadings(placed: readonly PlacedEvent[]): Map<number, string> {
  const headings = new Map<number, string>();
  for (const { index, event } of placed) {
    if (event.kind !== "assistant" || !isOfModel(event)) continue;
    headings.set(index, `turn ${headings.size + 1}`);
  }
  return headings;
}

function row(trace: Trace, message: WireMessage): Row {
  switch (message.kind) {
    case "spoken": {
      const who = message.role === "user" ? "user" : "agent";
      return { who, arrow: "·", what: "", text: message.text };
    }
    case "noise": {
      const { who, arrow } = sender(message);
      return { who, arrow, what: "not a message:", text: message.text, isRaw: true };
    }
    case "notification":
      return notificationRow(trace, message);
    case "request":
      return requestRow(trace, message);
    case "response":
      return responseRow(trace, message);
  }
}

function requestRow(trace: Trace, request: WireRequest): Row {
  const call = trace.steps.get(request.index)?.call;
  if (call === undefined) {
    const text = describeParams(request.method, request.params);
    return { ...sender(request), what: request.method, text, note: idNote(request.id) };
  }
  const isResumed = trace.steps.get(request.index)?.kind === "resumed";
  const who = call.by === "agent" ? "agent" : call.by === "flow" ? "flow" : "proxy";
  return {
    who,
    label: call.by,
    arrow: "→",
    what: isResumed ? `${call.name}, resumed with input` : call.name,
    text: jsonText(call.arguments),
    note: idNote(call.id),
  };
}

function responseRow(trace: Trace, response: WireResponse): Row {
  const exchange = trace.pairs.byMessage.get(response.index);
  if (exchange === undefined) {
    const text = jsonText(response.error ?? response.result);
    return { ...sender(response), what: `answer to no request ${response.id ?? ""}`.trim(), text };
  }
  const { request } = exchange;
  const isError = response.error !== undefined || at(response.result, "isError") === true;
  return {
    ...sender(response),
    what: subject(trace, exchange) + lateness(exchange, response, trace),
    text: describeAnswer(request, response),
    note: `${response.t_ms - request.t_ms} ms`,
    isError,
  };
}

/** A note on an answer that is not a plain first one. */
function lateness(exchange: WireExchange, response: WireResponse, trace: Trace): string {
  if (trace.steps.get(response.index)?.kind === "paused") return ", asks for input";
  if (exchange.cancelled !== undefined) return ", after it was cancelled";
  const first = exchange.answers[0];
  if (response === first) return response.from === "proxy" ? ", the proxy's answer" : "";
  return response.from === "proxy" ? ", what the agent got" : ", answered again";
}

function notificationRow(trace: Trace, notice: WireNotification): Row {
  const base = { ...sender(notice), what: notice.method.replace(/^notifications\//, "") };
  const cancelled = trace.pairs.byMessage.get(notice.index);
  if (cancelled !== undefined) return { ...base, text: subject(trace, cancelled) };
  const token = at(notice.params, "progressToken");
  const text = describeParams(notice.method, notice.params);
  return token === undefined ? { ...base, text } : { ...base, text, note: `of ${jsonText(token)}` };
}

/** The tool for a call, the method for any other request. */
function subject(trace: Trace, { request }: WireExchange): string {
  const call: Call | undefined = trace.steps.get(request.index)?.call;
  return call?.name ?? request.method;
}

function sender(message: WireMessage): { who: PaintRole; arrow: Row["arrow"] } {
  const isAnswer = message.kind === "response";
  switch (message.from) {
    case "client":
      return { who: "host", arrow: "→" };
    case "server":
      return { who: "server", arrow: "←" };
    case "proxy":
      return { who: "proxy", arrow: isAnswer ? "←" : "→" };
    case "context":
      return { who: "host", arrow: "·" };
  }
}

function idNote(id: string): string {
  return `#${id}`;
}

function layOut(row: Row, t_ms: number, paint: Paint, width: number): string {
  const time = `${(t_ms / 1000).toFixed(3).padStart(TIME_WIDTH)} s`;
  const who = (row.label ?? row.who).padEnd(WHO_WIDTH);
  const what = excerpt(row.what, 60);
  const mark = row.isError ? "ERROR " : "";
  const note = row.note === undefined ? "" : `  ${printable(row.note)}`;
  const used = [time, "  ", who, row.arrow, " ", what, " ", mark, note].join("").length;
  const room = Math.max(24, width - used);
  // A result of many lines reads better as one; a line that is not JSON is shown unchanged.
  const start = row.text.slice(0, 4096);
  const text = excerpt(row.isRaw ? start : start.replaceAll(/\s+/g, " ").trim(), room);
  const isOurs = row.what === COMMIT_TOOL || row.who === "proxy" || row.who === "flow";
  return [
    paint("faint", time),
    "  ",
    paint(row.who, `${who}${row.arrow}`),
    row.what === "" ? "" : ` ${isOurs ? paint(row.who, what) : what}`,
    mark === "" ? "" : ` ${paint("error", mark.trim())}`,
    text === "" ? "" : ` ${row.isError ? paint("error", text) : text}`,
    paint("faint", note),
  ].join("");
}
