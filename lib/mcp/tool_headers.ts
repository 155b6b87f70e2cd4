/**
 * Arguments that a tool wants mirrored in HTTP headers: `x-mcp-header` in its
 * input schema names the header `Mcp-Param-…`.
 *
 * What a server lists is remembered as it crosses. A tool whose annotations are
 * against the rules is left out of the list that a host gets, because an HTTP
 * client may not offer it: the one place where a line is not handed on as it came.
 *
 * @module
 */

import {
  elements,
  isStringAt,
  type Span,
  spanText,
  stringAt,
  valueAt,
} from "../json/json_spans.ts";
import type { Message } from "../wire/message.ts";
import { encodeHeaderValue } from "./header_value.ts";

/** One mirrored argument: where it stands in `arguments`, and the header's name. */
export interface ParamHeader {
  /** Names from `arguments` down to the value. */
  readonly path: readonly string[];
  /** The header, such as `Mcp-Param-Region`. */
  readonly header: string;
}

/** A tool as far as headers go: its mirrored arguments, or why it is against the rules. */
export type ToolHeaders =
  | { readonly kind: "valid"; readonly params: readonly ParamHeader[] }
  | { readonly kind: "invalid"; readonly why: string };

/** A listed tool and its place in the list. */
export interface ToolWithHeaders {
  /** Its name. */
  readonly name: string;
  /** Its place in the bytes of the message. */
  readonly span: Span;
  /** Its headers. */
  readonly headers: ToolHeaders;
}

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^`|~\w]+$/;
const TYPES = ["string", "integer", "boolean"];

/** The tools a `tools/list` result holds; none of any other message. */
export function listedToolHeaders({ bytes, result }: Message): ToolWithHeaders[] {
  const list = valueAt(bytes, result, "tools");
  if (list === undefined) return [];
  return elements(bytes, list).map((span) => {
    const schema = valueAt(bytes, span, "inputSchema");
    return {
      name: stringAt(bytes, valueAt(bytes, span, "name")) ?? "",
      span,
      headers: schema === undefined ? NONE : toolHeaders(parsed(spanText(bytes, schema))),
    };
  });
}

/** The value of a schema; undefined when words such as `NaN` are in it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NONE: ToolHeaders = { kind: "valid", params: [] };

/**
 * Reads a tool's annotations.
 *
 * @param schema The tool's `inputSchema`.
 * @returns Its headers.
 */
export function toolHeaders(schema: unknown): ToolHeaders {
  const params: ParamHeader[] = [];
  const seen = new Set<string>();
  const visit = (
    node: unknown,
    path: readonly string[],
    isReachable: boolean,
  ): string | undefined => {
    if (Array.isArray(node)) return first(node, (item) => visit(item, path, false));
    if (!isRecord(node)) return undefined;
    if (Object.hasOwn(node, KEY)) {
      const name = node[KEY];
      const where = path.join(".") || "the schema itself";
      if (!isReachable || path.length === 0) return `${where}: not reached by properties alone`;
      if (typeof name !== "string" || !TOKEN.test(name)) return `${where}: not a header name`;
      if (!TYPES.includes(String(node.type))) return `${where}: not a string, integer or boolean`;
      if (seen.has(name.toLowerCase())) return `${where}: "${name}" is used twice`;
      seen.add(name.toLowerCase());
      params.push({ path, header: `Mcp-Param-${name}` });
    }
    return first(Object.entries(node), ([key, child]) => {
      if (key === "properties" && isRecord(child)) {
        return first(
          Object.entries(child),
          ([name, sub]) => visit(sub, [...path, name], isReachable),
        );
      }
      return DATA_KEYS.includes(key) ? undefined : visit(child, path, false);
    });
  };
  const why = visit(schema, [], true);
  return why === undefined ? { kind: "valid", params } : { kind: "invalid", why };
}

/** Keywords whose values are data, not schemas. */
const DATA_KEYS = ["default", "const", "enum", "examples", KEY];

/**
 * The headers that a call's arguments make.
 *
 * @param params The tool's mirrored arguments.
 * @param message The call.
 * @returns Header names and values; an argument that is null or absent has none.
 */
export function paramHeaders(
  params: readonly ParamHeader[],
  { bytes, params: at }: Message,
): [string, string][] {
  return params.flatMap(({ path, header }): [string, string][] => {
    const value = valueAt(bytes, at, "arguments", ...path);
    const text = value === undefined ? undefined : headerText(bytes, value);
    return text === undefined ? [] : [[header, encodeHeaderValue(text)]];
  });
}

/** A value as a header has it: a string as it is, an integer in decimals, a boolean. */
export function headerText(bytes: Uint8Array, value: Span): string | undefined {
  if (isStringAt(bytes, value)) return stringAt(bytes, value);
  const text = spanText(bytes, value);
  if (text === "true" || text === "false" || /^-?\d+$/.test(text)) return text;
  if (!/^-?\d/.test(text)) return undefined;
  const number: unknown = JSON.parse(text);
  return typeof number === "number" && Number.isFinite(number) ? String(number) : undefined;
}

/** The places of invalid tools, each with the comma that goes with it. */
export function withoutInvalid(message: Message, tools: readonly ToolWithHeaders[]): Span[] {
  const { bytes } = message;
  const kept = tools.filter((tool) => tool.headers.kind === "valid");
  if (kept.length === 0) {
    const [head, tail] = [tools[0], tools.at(-1)];
    return head === undefined || tail === undefined
      ? []
      : [{ start: head.span.start, end: tail.span.end }];
  }
  return tools.flatMap(({ headers, span }, i): Span[] => {
    if (headers.kind === "valid") return [];
    const next = tools[i + 1];
    // With the comma after it, or, behind the last tool that stays, with the one before it.
    if (next !== undefined && tools.slice(i + 1).some((t) => t.headers.kind === "valid")) {
      return [{ start: span.start, end: next.span.start }];
    }
    return [{ start: bytes.lastIndexOf(0x2c, span.start), end: span.end }];
  });
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
