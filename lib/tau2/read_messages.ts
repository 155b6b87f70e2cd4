/**
 * Converts the messages of one τ² run to the events of an episode.
 *
 * @module
 */

import type { Call } from "../trace/calls.ts";
import type { RecordedEvent } from "../trace/recorded_episode.ts";
import { at, isObject, type JsonObject, textAt } from "../json/json.ts";
import { ResultsSyntaxError } from "./results_error.ts";

/** The place of messages, for errors. */
export interface MessagesPlace {
  /** The file. */
  readonly path: string;
  /** The path of the run in the file. */
  readonly where: string;
}

/** The token with which the simulated customer ends a conversation. */
const END_TOKEN = /###(?:STOP|TRANSFER|OUT-OF-SCOPE)###/g;

/**
 * Converts the messages of a run.
 *
 * @param messages The messages, in the shape of either benchmark.
 * @param place Their place in the file.
 * @returns The events, without the customer's own tool calls and the fixed greeting.
 * @throws {ResultsSyntaxError} When an item is not a message.
 */
export function readTau2Messages(
  messages: readonly unknown[],
  place: MessagesPlace,
): RecordedEvent[] {
  const reader = new MessageReader(place);
  messages.forEach((message, i) => reader.take(message, i));
  return reader.events;
}

class MessageReader {
  readonly events: RecordedEvent[] = [];
  readonly #place: MessagesPlace;
  readonly #ids = new Set<string>();
  /** Calls without a result, oldest first, under the id the file gives them. */
  #waiting: { readonly given: string | undefined; readonly call: Call }[] = [];
  #isFirst = true;

  constructor(place: MessagesPlace) {
    this.#place = place;
  }

  take(message: unknown, index: number): void {
    const role = textAt(message, "role");
    const where = `${this.#place.where}.messages[${index}]`;
    if (role === undefined) throw new ResultsSyntaxError(this.#place.path, where, "has no role");
    if (role === "system" || !isObject(message)) return;
    const text = contentText(message.content);
    const isGreeting = this.#isFirst && role === "assistant" && calls(message).length === 0;
    this.#isFirst = false;
    if (isGreeting) return;
    if (role === "user") {
      const said = text.replace(END_TOKEN, "").trim();
      if (said !== "") this.events.push({ kind: "user", text: said });
    } else if (role === "assistant") this.#assistant(message, text, where);
    else if (role === "tool") this.#result(message, text);
  }

  #assistant(message: JsonObject, text: string, where: string): void {
    const made = calls(message).flatMap((raw, i) => {
      const given = textAt(raw, "id");
      const name = textAt(raw, "name") ?? textAt(raw, "function", "name");
      if (name === undefined) {
        throw new ResultsSyntaxError(this.#place.path, `${where}.tool_calls[${i}]`, "has no name");
      }
      const args = argumentsOf(at(raw, "arguments") ?? at(raw, "function", "arguments"));
      const call: Call = { id: this.#freshId(given), name, arguments: args, by: "agent" };
      this.#waiting.push({ given, call });
      return [call];
    });
    const usage = null;
    this.events.push({ kind: "assistant", text: text === "" ? null : text, calls: made, usage });
  }

  #result(message: JsonObject, text: string): void {
    if (message.requestor === "user") return;
    const id = textAt(message, "id") ?? textAt(message, "tool_call_id");
    const found = this.#waiting.findIndex((w) => id !== undefined && w.given === id);
    const [waited] = this.#waiting.splice(Math.max(found, 0), 1);
    if (waited === undefined) return; // An answer without a call is ignored.
    this.events.push({
      kind: "tool_result",
      call_id: waited.call.id,
      name: waited.call.name,
      error: message.error === true || text.startsWith("Error"),
      content: text,
    });
  }

  #freshId(given: string | undefined): string {
    const base = given ?? `call-${this.#ids.size + 1}`;
    let id = base;
    for (let n = 2; this.#ids.has(id); n++) id = `${base}#${n}`;
    this.#ids.add(id);
    return id;
  }
}

function calls(message: unknown): readonly unknown[] {
  const list = at(message, "tool_calls");
  return Array.isArray(list) ? list.filter((c) => at(c, "requestor") !== "user") : [];
}

function argumentsOf(value: unknown): JsonObject {
  if (typeof value !== "string") return isObject(value) ? value : {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((item) => textAt(item, "text") ?? "").join("\n");
}
