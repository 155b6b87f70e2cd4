/**
 * Says at which line and column a text stops being JSON. The message never quotes the
 * text, which may hold secrets.
 *
 * @module
 */

/** A token, with the blanks before it. */
const TOKEN =
  // deno-lint-ignore no-control-regex
  /\s*(?:[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/uyg;

/**
 * Finds the place of a JSON syntax error.
 *
 * @param error The error of `JSON.parse`.
 * @param text The text it was given.
 * @returns For example `: line 3, column 5`; empty when only the order of tokens is wrong and the
 *   parser names no place.
 */
export function jsonFaultPlace(error: unknown, text: string): string {
  const offset = offsetOf(error instanceof Error ? error.message : "", text);
  if (offset === undefined) return "";
  const lines = text.slice(0, offset).split("\n");
  return `: line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

function offsetOf(message: string, text: string): number | undefined {
  const said = /position (\d+)/.exec(message)?.[1];
  if (said !== undefined) return Number(said);
  if (message.includes("end of JSON")) return text.length;
  let end = 0;
  for (const token of text.matchAll(TOKEN)) end = token.index + token[0].length;
  const rest = text.slice(end).trimStart();
  return rest === "" ? undefined : text.length - rest.length;
}
