/**
 * Shows only some of the server's tools, and refuses calls of the others, whoever makes them.
 *
 * @module
 */

import { at, jsonText, textAt } from "../../json/json.ts";
import { globPattern } from "../../text/glob.ts";
import { editedList, erredLine, readingFault } from "../chain/edit_list.ts";
import {
  type AnswerCrossing,
  type Interceptor,
  PASS,
  refuseCall,
  type Verdict,
} from "../chain/interceptor.ts";

/**
 * Makes the interceptor of one session.
 *
 * @param globs Patterns of names, with `*` and `?`.
 * @returns The interceptor.
 */
export function onlyInterceptor(globs: readonly string[]): Interceptor {
  const patterns = globs.map(globPattern);
  const isShown = (name: string) => patterns.some((pattern) => pattern.test(name));
  return {
    name: "tools",
    mayRefuse: true,
    onMessage(crossing) {
      if (crossing.kind === "answer") return shownAnswer(crossing, isShown);
      if (crossing.kind !== "request" || crossing.message.method !== "tools/call") return PASS;
      const tool = crossing.call?.tool;
      if (tool !== undefined && isShown(tool)) return PASS;
      return refuseCall(
        `Refused: ${jsonText(tool ?? null)} is not among the tools that --tools lets through.`,
      );
    },
  };
}

/** The list without what is not shown. A list that hosts may read in two ways is no list. */
function shownAnswer(
  { message, method }: AnswerCrossing,
  isShown: (name: string) => boolean,
): Verdict {
  const tools = at(message.value, "result", "tools");
  // Hosts may read ids more loosely, so an answer to no known request counts too.
  if (method !== "tools/list" && method !== undefined) return PASS;
  if (!Array.isArray(tools)) return PASS;
  try {
    const fault = readingFault(message);
    if (fault !== undefined) throw new TypeError(fault);
    const line = editedList(message, "tools", (index) => {
      const name = textAt(tools[index], "name");
      return name !== undefined && isShown(name) ? "keep" : "cut";
    });
    return line === undefined ? PASS : { kind: "replace", line };
  } catch {
    const why = "Refused: the server's list of tools cannot be read, so --tools cannot cut it";
    return { kind: "replace", line: erredLine(message, why) };
  }
}
