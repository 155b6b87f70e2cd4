/**
 * Reads values of unknown shape safely. A peer's message may differ from what MCP says.
 *
 * @module
 */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, arrays excluded. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path of keys; undefined where the path breaks off. Own properties only. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  let here = value;
  for (const key of keys) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
}

/** The string at a path of keys; undefined when the value is not a string. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === "string" ? found : undefined;
}

/** The value as compact JSON; a note when it is nested too deep to print. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return '"(nested too deep to show)"';
  }
}

/** Whether two JSON values are equal; key order does not count. */
export function sameJson(left: unknown, right: unknown): boolean {
  // A stack, not recursion: what peers send may be nested deeper than calls can be.
  const rest: [unknown, unknown][] = [[left, right]];
  for (let pair = rest.pop(); pair !== undefined; pair = rest.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (Array.isArray(a)) {
      if (!Array.isArray(b) || a.length !== b.length) return false;
      a.forEach((item, i) => rest.push([item, b[i]]));
    } else {
      if (!isObject(a) || !isObject(b)) return false;
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length) return false;
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        rest.push([a[key], b[key]]);
      }
    }
  }
  return true;
}

/**
 * Parses a text that may be JSON.
 *
 * @param text Any text.
 * @returns The value; undefined when the text is not JSON.
 */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
