/**
 * One call's view of the state: reads see what the call has written so far,
 * and nothing reaches the disk before the call is decided.
 *
 * Every write is checked against its root by real path when it is asked for;
 * the shell checks again when it carries the changes out.
 *
 * @module
 */

import type { z } from "zod";
import type { Area, Change, Disk } from "./disk_port.ts";
import { jsonFaultPlace } from "../../json/json_fault.ts";
import { baseName, isWithin, join, parentOf } from "./path_text.ts";
import { StateCorruptError } from "./refusal.ts";
import { indentedJson } from "./state_json.ts";

/** A path that leads out of its root, by `..` or through a symlink. */
export class OutsideRootError extends RangeError {
  override name = "OutsideRootError";
  /** The path. */
  readonly path: string;

  /**
   * Makes the error.
   *
   * @param path The path that leads out.
   * @param root The root it had to stay in.
   */
  constructor(path: string, root: string) {
    super(`Cannot use "${path}": its real path is outside "${root}"`);
    this.path = path;
  }
}

/** Reads and pending writes of one call. */
export class Transaction {
  /** Real path of the state root. */
  readonly home: string;
  /** The disk as it was when the call began. */
  readonly disk: Disk;
  readonly #changes = new Map<string, Change>();
  readonly #realDirs = new Map<string, string | undefined>();

  /**
   * Begins a transaction.
   *
   * @param disk The disk.
   * @param home Real path of the state root.
   */
  constructor(disk: Disk, home: string) {
    this.disk = disk;
    this.home = home;
  }

  /** The changes, in the order they were made. */
  get changes(): readonly Change[] {
    return [...this.#changes.values()];
  }

  /** A path below the state root. */
  at(...names: readonly string[]): string {
    return join(this.home, ...names);
  }

  /** Whether a path's folder really lies in a root. */
  isConfined(path: string, root = this.home): boolean {
    const dir = parentOf(path);
    if (!this.#realDirs.has(dir)) this.#realDirs.set(dir, this.disk.realPath(dir));
    const real = this.#realDirs.get(dir);
    return real !== undefined && isWithin(root, real);
  }

  /** Text of a file; undefined when it is missing or to be removed. */
  text(path: string): string | undefined {
    const change = this.#changes.get(path);
    if (change !== undefined) return change.text ?? undefined;
    const bytes = this.disk.read(path);
    if (bytes === undefined) return undefined;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new StateCorruptError(path, "it is not UTF-8 text");
    }
  }

  /**
   * A record of the state root; undefined when the file is missing.
   *
   * @param path The file.
   * @param shape Its schema.
   * @throws {StateCorruptError} When it is a link, does not parse or has another shape.
   */
  record<S extends z.ZodType>(path: string, shape: S): z.output<S> | undefined {
    if (!this.isConfined(path)) throw new OutsideRootError(path, this.home);
    // A link would be read with our rights, not with those of who made it.
    if (!this.#changes.has(path) && this.disk.kind(path) === "symlink") {
      throw new StateCorruptError(path, "it is a link");
    }
    const text = this.text(path);
    if (text === undefined) {
      if (this.disk.kind(path) !== undefined && !this.#changes.has(path)) {
        throw new StateCorruptError(path, "it cannot be read");
      }
      return undefined;
    }
    return parseRecord(path, text, shape);
  }

  /** Names in a folder, with what is to be written and without what is to be removed. */
  list(dir: string): readonly string[] {
    const names = new Set(this.disk.list(dir));
    for (const { path, text } of this.#changes.values()) {
      if (parentOf(path) !== dir) continue;
      if (text === null) names.delete(baseName(path));
      else names.add(baseName(path));
    }
    return [...names].sort();
  }

  /** Writes a record below the state root. */
  put(path: string, record: Readonly<Record<string, unknown>>): void {
    this.putText("home", path, `${indentedJson(record)}\n`, this.home);
  }

  /** Writes a text; `root` bounds where its folder may really be. */
  putText(area: Area, path: string, text: string | null, root: string): void {
    if (!this.isConfined(path, root)) throw new OutsideRootError(path, root);
    this.#changes.delete(path); // A later write moves to its own place in the order.
    this.#changes.set(path, { area, path, text });
  }
}

/**
 * Parses a state file.
 *
 * @param path The file, for the error.
 * @param text Its text.
 * @param shape Its schema.
 * @returns The record.
 * @throws {StateCorruptError} When it does not parse or has another shape.
 */
export function parseRecord<S extends z.ZodType>(
  path: string,
  text: string,
  shape: S,
): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new StateCorruptError(path, `it is not JSON${jsonFaultPlace(error, text)}`);
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? "the whole" : issue.path.join(".");
  throw new StateCorruptError(path, `${where}: ${issue?.message ?? "another shape"}`);
}
