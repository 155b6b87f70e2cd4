/**
 * An interceptor as a program that embeds Hoist writes one: the part of the chain's own
 * interface that the library promises. A program has its own timers, logs and clients, so the
 * chain's ports for those are left out.
 *
 * @module
 */

import type { CallAnswer, ChainCall, Verdict } from "../intercept/chain/interceptor.ts";
import type { JsonObject } from "../json/json.ts";

/** A message that crosses a relay. */
export interface StreamMessage {
  /** Its kind; `other` is JSON that is not a JSON-RPC message. */
  readonly kind: "request" | "notification" | "response" | "other";
  /** The method of a request or notification. */
  readonly method: string | undefined;
  /** The parsed message. Changing it changes nothing on the wire. */
  readonly value: JsonObject;
  /** The line it came in, without its newline; a batch has several messages in one line. */
  readonly bytes: Uint8Array;
  /** Copies the message, whose bytes are valid only until `onMessage` returns. */
  kept(): StreamMessage;
}

/**
 * A message on its way through the interceptors: a request, the answer to one, a request that
 * gets no answer, or any other message. `call` is set for a call of a tool.
 */
export type StreamCrossing =
  | {
    readonly kind: "request";
    readonly message: StreamMessage;
    readonly call: ChainCall | undefined;
    /** Whether the host has given the request up. */
    readonly isCancelled: () => boolean;
  }
  | {
    readonly kind: "answer";
    readonly message: StreamMessage;
    /** The method of the request; undefined if the relay has not seen it. */
    readonly method: string | undefined;
    readonly call: ChainCall | undefined;
    /** What the call returned. */
    readonly answer: CallAnswer | undefined;
  }
  | { readonly kind: "cancel"; readonly call: ChainCall | undefined }
  | {
    readonly kind: "note";
    readonly from: "host" | "server";
    readonly message: StreamMessage;
  };

/** Acts on the messages of one session. */
export interface StreamInterceptor {
  /** Its name in messages about it. */
  readonly name: string;
  /**
   * Whether it may refuse a call. If it throws or rejects, the call is then refused; otherwise
   * the message passes. A line that cannot be checked is answered with an error, too.
   *
   * @default {false}
   */
  readonly mayRefuse?: boolean;
  /**
   * Looks at a message. Host messages come in the order of the list, server messages in the
   * reverse order.
   *
   * @param crossing The message, and what the relay knows about it.
   * @returns What becomes of it. A promise holds this one message, and others overtake it; it
   *   must settle, or the relay does not end.
   */
  onMessage(crossing: StreamCrossing): Verdict | Promise<Verdict>;
  /**
   * Takes a request that every interceptor let pass, just before it is sent: what the server
   * really sees.
   */
  onSent?(request: Extract<StreamCrossing, { readonly kind: "request" }>): void;
  /**
   * A tool of its own, which the host sees among those of the server. A call of it comes to
   * `onMessage` like any other, and has to be answered there.
   */
  readonly tool?: {
    readonly name: string;
    /** Its entry in `tools/list`, as JSON text. */
    readonly listing: string;
    /** A sentence that is added to the server's instructions. */
    readonly instruction: string;
  };
  /** One side has ended: lets go of every message it holds. Called once. */
  close?(): void;
}

/**
 * Makes the interceptor of one session, so that sessions share no state. `say` tells the user,
 * as {@linkcode RelayOptions.say} does.
 */
export type StreamInterceptorFactory = (
  session: { readonly say: (line: string) => void },
) => StreamInterceptor;
