/**
 * Finds out which HTTP transport an upstream speaks, as the specification says: `initialize` is
 * POSTed; a server that refuses it with 400, 404 or 405 may be one of the first transport.
 *
 * @module
 */

import { readJsonRpc } from "../../wire/message.ts";
import { reasonOf } from "../../text/reason.ts";
import type { HeaderList, SendLimits, UpstreamLink, UpstreamResponse } from "./link.ts";

/** Statuses with which an old server refuses a POST. */
const OLD = [400, 404, 405];

/**
 * Whether an upstream may be of the first transport.
 *
 * @param body What was POSTed.
 * @param status What it was answered with.
 * @returns Whether it is `initialize`, refused as old servers do.
 */
export function mayBeOld(body: Uint8Array, status: number): boolean {
  return OLD.includes(status) && isInitialize(body);
}

function isInitialize(body: Uint8Array): boolean {
  return readJsonRpc(body).messages[0]?.method === "initialize";
}

/** A link of the first transport. */
export interface OldLink extends UpstreamLink {
  /** Opens its stream; rejects where there is none. */
  open(headers: HeaderList): Promise<void>;
}

/** A link to an upstream whose transport is not known yet. */
export class FoundLink implements UpstreamLink {
  readonly #present: UpstreamLink;
  readonly #old: OldLink;
  readonly #say: (line: string) => void;
  #found: UpstreamLink | undefined;

  /** Tries `present` first. */
  constructor(present: UpstreamLink, old: OldLink, say: (line: string) => void) {
    this.#present = present;
    this.#old = old;
    this.#say = say;
  }

  async post(body: Uint8Array, headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    if (this.#found !== undefined) return await this.#found.post(body, headers, limits);
    const response = await this.#present.post(body, headers, limits);
    if (!isInitialize(body)) return response;
    if (!mayBeOld(body, response.status)) {
      this.#found = this.#present;
      return response;
    }
    try {
      await this.#old.open(headers);
    } catch (error) {
      this.#say(`no HTTP+SSE server either: ${reasonOf(error)}`);
      return response;
    }
    await response.discard();
    this.#say("the upstream speaks the first HTTP transport, HTTP+SSE");
    this.#found = this.#old;
    return await this.#old.post(body, headers, limits);
  }

  get(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    return (this.#found ?? this.#present).get(headers, limits);
  }

  delete(headers: HeaderList, limits: SendLimits): Promise<UpstreamResponse> {
    return (this.#found ?? this.#present).delete(headers, limits);
  }
}
