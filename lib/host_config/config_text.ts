/**
 * A host's configuration as text with positions: changes are spliced into the text, and every other
 * character stays.
 *
 * JSON with comments and TOML are read into the same tree, so that changes to a server's entry are
 * written once.
 *
 * @module
 */

/** A value of a configuration, with its position. */
export interface ConfigNode {
  /** Its value. */
  readonly value: unknown;
  /** Offset of its first character. Unset for a TOML table, which may have several places. */
  readonly start: number;
  /** Offset after its last character. */
  readonly end: number;
  /** Members, where it is an object or a table. */
  readonly members?: ReadonlyMap<string, ConfigMember>;
  /** Elements, where it is a list. */
  readonly items?: readonly ConfigNode[];
}

/** A member of an object or a table. */
export interface ConfigMember {
  /** Offset of its key's first character. */
  readonly start: number;
  /** The key's text before the last part of it: in TOML `a.b.` of `a.b.c`, in JSON empty. */
  readonly prefix: string;
  /** Whether commas separate it from its neighbours, instead of lines. */
  readonly isInline: boolean;
  /** Its value. */
  readonly node: ConfigNode;
}

/** A parsed configuration. */
export interface ConfigText {
  /** The text without a byte order mark. */
  readonly text: string;
  /** The byte order mark the text began with, or nothing. */
  readonly mark: string;
  /** Its root. */
  readonly root: ConfigNode;
  /** Spells a string, or a list of strings, on one line. */
  quote(value: string | readonly string[]): string;
  /** The text of a member in place of another one, or beside it. */
  pair(like: ConfigMember, key: string, value: string | readonly string[]): string;
  /** The separator between a member and one put directly after it. */
  separator(like: ConfigMember): string;
  /**
   * Adds a member that is an object.
   *
   * @param path Its path of keys; missing objects on the way are created.
   * @param value The object.
   * @returns The edits.
   * @throws {Error} When a value on the way is not an object.
   */
  add(path: readonly string[], value: Readonly<Record<string, unknown>>): Edit[];
}

/** A range of text, and its replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text is not in its format. */
export class ConfigSyntaxError extends SyntaxError {
  override readonly name = "ConfigSyntaxError";

  /**
   * @param message The fault.
   * @param line Where, from 1.
   */
  constructor(message: string, readonly line: number) {
    super(`line ${line}: ${message}`);
  }
}

/** A byte order mark, which some editors write. */
export const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Applies edits that do not overlap.
 *
 * @param config The text they are for.
 * @param edits The edits, in any order; two at one place keep their order.
 * @returns The whole new text, byte order mark included.
 */
export function applyEdits(config: ConfigText, edits: readonly Edit[]): string {
  let made = "";
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    made += config.text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return config.mark + made + config.text.slice(from);
}

/** The node at the end of a path of keys; undefined where there is none. */
export function nodeAt(root: ConfigNode, path: readonly string[]): ConfigNode | undefined {
  let node: ConfigNode | undefined = root;
  for (const key of path) node = node?.members?.get(key)?.node;
  return node;
}

/** The line ending a text uses. */
export function lineEnding(text: string): "\r\n" | "\n" {
  return /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n";
}

/** The line of an offset, from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
