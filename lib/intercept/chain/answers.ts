/**
 * Answers to calls: what one of the server says, and one of the proxy's own.
 *
 * @module
 */

import { at, isObject } from "../../json/json.ts";
import { callResult } from "../../trace/call_result.ts";
import type { CallAnswer, TextAnswer } from "./interceptor.ts";
import type { SeenMessage } from "./seen.ts";

const encoder = new TextEncoder();

/** Reads the answer to a call, as every reader of logs does. */
export function readAnswer({ value }: SeenMessage): CallAnswer {
  const { result, error } = value;
  return callResult({
    result: isObject(result) ? result : undefined,
    error: error === undefined ? undefined : isObject(error) ? error : {},
  });
}

/** Whether the server asks for input before it answers. */
export function asksForInput({ value }: SeenMessage): boolean {
  return at(value, "result", "resultType") === "input_required";
}

/**
 * Writes the answer of a tool that the server never saw.
 *
 * @param id The request's id, as written.
 * @param answer Its text, and whether it is an error.
 * @param era Whether results of the session's era name their type.
 * @returns A line.
 */
export function resultLine(
  id: string,
  { text, isError }: TextAnswer,
  { isModern }: { readonly isModern: boolean },
): Uint8Array {
  const result = {
    ...(isModern ? { resultType: "complete" } : {}),
    content: [{ type: "text", text }],
    isError,
  };
  return encoder.encode(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`);
}
