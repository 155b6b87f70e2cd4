/**
 * Many hosts, one modern server on stdio: their ids and progress tokens are
 * their own, so each request gets an id of ours on its way to the server, and
 * what comes back gets its host's again.
 *
 * Only those values are replaced, by their bytes; digits past 2^53, duplicate
 * keys, key order and spaces elsewhere stay. What the server says without naming
 * a request goes to nobody, since it could only be guessed whose it is; a log
 * message does, when one open request alone has asked for such.
 *
 * @module
 */

import { LOG_LEVEL_KEY, SUBSCRIPTION_KEY } from "../mcp/era.ts";
import { type Span, spanText, stringAt, valueAt, valuesOf } from "../json/json_spans.ts";
import { type Message, writtenId } from "../wire/message.ts";
import { editJson, type JsonEdit } from "../json/edit_json.ts";

/** A request under way. */
interface Guest<T> {
  readonly owner: T;
  /** The host's id, as written. */
  readonly id: string;
  /** The host's progress token, as written. */
  readonly token: string | undefined;
  readonly wantsLogs: boolean;
}

/** A message of the server, on its way to the host it is for. */
export interface Routed<T> {
  /** Whose it is. */
  readonly owner: T;
  /** The message, with the host's own values. */
  readonly line: Uint8Array;
  /** Whether nothing comes after it. */
  readonly isLast: boolean;
}

/** Requests of many hosts on one connection. */
export class FanIn<T> {
  readonly #guests = new Map<string, Guest<T>>();
  #count = 0;

  /** Requests under way. */
  get size(): number {
    return this.#guests.size;
  }

  /**
   * Takes a request in.
   *
   * @param message The request.
   * @param owner Whose it is.
   * @returns Its id toward the server, as written, and the request with it.
   */
  take(message: Message, owner: T): { readonly id: string; readonly line: Uint8Array } {
    const { bytes, span, params } = message;
    const id = String(++this.#count);
    const tokens = valuesOf(bytes, params, "_meta").flatMap((meta) =>
      valuesOf(bytes, meta, "progressToken")
    );
    const token = tokens.at(-1);
    this.#guests.set(id, {
      owner,
      id: writtenId(message) ?? "null",
      token: token === undefined ? undefined : spanText(bytes, token),
      wantsLogs: valueAt(bytes, params, "_meta", LOG_LEVEL_KEY) !== undefined,
    });
    const places = [...valuesOf(bytes, span, "id"), ...tokens];
    const line = editJson(bytes, places.map((place) => ({ span: place, text: id })), span);
    return { id, line };
  }

  /** Forgets a request; whether it was under way. */
  drop(id: string): boolean {
    return this.#guests.delete(id);
  }

  /** Forgets all requests. */
  dropAll(): { readonly owner: T; readonly id: string }[] {
    const all = [...this.#guests.values()];
    this.#guests.clear();
    return all;
  }

  /**
   * Finds whose a message of the server is.
   *
   * @param message The message.
   * @returns Its host's own form of it; undefined when it is nobody's.
   */
  route(message: Message): Routed<T> | undefined {
    if (message.kind === "response") return this.#response(message);
    if (message.kind !== "notification") return undefined; // Modern servers ask nothing.
    switch (message.method) {
      case "notifications/progress":
        return this.#by(message, valueAt(message.bytes, message.params, "progressToken"), {
          with: (guest) => guest.token ?? "null",
        });
      case "notifications/cancelled":
        return this.#cancelled(message);
      case "notifications/message":
        return this.#log(message);
      default:
        return this.#bySubscription(message);
    }
  }

  #response(message: Message): Routed<T> | undefined {
    const { bytes, span, result } = message;
    const id = writtenId(message) ?? "null";
    const guest = this.#guests.get(id);
    if (guest === undefined) return undefined;
    this.#guests.delete(id);
    const edits = valuesOf(bytes, span, "id").map((place): JsonEdit => ({
      span: place,
      text: guest.id,
    }));
    const subscription = valueAt(bytes, result, "_meta", SUBSCRIPTION_KEY);
    if (subscription !== undefined && named(bytes, subscription) === id) {
      edits.push({ span: subscription, text: inForm(bytes, subscription, guest.id) });
    }
    return { owner: guest.owner, line: editJson(bytes, edits, span), isLast: true };
  }

  #cancelled(message: Message): Routed<T> | undefined {
    const { bytes, params } = message;
    const place = valueAt(bytes, params, "requestId");
    const routed = this.#by(message, place, { with: (guest) => guest.id });
    if (routed === undefined || place === undefined) return undefined;
    this.#guests.delete(named(bytes, place));
    return { ...routed, isLast: true };
  }

  #log(message: Message): Routed<T> | undefined {
    const own = this.#bySubscription(message);
    if (own !== undefined) return own;
    const asked = [...this.#guests.values()].filter((guest) => guest.wantsLogs);
    const [only] = asked;
    if (only === undefined || asked.length > 1) return undefined;
    const { bytes, span } = message;
    return { owner: only.owner, line: bytes.subarray(span.start, span.end), isLast: false };
  }

  #bySubscription(message: Message): Routed<T> | undefined {
    const place = valueAt(message.bytes, message.params, "_meta", SUBSCRIPTION_KEY);
    return this.#by(message, place, { with: (guest) => guest.id });
  }

  /** Routes by the value at a place, which is one of our ids, and puts the host's there. */
  #by(
    { bytes, span }: Message,
    place: Span | undefined,
    put: { readonly with: (guest: Guest<T>) => string },
  ): Routed<T> | undefined {
    if (place === undefined) return undefined;
    const guest = this.#guests.get(named(bytes, place));
    if (guest === undefined) return undefined;
    const edit = { span: place, text: inForm(bytes, place, put.with(guest)) };
    return { owner: guest.owner, line: editJson(bytes, [edit], span), isLast: false };
  }
}

/** Our id that a value names: some servers write it as a string. */
function named(bytes: Uint8Array, place: Span): string {
  return stringAt(bytes, place) ?? spanText(bytes, place);
}

/** A host's value where the server has ours: as a string where the server made a string of it. */
function inForm(bytes: Uint8Array, place: Span, own: string): string {
  const isString = stringAt(bytes, place) !== undefined;
  return isString && !own.startsWith('"') ? JSON.stringify(own) : own;
}
