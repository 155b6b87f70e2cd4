/**
 * Puts what a flow looked up where a host hands it to the model, in the result's own bytes.
 *
 * Claude Code and Codex give the model `structuredContent` alone where a result has it; other
 * hosts give it `content`. So a result that carries lookups has them in one more text item of
 * `content`, and its `structuredContent` under another key. Where no item of `content` says the
 * same, one is added with its text. Clients check `structuredContent` against the tool's
 * `outputSchema`, so the listing of tools that a flow may follow has that under another key too.
 * Every other byte stays, and the original can be cut out again.
 *
 * @module
 */

import { APPENDIX_LINE } from "../../../guard/appendix.ts";
import { canonicalJson } from "../../../json/canonical_json.ts";
import { editJson, type JsonEdit } from "../../../json/edit_json.ts";
import {
  elements,
  isArrayAt,
  keyIs,
  members,
  type Span,
  spanText,
  stringAt,
  valueAt,
} from "../../../json/json_spans.ts";
import type { Message } from "../../../wire/message.ts";

/** What stands before a key that hosts shall not read. */
const ASIDE = "hoist/";
/** Marks an item that says what was set aside, so that the original can be cut out again. */
const FROM_STRUCTURED = `"_meta":{"${ASIDE}from":"structuredContent"}`;

/** A lookup whose result the agent is given. */
export interface AppendedLookup {
  readonly tool: string;
  /** Its arguments, compact JSON. */
  readonly args: string;
  /** Its result's text. */
  readonly content: string;
}

/**
 * The text the agent is given.
 *
 * @param lookups The lookups, in order.
 * @param leftOut Lookups that did not fit.
 * @returns A blank line, since some hosts glue items together; a heading; each call with its
 *   result, separated by empty lines.
 */
export function appendixText(
  lookups: readonly AppendedLookup[],
  leftOut: readonly Pick<AppendedLookup, "tool" | "args">[] = [],
): string {
  const names = leftOut.map(({ tool, args }) => `${tool} ${args}`).join(", ");
  const note = leftOut.length === 0 ? [] : [`Left out, too long for one result: ${names}`];
  const parts = lookups.map(({ tool, args, content }) => `${tool} ${args}:\n${content}`);
  return `\n${[APPENDIX_LINE, ...note, ...parts].join("\n\n")}`;
}

/** What hosts count of a result, before anything is appended. */
export interface OwnText {
  /** The texts that the model is given. */
  readonly texts: readonly string[];
  /** What `structuredContent` says, where no item of `content` says the same. */
  readonly structured: string | undefined;
}

/**
 * Reads what a host gives the model of a result.
 *
 * @param message The response.
 * @returns Its texts; undefined if it has no list of content, and nothing can be appended.
 */
export function ownText(message: Message): OwnText | undefined {
  const { bytes } = message;
  const content = valueAt(bytes, message.result, "content");
  if (content === undefined || !isArrayAt(bytes, content)) return undefined;
  const texts = elements(bytes, content).flatMap((item) =>
    stringAt(bytes, valueAt(bytes, item, "text")) ??
      stringAt(bytes, valueAt(bytes, item, "resource", "text")) ?? []
  );
  const structured = valueAt(bytes, message.result, "structuredContent");
  const text = structured && spanText(bytes, structured);
  const isSaid = text === undefined || text === "null" || texts.some((own) => isSame(own, text));
  return { texts, structured: isSaid ? undefined : text };
}

/**
 * Appends a text to a result.
 *
 * @param message The response; its bytes are the whole line, batches included.
 * @param text The text.
 * @returns The whole line, changed; undefined if it has no list of content.
 */
export function appendText(message: Message, text: string): Uint8Array | undefined {
  const own = ownText(message);
  const { bytes, result } = message;
  const content = valueAt(bytes, result, "content");
  if (own === undefined || content === undefined) return undefined;
  const item = `{"type":"text","text":${JSON.stringify(text)}}`;
  const items = own.structured === undefined
    ? item
    : `{"type":"text","text":${JSON.stringify(own.structured)},${FROM_STRUCTURED}},${item}`;
  const last = elements(bytes, content).at(-1);
  const at = last?.end ?? content.start + 1;
  const insert = { span: { start: at, end: at }, text: last === undefined ? items : `,${items}` };
  return editJson(bytes, [insert, ...setAside(bytes, result, "structuredContent")]);
}

/**
 * Sets the output schemas of tools aside.
 *
 * @param message The response to `tools/list`; its bytes are the whole line.
 * @param isChosen Whether results of a tool may carry lookups.
 * @returns The whole line, changed; undefined if no such tool has a schema.
 */
export function withoutOutputSchemas(
  message: Message,
  isChosen: (tool: string) => boolean,
): Uint8Array | undefined {
  const { bytes } = message;
  const tools = valueAt(bytes, message.result, "tools");
  const edits = tools === undefined ? [] : elements(bytes, tools).flatMap((tool) => {
    const name = stringAt(bytes, valueAt(bytes, tool, "name"));
    return name !== undefined && isChosen(name) ? setAside(bytes, tool, "outputSchema") : [];
  });
  return edits.length === 0 ? undefined : editJson(bytes, edits);
}

/** Edits that put every member of a name under a key that hosts do not read. */
function setAside(bytes: Uint8Array, object: Span | undefined, name: string): JsonEdit[] {
  if (object === undefined) return [];
  return members(bytes, object).filter(({ key }) => keyIs(bytes, key, name))
    .map(({ key: { start } }) => ({ span: { start: start + 1, end: start + 1 }, text: ASIDE }));
}

/** Whether a text is a JSON value, whatever its spelling. */
function isSame(text: string, json: string): boolean {
  if (text === json) return true;
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(JSON.parse(json));
  } catch {
    return false;
  }
}
