/**
 * The rules of a POST that differ between the eras.
 *
 * @module
 */

import type { Message } from "../../wire/message.ts";
import type { HeaderList, UpstreamResponse } from "./link.ts";

/** A POST, as its era sees it. */
export interface PostOfEra {
  /** The bytes sent. */
  readonly body: Uint8Array;
  /** The messages in them. */
  readonly messages: readonly Message[];
  /** The session id that was sent along. */
  sentSession: string | undefined;
}

/** The era's ruling on an answer: pass it, replace it, or send the request again. */
export type AnswerRuling =
  | { readonly kind: "pass" }
  | { readonly kind: "replace"; readonly line: Uint8Array }
  | { readonly kind: "again" };

/** The rules of an era. */
export interface Era {
  /** The headers of the POST. */
  headers(post: PostOfEra): HeaderList | Promise<HeaderList>;
  /** Notes a response whose head has arrived. */
  opened(post: PostOfEra, response: UpstreamResponse): void;
  /** Judges a response message before the host gets it. */
  answered(post: PostOfEra, answer: Message): AnswerRuling;
  /** Whether a refusal means that the session is lost. */
  isLost(post: PostOfEra, status: number, body: Uint8Array | undefined): boolean;
  /** Prepares a second try; false when there is none. */
  recover(post: PostOfEra): Promise<boolean>;
  /** Resumes a stream after an event; absent in an era without resumption. */
  resume?(lastEventId: string, signal: AbortSignal): Promise<UpstreamResponse>;
}
