/**
 * What may act on a session besides a flow, and what acting needs: the ports
 * between the session and what stands in it or around it.
 *
 * @module
 */

import type { JsonObject } from "../json/json.ts";

/** A call before it is made. */
export interface GatedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Calls of its turn that are known so far, this one included; whether the agent spoke with it. */
  readonly turn: { readonly calls: number; readonly hasText: boolean };
}

/** A call with its answer, whoever made it. */
export interface GateAnswer {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly error: boolean;
  readonly content: string;
}

/** What stands before the agent's calls: policy rules, a judge. One a session. */
export interface CallGate {
  /** Something was said in the conversation. */
  heard(role: "user" | "assistant", text: string): void;
  /**
   * Looks at a call before the server does.
   *
   * @returns The text the agent gets instead of an answer; undefined when the call may be made.
   *   Never rejects.
   */
  check(call: GatedCall): string | undefined | Promise<string | undefined>;
  /** A call was answered: the agent's, a commit's or a flow's. */
  answered(call: GateAnswer): void;
}

/** How a call of an added tool goes on. */
export interface AddedCall {
  readonly arguments: JsonObject;
  /** Makes a call of the server's, past the gate; its answer, or the gate's text as an error. */
  readonly call: (tool: string, args: JsonObject) => Promise<AddedAnswer>;
  /** Whether the host has given it up. */
  readonly isCancelled: () => boolean;
}

/** The answer to a call that an added tool made. */
export interface AddedAnswer {
  readonly error: boolean;
  readonly content: string;
  /** Whether the gate refused it, so that it never reached the server. */
  readonly isRefused: boolean;
}

/** A tool that the proxy adds to the server's. */
export interface AddedTool {
  readonly name: string;
  /** Its entry in `tools/list`, as JSON text. */
  readonly listing: string;
  /** A sentence for the server's instructions. */
  readonly instruction: string;
  /** Runs it; never rejects. The text and whether it is an error. */
  run(call: AddedCall): Promise<{ readonly text: string; readonly isError: boolean }>;
}

/** Something said in the conversation, with its line for the log. */
export interface ContextMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** The message's JSON, for the log. */
  readonly line: Uint8Array;
}

/** The conversation, as far as it has come. */
export interface ContextFeed {
  /** What was said since the last look. Never throws. */
  poll(): readonly ContextMessage[];
}

/** Where the session's lines are recorded. */
export interface ActiveLog {
  /** `isJson` tells that the line is known to be one JSON value; else it is looked at again. */
  client(line: Uint8Array, isJson: boolean): void;
  server(line: Uint8Array, isJson: boolean): void;
  proxy(line: Uint8Array): void;
  context(line: Uint8Array): void;
}

/** What an active session stands between. Lines are without their newline. */
export interface ActivePorts {
  readonly toServer: (line: Uint8Array) => void;
  /** The way of what the proxy sends on its own; by default `toServer`. */
  readonly toServerOwn?: (line: Uint8Array) => void;
  /** The number of the next request of the proxy's, above the last; by default a count. */
  readonly nextNumber?: (last: number) => number;
  readonly toHost: (line: Uint8Array) => void;
  readonly log: ActiveLog | undefined;
  /** Appends lines to the flow log, parted by newlines and without the last one. */
  readonly flowLog: (line: string) => void;
  readonly monotonicMs: () => number;
  /** Calls back once after so many milliseconds; the function it returns calls that off. */
  readonly later: (ms: number, ring: () => void) => () => void;
  readonly say: (line: string) => void;
}
