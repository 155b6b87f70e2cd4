/**
 * What goes into a run and what comes out of it: events, effects, options.
 *
 * @module
 */

import type { ReadResult } from "../../flow/state/flow_state.ts";
import type { JsonObject } from "../../json/json.ts";
import type { RunInput } from "./run_state.ts";

/** A call that is to be made. */
export interface RunCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly isRead: boolean;
}

/** What is to be done next. */
export type RunEffect =
  | { readonly kind: "call"; readonly call: RunCall }
  /** Ask a person whether a write may be made. */
  | { readonly kind: "ask"; readonly call: RunCall }
  | { readonly kind: "end" };

/** What happened. */
export type RunEvent =
  | { readonly kind: "begin" }
  | { readonly kind: "answered"; readonly error: boolean; readonly content: string }
  | { readonly kind: "confirmed" }
  | { readonly kind: "declined" }
  /** No answer will come: the server is gone, or took too long. */
  | { readonly kind: "lost"; readonly reason: string };

/** Rules that may refuse a call. */
export interface RunGuard {
  /** Why a call is refused; undefined when it is not. */
  refusal(call: RunCall): string | undefined;
  /** A call was answered. */
  answered(call: RunCall, error: boolean, content: string): void;
}

/** How to run. */
export interface RunOptions extends RunInput {
  /** How results are read. */
  readonly read: ReadResult;
  readonly guard?: RunGuard | undefined;
  /** Make reads only, and go on as if each write had been made. */
  readonly isDry?: boolean;
  /** Ask before each write. */
  readonly confirmsWrites?: boolean;
}
