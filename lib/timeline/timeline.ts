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
import type { LogLine } from "../log/log.ts";
import { type FollowedMessage, LogFollower } from "./log_follower.ts";
import type { Overview } from "./overview.ts";
import { COMMIT_TOOL } from "../trace/calls.ts";
import { describeAnswer, describeParams } from "./describe.ts";
import { headerLines } from "./header_lines.ts";
import { at, jsonText } from "../json/json.ts";
import { type Paint, type PaintRole, plainPaint } from "../text/paint.ts";
import type { WireExchange } from "../trace/pairing.ts";
import type {
  WireMessage,
  WireNotification,
  WireRequest,
  WireResponse,
} from "../trace/wire_messages.ts";

/** Options for {@linkcode Timeline}. */
export interface TimelineOptions {
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

/** Prints the timeline of one session, line by line. */
export class Timeline {
  readonly #overview: Overview;
  readonly #paint: Paint;
  readonly #width: number;
  readonly #follower = new LogFollower({});
  #turn = 0;
  #lines = 0;

  /**
   * Starts before the first line.
   *
   * @param overview The session at a glance.
   * @param options Colours and width.
   */
  constructor(overview: Overview, options: TimelineOptions = {}) {
    this.#overview = overview;
    this.#paint = options.paint ?? plainPaint;
    this.#width = options.width ?? 120;
  }

  /** The lines above the messages. */
  header(): string[] {
    return [...headerLines(this.#overview, this.#paint), ""];
  }

  /**
   * Prints the next line of the log.
   *
   * @param line The line.
   * @returns Lines of text; none for a line that the overview did not see.
   */
  take(line: LogLine): string[] {
    if (++this.#lines > this.#overview.summary.lines) return [];
    return this.#follower.take(line).flatMap((followed) => {
      const { index, t_ms } = followed.message;
      const laid = layOut(row(followed), t_ms, this.#paint, this.#width);
      if (this.#overview.turnStarts[this.#turn] !== index) return [laid];
      return ["", this.#paint("heading", `turn ${++this.#turn}`), laid];
    });
  }
}

function row(followed: FollowedMessage): Row {
  const { message } = followed;
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
      return notificationRow(followed, message);
    case "request":
      return requestRow(followed, message);
    case "response":
      return responseRow(followed, message);
  }
}

function requestRow({ step }: FollowedMessage, request: WireRequest): Row {
  if (step === undefined) {
    const text = describeParams(request.method, request.params);
    return { ...sender(request), what: request.method, text, note: idNote(request.id) };
  }
  const { call } = step;
  const who = call.by === "agent" ? "agent" : call.by === "flow" ? "flow" : "proxy";
  return {
    who,
    label: call.by,
    arrow: "→",
    what: step.kind === "resumed" ? `${call.name}, resumed with input` : call.name,
    text: jsonText(call.arguments),
    note: idNote(call.id),
  };
}

function responseRow(followed: FollowedMessage, response: WireResponse): Row {
  const { exchange } = followed;
  if (exchange === undefined) {
    const text = jsonText(response.error ?? response.result);
    return { ...sender(response), what: `answer to no request ${response.id ?? ""}`.trim(), text };
  }
  const { request } = exchange;
  const isError = response.error !== undefined || at(response.result, "isError") === true;
  return {
    ...sender(response),
    what: subject(followed, exchange) + lateness(followed, exchange, response),
    text: describeAnswer(request, response),
    note: `${response.t_ms - request.t_ms} ms`,
    isError,
  };
}

/** A note on an answer that is not a plain first one. */
function lateness(
  { step }: FollowedMessage,
  exchange: WireExchange,
  response: WireResponse,
): string {
  if (step?.kind === "paused") return ", asks for input";
  if (exchange.cancelled !== undefined) return ", after it was cancelled";
  if (response.index === exchange.answers[0]?.index) {
    return response.from === "proxy" ? ", the proxy's answer" : "";
  }
  return response.from === "proxy" ? ", what the agent got" : ", answered again";
}

function notificationRow(followed: FollowedMessage, notice: WireNotification): Row {
  const base = { ...sender(notice), what: notice.method.replace(/^notifications\//, "") };
  const { exchange } = followed;
  if (exchange !== undefined) return { ...base, text: subject(followed, exchange) };
  const token = at(notice.params, "progressToken");
  const text = describeParams(notice.method, notice.params);
  return token === undefined ? { ...base, text } : { ...base, text, note: `of ${jsonText(token)}` };
}

/** The tool for a call, the method for any other request. */
function subject({ call }: FollowedMessage, { request }: WireExchange): string {
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
