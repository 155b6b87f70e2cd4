/**
 * Says what a request that was not recorded differs in from the nearest that was.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { isObject } from "../json/json.ts";

/** How a recorded request differs. */
export interface RequestDifference {
  readonly recorded: unknown;
  /** JSON pointers of what differs. */
  readonly at: readonly string[];
}

/** The most differences that are named. */
const MAX_NAMED = 5;

/**
 * Finds the recorded params with the fewest differences.
 *
 * @param asked The params of the request.
 * @param recorded The params of the recorded ones.
 * @returns The nearest; undefined when none was recorded.
 */
export function nearestRequest(
  asked: unknown,
  recorded: readonly unknown[],
): RequestDifference | undefined {
  const found = recorded.map((params) => ({ recorded: params, at: differences(asked, params, "") }))
    .sort((a, b) => a.at.length - b.at.length)[0];
  return found && { ...found, at: found.at.slice(0, MAX_NAMED) };
}

function differences(a: unknown, b: unknown, path: string): string[] {
  if (isObject(a) && isObject(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => {
      const place = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const isInBoth = Object.hasOwn(a, key) && Object.hasOwn(b, key);
      return isInBoth ? differences(a[key], b[key], place) : [place];
    });
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.flatMap((item: unknown, i) => differences(item, b[i], `${path}/${i}`));
  }
  return canonicalJson(a) === canonicalJson(b) ? [] : [path === "" ? "/" : path];
}
