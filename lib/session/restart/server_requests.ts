/**
 * Requests of the server to the host, over the lives of several servers. A new
 * server counts its ids from the start: without care the host's answer to the
 * old server's request 1 would be taken for an answer to the new one's.
 *
 * @module
 */

import { editJson } from "../../json/edit_json.ts";
import { spanText, valueAt } from "../../json/json_spans.ts";
import { cancelled } from "../../wire/rpc_error.ts";
import { idKey, type Message, writtenId } from "../../wire/message.ts";

/** The open requests of servers. */
export class ServerRequests {
  /** Open requests of the present server: key as the host knows it, id as the server wrote it. */
  readonly #open = new Map<string, string>();
  /** Keys of requests whose server has ended, and that the host may still answer. */
  readonly #dead = new Set<string>();
  #renamed = 0;

  /** A request of the server; the line for the host, with another id where it must have one. */
  asked(message: Message, line: Uint8Array): Uint8Array {
    const id = writtenId(message);
    if (id === undefined || message.id === undefined) return line;
    if (!this.#dead.has(idKey(id))) {
      this.#open.set(idKey(id), id);
      return line;
    }
    const other = JSON.stringify(`hoist-asked-${++this.#renamed}`);
    this.#open.set(other, id);
    return editJson(line, [{ span: message.id, text: other }]);
  }

  /** An answer of the host; the line for the server, undefined when its server has ended. */
  answered(message: Message, line: Uint8Array): Uint8Array | undefined {
    const id = writtenId(message);
    if (id === undefined || message.id === undefined) return line;
    const key = idKey(id);
    if (this.#dead.delete(key)) return undefined;
    const own = this.#open.get(key);
    this.#open.delete(key);
    return own === undefined || own === id
      ? line
      : editJson(line, [{ span: message.id, text: own }]);
  }

  /** The server gives a request up; the line for the host, which knows the request's id. */
  cancelled({ bytes, params }: Message, line: Uint8Array): Uint8Array {
    const span = valueAt(bytes, params, "requestId");
    if (span === undefined) return line;
    const own = spanText(bytes, span);
    const found = [...this.#open].find(([, id]) => id === own);
    if (found === undefined) return line;
    const [key] = found;
    // The host may answer all the same; the answer then goes to the server, as it does without us.
    return key === idKey(own) ? line : editJson(line, [{ span, text: key }]);
  }

  /** The server has ended; the cancellations for the host. */
  ended(): Uint8Array[] {
    const keys = [...this.#open.keys()];
    this.#open.clear();
    keys.forEach((key) => this.#dead.add(key));
    return keys.map((key) => cancelled(key, "the server has ended"));
  }
}
