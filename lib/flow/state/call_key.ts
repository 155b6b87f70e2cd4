/**
 * The identity of a call: its tool and its arguments, however their keys are ordered.
 *
 * @module
 */

import { canonicalJson } from "../../json/canonical_json.ts";
import type { JsonObject } from "../../json/json.ts";

export { canonicalJson } from "../../json/canonical_json.ts";

/**
 * Names a call.
 *
 * @param tool The tool.
 * @param args Its arguments.
 * @returns Text that two calls share when they are the same.
 */
export function callKey(tool: string, args: JsonObject): string {
  return `${tool} ${canonicalJson(args)}`;
}
