/**
 * What the host has told a server and a restarted one must hear again: its own
 * `initialize` (or `server/discover`) and `initialized`, the log level and the
 * subscriptions. The lines are the host's bytes; only ids change.
 *
 * @module
 */

import { editJson } from "../../json/edit_json.ts";
import { stringAt, valueAt } from "../../json/json_spans.ts";
import { idKey, type Message, writtenId } from "../../wire/message.ts";
import { offerOf, type ServerOffer } from "./server_offer.ts";

/** A line of ours, and the key of its id. */
export interface OwnLine {
  readonly key: string;
  readonly line: Uint8Array;
}

/** The host's own words. */
export class Spoken {
  #hello: Message | undefined;
  #offer: ServerOffer | undefined;
  #initialized: Uint8Array | undefined;
  #logLevel: Message | undefined;
  readonly #subscriptions = new Map<string, Message>();
  #sent = 0;

  /** What the host knows of the server; undefined before it has an answer. */
  get offer(): ServerOffer | undefined {
    return this.#offer;
  }

  /** The host's `initialized`, once it was sent. */
  get initialized(): Uint8Array | undefined {
    return this.#initialized;
  }

  /** Reads a message of the host that goes to the server; `line` is all of its line. */
  host(message: Message, line: Uint8Array): void {
    const { method, bytes, params } = message;
    const uri = () => stringAt(bytes, valueAt(bytes, params, "uri")) ?? "";
    switch (method) {
      case "initialize":
        this.#hello = message;
        this.#offer = this.#initialized = this.#logLevel = undefined;
        this.#subscriptions.clear();
        return;
      case "server/discover":
        // Of a host that tries both eras, `initialize` counts.
        if (this.#hello?.method !== "initialize") this.#hello = message;
        return;
      case "notifications/initialized":
        this.#initialized = line;
        return;
      case "logging/setLevel":
        this.#logLevel = message;
        return;
      case "resources/subscribe":
        this.#subscriptions.set(uri(), message);
        return;
      case "resources/unsubscribe":
        this.#subscriptions.delete(uri());
    }
  }

  /** A line has not reached the server: it waits for the next, and is not ours to repeat. */
  unsent(line: Uint8Array): void {
    if (this.#initialized === line) this.#initialized = undefined;
  }

  /** Reads an answer of the server that goes to the host. */
  answered(answer: Message): void {
    const hello = this.#hello && writtenId(this.#hello);
    const id = writtenId(answer);
    if (hello === undefined || id === undefined || idKey(hello) !== idKey(id)) return;
    this.#offer = offerOf(answer) ?? this.#offer;
  }

  /** The host's greeting with an id of ours; undefined when there is nothing to greet with. */
  greeting(): OwnLine | undefined {
    return this.#offer === undefined ? undefined : this.#again(this.#hello);
  }

  /** Requests that restore the log level and the subscriptions. */
  restoring(): OwnLine[] {
    return [this.#logLevel, ...this.#subscriptions.values()]
      .flatMap((message) => this.#again(message) ?? []);
  }

  #again(message: Message | undefined): OwnLine | undefined {
    if (message?.id === undefined) return undefined;
    const key = JSON.stringify(`hoist-restart-${++this.#sent}`);
    const edits = [{ span: message.id, text: key }];
    return { key, line: editJson(message.bytes, edits, message.span) };
  }
}
