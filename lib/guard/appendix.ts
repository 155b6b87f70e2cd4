/**
 * Splits a result from the lookups that a flow appended to it, which count as facts too.
 *
 * @module
 */

import { isObject, type JsonObject } from "../json/json.ts";

/** The first line of an appendix. */
export const APPENDIX_LINE =
  "--- Also looked up automatically (current results; no need to repeat these calls) ---";

/** A lookup read back from an appendix. */
export interface LookupInAppendix {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly content: string;
}

/** A result without its appendix, and the lookups of the appendix. */
export interface SplitResult {
  readonly own: string;
  readonly appended: readonly LookupInAppendix[];
}

/**
 * Splits a result from its appendix.
 *
 * @param content The result's text.
 * @returns The result of the agent's own call, and the appended lookups in order.
 */
export function splitAppendix(content: string): SplitResult {
  const start = content.startsWith(APPENDIX_LINE) ? 0 : content.indexOf(`\n${APPENDIX_LINE}\n`);
  if (start < 0) return { own: content, appended: [] };
  const body = content.slice(content.indexOf(APPENDIX_LINE, start) + APPENDIX_LINE.length);
  const appended: { tool: string; arguments: JsonObject; lines: string[] }[] = [];
  for (const line of body.split("\n")) {
    const head = headOf(line);
    if (head !== undefined) appended.push({ ...head, lines: [] });
    else appended.at(-1)?.lines.push(line);
  }
  return {
    own: content.slice(0, start),
    appended: appended.map(({ lines, ...head }) => ({
      ...head,
      content: lines.join("\n").trimEnd(),
    })),
  };
}

function headOf(line: string): { tool: string; arguments: JsonObject } | undefined {
  const [, tool, json] = /^(\S+) (\{.*\}):$/.exec(line) ?? [];
  if (tool === undefined || json === undefined) return undefined;
  try {
    const args: unknown = JSON.parse(json);
    return isObject(args) ? { tool, arguments: args } : undefined;
  } catch {
    return undefined;
  }
}
