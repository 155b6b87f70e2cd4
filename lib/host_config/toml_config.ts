/**
 * TOML, the format of Codex's configuration: read with positions, changed by splicing.
 *
 * @module
 */

import { type AST, getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import {
  BYTE_ORDER_MARK,
  type ConfigMember,
  type ConfigNode,
  ConfigSyntaxError,
  type ConfigText,
  lineEnding,
} from "./config_text.ts";

/** A table while it is collected from all its places. */
interface Table extends ConfigNode {
  readonly value: Record<string, unknown>;
  readonly members: Map<string, ConfigMember>;
}

/**
 * Reads a configuration in TOML.
 *
 * @param given The text.
 * @returns The configuration.
 * @throws {ConfigSyntaxError} When it is no TOML.
 */
export function readTomlConfig(given: string): ConfigText {
  const mark = given.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const text = given.slice(mark.length);
  const root = parse(text);
  const eol = lineEnding(text);
  return {
    text,
    mark,
    root,
    quote,
    pair: (like, key, value) => `${like.prefix}${key} = ${quote(value)}`,
    separator: (like) => like.isInline ? ", " : eol,
    add(path, value) {
      const parent = path.slice(0, -1).reduce<ConfigNode | undefined>(
        (node, key) => node?.members?.get(key)?.node,
        root,
      );
      if (parent !== undefined && parent.members === undefined) {
        throw new Error(`"${path.slice(0, -1).join(".")}" is not a table`);
      }
      const end = text.length;
      const gap = text === "" ? "" : (text.endsWith("\n") ? "" : eol) + eol;
      return [{ start: end, end, text: gap + block(path, value).join(eol) + eol }];
    },
  };
}

function parse(text: string): Table {
  let program: AST.TOMLProgram;
  try {
    program = parseTOML(text);
  } catch (error) {
    if (error instanceof SyntaxError && "lineNumber" in error) {
      throw new ConfigSyntaxError(error.message, Number(error.lineNumber));
    }
    throw error;
  }
  const root = table();
  for (const part of program.body[0].body) {
    if (part.type === "TOMLKeyValue") addPair(root, part, text);
    else {
      const into = within(root, part.resolvedKey.map(String), part.range[0]);
      for (const pair of part.body) addPair(into, pair, text);
    }
  }
  return root;
}

function table(): Table {
  return { value: {}, start: -1, end: -1, members: new Map() };
}

/** The table at the end of a path, made where it is missing. */
function within(root: Table, path: readonly string[], start: number): Table {
  let node = root;
  for (const key of path) {
    let next = node.members.get(key)?.node as Table | undefined;
    if (next === undefined) {
      next = table();
      node.members.set(key, { start, prefix: "", isInline: false, node: next });
      node.value[key] = next.value;
    }
    node = next;
  }
  return node;
}

function addPair(into: Table, pair: AST.TOMLKeyValue, text: string, isInline = false): void {
  const keys = pair.key.keys.map((key) => key.type === "TOMLBare" ? key.name : key.value);
  const last = pair.key.keys.at(-1);
  const key = keys.at(-1);
  if (last === undefined || key === undefined) return;
  const parent = within(into, keys.slice(0, -1), pair.range[0]);
  const node = toNode(pair.value, text);
  parent.value[key] = node.value;
  const prefix = text.slice(pair.range[0], last.range[0]);
  parent.members.set(key, { start: pair.range[0], prefix, isInline, node });
}

function toNode(content: AST.TOMLContentNode, text: string): ConfigNode {
  const [start, end] = content.range;
  if (content.type === "TOMLInlineTable") {
    const inner = table();
    for (const pair of content.body) addPair(inner, pair, text, true);
    return { value: inner.value, members: inner.members, start, end };
  }
  const value = getStaticTOMLValue(content);
  if (content.type !== "TOMLArray") return { value, start, end };
  return { value, start, end, items: content.elements.map((e) => toNode(e, text)) };
}

function block(path: readonly string[], value: Readonly<Record<string, unknown>>): string[] {
  const isTable = ([, v]: [string, unknown]) =>
    typeof v === "object" && v !== null && !Array.isArray(v);
  const members = Object.entries(value);
  return [
    `[${path.map(spellKey).join(".")}]`,
    ...members.filter((m) => !isTable(m)).map(([key, v]) => `${spellKey(key)} = ${spell(v)}`),
    ...members.filter(isTable).flatMap(([key, v]) => [
      "",
      ...block([...path, key], v as Record<string, unknown>),
    ]),
  ];
}

function spellKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : quote(key);
}

function spell(value: unknown): string {
  return typeof value === "boolean" || typeof value === "number"
    ? String(value)
    : quote(value as string | readonly string[]);
}

function quote(value: string | readonly string[]): string {
  if (typeof value !== "string") return `[${value.map((word) => quote(word)).join(", ")}]`;
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}
