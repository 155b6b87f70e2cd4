/**
 * JSON with comments and trailing commas, as hosts keep it: read with places,
 * changed by splicing.
 *
 * @module
 */

import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import {
  BYTE_ORDER_MARK,
  type ConfigMember,
  type ConfigNode,
  ConfigSyntaxError,
  type ConfigText,
  type Edit,
  lineEnding,
  lineOf,
} from "./config_text.ts";

/** Kinds of tokens of the scanner, whose own names are a const enum. */
const [OPEN_BRACE, COMMA, LINE_COMMENT, BLOCK_COMMENT, EOF] = [1, 5, 12, 13, 17];

/**
 * Reads a configuration in JSON.
 *
 * @param given The text; white space alone is an empty object.
 * @returns The configuration.
 * @throws {ConfigSyntaxError} When it is no JSON object, or names a key twice.
 */
export function readJsonConfig(given: string): ConfigText {
  const mark = given.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const text = given.slice(mark.length);
  const errors: ParseError[] = [];
  const tree = text.trim() === ""
    ? undefined
    : parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const error = errors[0];
  if (error !== undefined) {
    throw new ConfigSyntaxError(inWords(error), lineOf(text, error.offset));
  }
  const root = tree === undefined ? emptyRoot(text) : toNode(tree, text);
  if (root.members === undefined) throw new ConfigSyntaxError("not an object", 1);
  return {
    text,
    mark,
    root,
    quote: (value) => typeof value === "string" ? JSON.stringify(value) : inline(value),
    pair: (_like, key, value) =>
      `${JSON.stringify(key)}: ${
        typeof value === "string" ? JSON.stringify(value) : inline(value)
      }`,
    separator: () => ", ",
    add: (path, value) => addMember(text, root, path, value),
  };
}

/** The parser's name of an error, `CloseBraceExpected`, as words. */
function inWords({ error }: ParseError): string {
  return printParseErrorCode(error).replace(/\B[A-Z]/g, " $&").toLowerCase();
}

function emptyRoot(text: string): ConfigNode {
  return { value: {}, start: text.length, end: text.length, members: new Map() };
}

function toNode(node: Node, text: string): ConfigNode {
  const at = { value: getNodeValue(node), start: node.offset, end: node.offset + node.length };
  if (node.type === "array") {
    return { ...at, items: (node.children ?? []).map((child) => toNode(child, text)) };
  }
  if (node.type !== "object") return at;
  const members = new Map<string, ConfigMember>();
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) continue;
    if (members.has(key.value)) {
      throw new ConfigSyntaxError(`"${key.value}" stands twice`, lineOf(text, key.offset));
    }
    const member = { start: key.offset, prefix: "", isInline: true, node: toNode(value, text) };
    members.set(key.value, member);
  }
  return { ...at, members };
}

function addMember(
  text: string,
  root: ConfigNode,
  path: readonly string[],
  value: Readonly<Record<string, unknown>>,
): Edit[] {
  let into = root;
  let depth = 0;
  for (; depth < path.length - 1; depth++) {
    const next = into.members?.get(path[depth] ?? "")?.node;
    if (next === undefined) break;
    if (next.members === undefined) {
      throw new Error(`"${path.slice(0, depth + 1).join(".")}" is not an object`);
    }
    into = next;
  }
  const missing = path.slice(depth + 1).reduceRight<unknown>((v, key) => ({ [key]: v }), value);
  return insert(text, into, path[depth] ?? "", missing);
}

/** Puts a member behind the last one, behind the comments that follow that. */
function insert(text: string, into: ConfigNode, key: string, value: unknown): Edit[] {
  const eol = lineEnding(text);
  const unit = indentUnit(text);
  if (into.start === into.end) {
    const whole = JSON.stringify({ [key]: value }, null, unit).replaceAll("\n", eol) + eol;
    return [{ start: into.start, end: into.end, text: whole }];
  }
  const last = [...into.members?.values() ?? []].at(-1);
  const { commaAt, trivia } = scanTail(text, last?.node.end ?? into.start + 1, into.end - 1);
  const isOneLine = last !== undefined && !/\n/.test(text.slice(into.start, into.end));
  const outer = indentOf(text, into.start);
  const indent = last === undefined ? outer + unit : indentOf(text, last.start);
  const body = JSON.stringify(value, null, isOneLine ? undefined : unit)
    .replaceAll("\n", eol + indent);
  const member = `${JSON.stringify(key)}: ${body}`;
  const isClosedBelow = /^[^\S\n]*\r?\n/.test(text.slice(trivia)) || text[trivia] === "\n";
  const edits: Edit[] = [];
  if (last !== undefined && commaAt === undefined) {
    edits.push({ start: last.node.end, end: last.node.end, text: "," });
  }
  const separator = isOneLine ? " " : eol + indent;
  const close = isOneLine || isClosedBelow ? "" : eol + outer;
  const comma = commaAt === undefined ? "" : ",";
  edits.push({ start: trivia, end: trivia, text: separator + member + comma + close });
  return edits;
}

/** Where the last value's comma stands, and where its comments end. */
function scanTail(text: string, from: number, to: number) {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  let commaAt: number | undefined;
  let trivia = from;
  for (let token = scanner.scan() as number; token !== EOF; token = scanner.scan()) {
    if (scanner.getTokenOffset() >= to) break;
    if (token === COMMA) commaAt = scanner.getTokenOffset();
    if (token === COMMA || token === LINE_COMMENT || token === BLOCK_COMMENT) {
      trivia = scanner.getTokenOffset() + scanner.getTokenLength();
    }
  }
  return { commaAt, trivia };
}

/** The white space at the start of the line that an offset is in. */
function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** What the text indents by: the white space before its first key. */
function indentUnit(text: string): string {
  const scanner = createScanner(text, true);
  if (scanner.scan() !== OPEN_BRACE) return "  ";
  scanner.scan();
  const indent = indentOf(text, scanner.getTokenOffset());
  return indent === "" ? "  " : indent;
}

function inline(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}
