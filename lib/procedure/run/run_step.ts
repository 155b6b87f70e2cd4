/**
 * The events, effects and options of a run.
 *
 * @module
 */

import type { ReadResult } from "../../flow/state/flow_state.ts";
import type { JsonObject } from "../../json/json.ts";
import type { RunInput } from "./run_state.ts";

/** A call to make. */
export interface RunCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly isRead: boolean;
}

/** What the caller does next. */
export type RunEffect =
  | { readonly kind: "call"; readonly call: RunCall }
  /** Ask a person whether a write may be made. */
  | { readonly kind: "ask"; readonly call: RunCall }
  | { readonly kind: "end" };

/** What the caller reports back. */
export type RunEvent =
  | { readonly kind: "begin" }
  | { readonly kind: "answered"; readonly error: boolean; readonly content: string }
  | { readonly kind: "confirmed" }
  | { readonly kind: "declined" }
  /** No answer will arrive: the server ended, or the call timed out. */
  | { readonly kind: "lost"; readonly reason: string };

/** The rules over one run. */
export interface RunGuard {
  /** The reason a call is refused; undefined when it is not. */
  refusal(call: RunCall): string | undefined;
  /** Adds the answer of a call to the facts. */
  answered(call: RunCall, error: boolean, content: string): void;
}

/** Options of a run. */
export interface RunOptions extends RunInput {
  /** Parses results. */
  readonly read: ReadResult;
  readonly guard?: RunGuard | undefined;
  /** Whether to make reads only, and continue as if each write had been made. */
  readonly isDry?: boolean;
  /** Whether to ask before each write. */
  readonly confirmsWrites?: boolean;
}
