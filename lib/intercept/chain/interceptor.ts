/**
 * What an interceptor is, what it may be told, and what it may answer.
 *
 * Required are a name and one method. Everything else is an ability: an interface of its
 * own that the chain looks for. A factory makes one interceptor for each session, so that
 * sessions share no state.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import type { SeenMessage } from "./seen.ts";

/** Calls back once after so many milliseconds; the function it returns calls that off. */
export type Later = (ms: number, ring: () => void) => () => void;

/** Acts on the messages of one session. */
export interface Interceptor {
  /** Its name in messages about it. */
  readonly name: string;
  /**
   * Whether it may refuse a call. If it fails, the call is then refused; otherwise the
   * message passes.
   */
  readonly mayRefuse?: boolean;
  /**
   * Looks at a message. Host messages arrive in the order of the chain, server messages in
   * the reverse order.
   *
   * @param crossing The message, and what the chain knows about it. Its bytes are valid until
   *   this returns; a message that is kept must be copied with `kept()`.
   * @returns What becomes of it. A promise holds this one message; others overtake it.
   */
  onMessage(crossing: Crossing): Verdict | Promise<Verdict>;
}

/** Makes the interceptor of one session. */
export type InterceptorFactory = (ports: InterceptorPorts) => AbleInterceptor;

/** A message on its way through the chain. */
export type Crossing = RequestCrossing | AnswerCrossing | CancelCrossing | NoteCrossing;

/** A request on its way to the server: the host's, or one that an interceptor nearer to it makes. */
export interface RequestCrossing {
  readonly kind: "request";
  readonly message: SeenMessage;
  /** The call, if the request is a `tools/call` that names a tool. */
  readonly call: ChainCall | undefined;
  /** Whether the sender has given the request up. */
  readonly isCancelled: () => boolean;
}

/** The answer of the server to such a request. */
export interface AnswerCrossing {
  readonly kind: "answer";
  readonly message: SeenMessage;
  /** The method of the request; undefined if the chain has not seen it. */
  readonly method: string | undefined;
  /** Whether the request asked for the first page of a list. */
  readonly isFirstPage: boolean;
  /** The call that is answered. */
  readonly call: ChainCall | undefined;
  /** What the call returned; undefined if it is no call, or if the server asks for input first. */
  readonly answer: CallAnswer | undefined;
}

/** A request that will get no answer: its sender gave it up, or the server never answered. */
export interface CancelCrossing {
  readonly kind: "cancel";
  /** The key of the request's id. */
  readonly key: string;
  readonly call: ChainCall | undefined;
}

/** Any other message, in either direction. */
export interface NoteCrossing {
  readonly kind: "note";
  readonly from: "host" | "server";
  readonly message: SeenMessage;
}

/** A call of a tool. */
export interface ChainCall {
  /** The id of its request, as written. */
  readonly id: string;
  /** A name that no other call of the session has. */
  readonly name: string;
  /** The tool's name. */
  readonly tool: string;
  /** Its arguments; empty if there are none, or no object. */
  readonly arguments: JsonObject;
  /** Who makes it: the agent, or the interceptor of this name. */
  readonly by: string;
  /** Whether it only reads, and the agent did not ask for it: a lookup of a flow. */
  readonly isLookup: boolean;
  /** Whether it continues a call for which the server had asked for input. */
  readonly isResumed: boolean;
  /** Calls of its turn known so far, itself included, and whether the agent spoke with it. */
  readonly turn: { readonly calls: number; readonly hasText: boolean };
}

/** What a call returned. */
export interface CallAnswer {
  /** Whether it failed. */
  readonly error: boolean;
  /** Its text. */
  readonly content: string;
}

/** What becomes of a message. */
export type Verdict =
  /** It goes on as it is. */
  | { readonly kind: "pass" }
  /** A request goes no further: this is its answer, now or later. A refused one that is no call gets an error. */
  | { readonly kind: "answer"; readonly answer: TextAnswer | Promise<TextAnswer> }
  /** An answer goes on as this line: the whole line the message came in, with a splice in it. */
  | { readonly kind: "replace"; readonly line: Uint8Array };

/** The answer of a tool that the server never saw. */
export interface TextAnswer {
  /** Its one block of content. */
  readonly text: string;
  /** Whether the host is told that the call failed. */
  readonly isError: boolean;
}

/**
 * The message goes on as it is.
 *
 * @example Usage
 * ```ts
 * import { PASS, type StreamInterceptor } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const idle: StreamInterceptor = { name: "idle", onMessage: () => PASS };
 * assertEquals(idle.onMessage({ kind: "cancel", call: undefined }), { kind: "pass" });
 * ```
 */
export const PASS: Verdict = { kind: "pass" };

/**
 * Answers a call with an error, so that the server never sees it.
 *
 * @example Usage
 * ```ts
 * import { refuseCall } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const answer = { text: "Refused: ask first.", isError: true };
 * assertEquals(refuseCall("Refused: ask first."), { kind: "answer", answer });
 * ```
 *
 * @param text Tells the agent why, and what to do instead.
 * @returns The verdict.
 */
export function refuseCall(text: string): Verdict {
  return { kind: "answer", answer: { text, isError: true } };
}

/** Ability: hears the conversation between the user and the agent. */
export interface Hearing {
  /** Takes a message of the conversation. */
  heard(role: "user" | "assistant", text: string): void;
}

/** Ability: brings news from outside the session. */
export interface Waking {
  /** Looks for news. Called before each call of a tool is recorded and judged. */
  wake(): void;
}

/** Ability: is told what really goes to the server. */
export interface Noting {
  /** Takes a request that every interceptor let pass, just before it is sent. */
  onSent(request: RequestCrossing): void;
}

/** Ability: adds a tool to those of the server. */
export interface Advertising {
  readonly tool: {
    readonly name: string;
    /** Its entry in `tools/list`, as JSON text. */
    readonly listing: string;
    /** A sentence for the server's instructions. */
    readonly instruction: string;
  };
}

/** Ability: has something to hand on or to stop when the session ends. */
export interface Closable {
  /** The server answers no more: lets go of every message it holds. */
  close(): void;
}

/** Ability: lets no line of the server through that cannot be read. */
export interface Strict {
  readonly isStrict: boolean;
}

/** An interceptor with any of the abilities. */
export type AbleInterceptor =
  & Interceptor
  & Partial<Hearing & Waking & Noting & Advertising & Closable & Strict>;

/** What the chain offers an interceptor. */
export interface InterceptorPorts {
  /** Calls a tool. The call passes the interceptors between this one and the server. */
  readonly call: (tool: string, args: JsonObject, how: CallHow) => OwnCall;
  /** Sends any other request the same way; its answer, or undefined if none came in time. */
  readonly ask: (
    method: string,
    params: JsonObject,
    ms: number,
  ) => Promise<SeenMessage | undefined>;
  /**
   * Gives up a call of the agent that the server has: the server is told to cancel it, the host
   * gets this text as an error, and what the server still says to it goes no further.
   */
  readonly withdraw: (call: ChainCall, text: string) => void;
  /** Notifies the host, where its transport has a way for it. */
  readonly notify: (method: string, params: JsonObject) => void;
  /** Hands a message of the conversation to all that hear, and records it. */
  readonly hear: (said: Said) => void;
  /** Lets all that wake look for news. */
  readonly wake: () => void;
  /** The agent's turn. */
  readonly turn: AgentTurn;
  readonly later: Later;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
  /** Tells the user. */
  readonly say: (line: string) => void;
}

/** How a call is made. */
export interface CallHow {
  /** How long it may take, in milliseconds. */
  readonly ms: number;
  /**
   * Whether it only reads, and the agent did not ask for it: then the server is told when it is
   * given up. Default: false.
   */
  readonly isLookup?: boolean;
  /** The progress token of the request it is made for. */
  readonly token?: unknown;
}

/** A call under way that an interceptor makes. */
export interface OwnCall {
  /** Settles with what came of it; never rejects. */
  readonly reply: Promise<OwnAnswer>;
  /** Gives it up. */
  cancel(): void;
}

/** What came of a call that an interceptor made. */
export type OwnAnswer =
  | { readonly kind: "answer"; readonly error: boolean; readonly content: string }
  /** An interceptor refused it: the server never saw it. */
  | { readonly kind: "refused"; readonly text: string }
  /** No answer: too late, given up, or the session ended. */
  | { readonly kind: "none"; readonly why: "late" | "cancelled" | "closed" | "input" };

/** A message of the conversation. */
export interface Said {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Its JSON, for the log. */
  readonly line: Uint8Array;
}

/** The agent's turn: the calls that wait for an answer at the same time. */
export interface AgentTurn {
  /** Calls of the turn that wait. */
  readonly inTurn: number;
  /** Calls back when a call left its turn without an answer. */
  onBroken(listener: () => void): void;
}
