/**
 * The host's requests that the server has not answered, and whether each may be
 * made again after a crash.
 *
 * A request may be made again when the specification or the server's own
 * `readOnlyHint` says that it changes nothing. It is made again once, so that a
 * request that ends its server does not end the next one too. Anything else
 * might be done twice, and is never made again.
 *
 * @module
 */

import { at, jsonOrUndefined, textAt } from "../../json/json.ts";
import { spanText, stringAt, valueAt } from "../../json/json_spans.ts";
import { idKey, type Message, writtenId } from "../../wire/message.ts";

/** Requests that change nothing, or set what they set before. */
const READS: ReadonlySet<string> = new Set([
  "initialize",
  "server/discover",
  "ping",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
  "tasks/get",
  "tasks/list",
]);

/** The request of a modern host that stays open for notifications. */
export const LISTEN = "subscriptions/listen";

/** A request at the server. */
export interface OpenRequest {
  /** Its id as it was written. */
  readonly id: string;
  readonly method: string;
  /** The line to send again; undefined when that is not allowed. */
  readonly again: Uint8Array | undefined;
  /** The request itself. */
  readonly message: Message;
}

/** What becomes of the open requests of a server that has ended. */
export interface Settled {
  /** To be sent to the next server. */
  readonly again: readonly OpenRequest[];
  /** To be answered with an error. */
  readonly failed: readonly OpenRequest[];
}

/** The open requests of a session, by the key of their id. */
export class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();
  /** Those that were sent again already. */
  readonly #repeated = new Set<string>();
  readonly #readTools = new Set<string>();

  /** Whether nothing is waited for but notifications. */
  get isIdle(): boolean {
    return [...this.#open.values()].every(({ method }) => method === LISTEN);
  }

  /** Open requests that stay open for notifications. */
  get listening(): readonly OpenRequest[] {
    return [...this.#open.values()].filter(({ method }) => method === LISTEN);
  }

  /** A request goes to the server; `line` is what it came in, undefined for part of a batch. */
  add(message: Message, line: Uint8Array | undefined): void {
    const id = writtenId(message);
    if (id === undefined) return;
    const method = message.method ?? "";
    const again = this.#isRead(message) ? line : undefined;
    this.#open.set(idKey(id), { id, method, again, message });
  }

  /** The request has not reached the server, or needs no answer any more. */
  remove(id: string): void {
    this.#open.delete(idKey(id));
    this.#repeated.delete(idKey(id));
  }

  /** The server has answered; the request, undefined when none was open. */
  answered(answer: Message): OpenRequest | undefined {
    const id = writtenId(answer);
    const request = id === undefined ? undefined : this.#open.get(idKey(id));
    if (id === undefined || request === undefined) return undefined;
    this.remove(id);
    if (request.method === "tools/list") this.#learn(request, answer);
    return request;
  }

  /**
   * The server has ended.
   *
   * @param isPlanned Whether it was ended for a change of its files: then its tools may have
   *   changed, and no call is made again.
   * @returns Every open request; none is open after.
   */
  settle(isPlanned: boolean): Settled {
    const again: OpenRequest[] = [];
    const failed: OpenRequest[] = [];
    for (const [key, request] of this.#open) {
      const { method } = request;
      const mayRepeat = request.again !== undefined &&
        (method === LISTEN || !this.#repeated.has(key)) &&
        !(isPlanned && method === "tools/call");
      (mayRepeat ? again : failed).push(request);
      if (mayRepeat) this.#repeated.add(key);
      else this.#repeated.delete(key);
    }
    this.#open.clear();
    return { again, failed };
  }

  #isRead(message: Message): boolean {
    const { bytes, method, params } = message;
    if (method !== "tools/call") return READS.has(method ?? "");
    const name = stringAt(bytes, valueAt(bytes, params, "name"));
    // The tasks of a server end with it.
    const isTask = valueAt(bytes, params, "task") !== undefined;
    return name !== undefined && this.#readTools.has(name) && !isTask;
  }

  /** Remembers which of the listed tools say that they only read. */
  #learn(request: OpenRequest, { bytes, result }: Message): void {
    if (result === undefined) return;
    const tools = at(jsonOrUndefined(spanText(bytes, result)), "tools");
    if (!Array.isArray(tools)) return;
    const { message } = request;
    const isFirstPage = valueAt(message.bytes, message.params, "cursor") === undefined;
    if (isFirstPage) this.#readTools.clear();
    for (const tool of tools) {
      const name = textAt(tool, "name");
      if (name === undefined) continue;
      const isRead = at(tool, "annotations", "readOnlyHint") === true;
      if (isRead) this.#readTools.add(name);
      else this.#readTools.delete(name);
    }
  }
}
