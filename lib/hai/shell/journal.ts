/**
 * Carries out several file changes all or none: every content is written beside
 * its file, then a journal, then the files take their places, then the journal
 * is removed. Whoever takes the lock next finishes a journal that was left behind.
 *
 * Missing rights and a full disk show before the journal is written, and then
 * nothing changes. A single change needs no journal: its rename is all or none by
 * itself. A journal can be planted by anybody who can write the state root, so
 * each change is bounded by its area whenever it is carried out, and what became
 * of a challenge never goes back.
 *
 * @module
 */

import {
  flushFolder,
  removeIfThere,
  writeBeside,
  writeFileAtomically,
} from "../../disk/atomic_write.ts";
import { isConfined } from "../../disk/confined_path.ts";
import { createHmac } from "node:crypto";
import { isSameSecret } from "../state/hashes.ts";
import { isRaised } from "./tally_file.ts";

/** One file to write, or to remove when `text` is null. */
export interface FileChange {
  /** Which bounds apply. */
  readonly area: "home" | "owner" | "project";
  /** Absolute path. */
  readonly path: string;
  /** New content; null removes the file. */
  readonly text: string | null;
}

/** Roots that bound changes. */
export interface JournalRoots {
  /** Real path of the state root. */
  readonly home: string;
  /** Real path of the owner's folder; empty when there is none. */
  readonly owner: string;
  /** The owner's key, which seals journals; undefined while there is none. */
  readonly key?: (() => Uint8Array | undefined) | undefined;
}

/** A change that may not be carried out. */
export class ChangeRefusedError extends RangeError {
  override name = "ChangeRefusedError";
  /** Where it would have been. */
  readonly path: string;

  /**
   * Makes the error.
   *
   * @param path Where it would have been.
   */
  constructor(path: string) {
    super(`Cannot write "${path}": it is outside its root`);
    this.path = path;
  }
}

/** Below a project only this folder is written, and only these files. */
const PROJECT_FILE =
  /\/(NEXT_STEP\.md|NEXT_STEP\.proposed\.md|history\/(NEXT_STEP|accept)_[\w-]+\.(md|json))$/;
const OWNER_FILE = /^\/tally\/C-\d{8}T\d{6}-[0-9a-f]{8}\.json$/;

/** Name of the journal below the state root. */
export const JOURNAL = ".journal.json";

/**
 * Carries out changes, all or none.
 *
 * @param changes The changes, in order.
 * @param roots Roots that bound them.
 * @throws {ChangeRefusedError} When one is out of bounds; none is done then.
 */
export function carryOut(changes: readonly FileChange[], roots: JournalRoots): void {
  if (changes.length === 0) return;
  for (const change of changes) checkBounds(change, roots);
  const journal = `${roots.home}/${JOURNAL}`;
  doAll(changes, () => {
    if (changes.length > 1) writeFileAtomically(journal, journalText(changes, roots));
  });
  // No flush: a journal that comes back after a power cut is done again, to the same end.
  if (changes.length > 1) removeIfThere(journal);
}

/**
 * Finishes a journal that was left behind.
 *
 * @param roots Roots that bound its changes.
 * @returns Whether there was one.
 * @throws {SyntaxError} When the journal cannot be read as one.
 * @throws {ChangeRefusedError} When it would write out of bounds.
 */
export function finishJournal(roots: JournalRoots): boolean {
  const journal = `${roots.home}/${JOURNAL}`;
  const text = readIfThere(journal);
  if (text === undefined) return false;
  const changes = parseJournal(text);
  checkOrigin(text, changes, roots);
  for (const change of changes) checkBounds(change, roots);
  doAll(changes.filter(({ area, path, text }) => area !== "owner" || isRaised(path, text)));
  removeIfThere(journal);
  flushFolder(roots.home);
  return true;
}

/**
 * Parses a journal.
 *
 * @param text Its text.
 * @returns The changes.
 * @throws {SyntaxError} When it is none.
 */
function parseJournal(text: string): FileChange[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SyntaxError("Cannot finish the journal: it is not JSON"); // Not what stands there.
  }
  const changes = typeof value === "object" && value !== null && "changes" in value
    ? value.changes
    : undefined;
  if (!Array.isArray(changes) || !changes.every(isChange)) {
    throw new SyntaxError("Cannot finish the journal: it holds no list of changes");
  }
  return changes;
}

/** A journal with the end of the audit chain that it belongs to, sealed where there is a key. */
function journalText(changes: readonly FileChange[], roots: JournalRoots): string {
  const open = { changes, head: readIfThere(headOf(roots)) ?? null };
  const key = roots.key?.();
  return JSON.stringify(key === undefined ? open : { ...open, seal: journalSeal(key, open) });
}

/**
 * A journal that anybody may have planted writes in the state root alone. One of this server is
 * sealed, and belongs to the chain as it is: an old one that is put back is refused too.
 */
function checkOrigin(text: string, changes: readonly FileChange[], roots: JournalRoots): void {
  if (changes.every(({ area }) => area === "home")) return;
  const key = roots.key?.();
  const { head = null, seal } = JSON.parse(text);
  if (key === undefined) {
    const isOurs = changes.every(({ area, path }) =>
      area === "home" || (area === "project" && path.includes("/Projek-Managment/"))
    );
    if (!isOurs) throw new SyntaxError("Cannot finish the journal: nobody sealed it");
    return;
  }
  if (typeof seal !== "string" || !isSameSecret(seal, journalSeal(key, { changes, head }))) {
    throw new SyntaxError("Cannot finish the journal: the owner's key did not seal it");
  }
  const now = readIfThere(headOf(roots)) ?? null;
  const next = changes.find(({ path }) => path === headOf(roots))?.text;
  if (now !== head && now !== next) {
    throw new SyntaxError("Cannot finish the journal: the audit trail has gone on since");
  }
}

function journalSeal(
  key: Uint8Array,
  open: { readonly changes: readonly FileChange[]; readonly head: unknown },
): string {
  const { changes, head } = open;
  const text = JSON.stringify([changes.map(({ area, path, text }) => [area, path, text]), head]);
  return createHmac("sha256", key).update(`journal:${text}`, "utf8").digest("hex");
}

function headOf({ home }: JournalRoots): string {
  return `${home}/audit/HEAD.json`;
}

/** Makes a folder and its parents, readable by this user only. */
export function makeFolder(path: string): void {
  Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** `onReady` runs when every content is on the disk and no file has changed. */
function doAll(changes: readonly FileChange[], onReady: () => void = () => {}): void {
  const ready: { readonly path: string; readonly temporary: string | undefined }[] = [];
  try {
    for (const change of changes) ready.push({ path: change.path, temporary: prepare(change) });
    onReady();
  } catch (error) {
    for (const { temporary } of ready) if (temporary !== undefined) removeIfThere(temporary);
    throw error;
  }
  for (const { path, temporary } of ready) {
    if (temporary === undefined) removeIfThere(path);
    else Deno.renameSync(temporary, path);
  }
  for (const folder of new Set(ready.map(({ path }) => folderOf(path)))) flushFolder(folder);
}

/** Writes a content beside its file; undefined for a file that is to be removed. */
function prepare({ area, path, text }: FileChange): string | undefined {
  if (isFolder(path)) throw new Deno.errors.IsADirectory(`A folder is in the way: "${path}"`);
  if (text === null) return undefined;
  // Project files are the user's: they keep the usual mode.
  if (area === "project") Deno.mkdirSync(folderOf(path), { recursive: true });
  else makeFolder(folderOf(path));
  return writeBeside(path, text, area === "project" ? 0o644 : 0o600);
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false; // Missing, or not to be looked at: writing says which.
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function checkBounds({ area, path, text }: FileChange, roots: JournalRoots): void {
  const isLost = area === "owner" && text === null; // A tally is never removed.
  if (isLost || !isInBounds(area, path, roots)) throw new ChangeRefusedError(path);
}

function isInBounds(area: string, path: string, roots: JournalRoots): boolean {
  if (path.split("/").includes("..") || path.includes("\0")) return false;
  const folder = folderOf(path);
  if (area === "home") return isConfined(roots.home, folder) && !path.endsWith(`/${JOURNAL}`);
  if (area === "owner") {
    return roots.owner !== "" && path.startsWith(`${roots.owner}/`) &&
      OWNER_FILE.test(path.slice(roots.owner.length)) && isConfined(roots.owner, folder);
  }
  const inState = isConfined(roots.home, folder) ||
    (roots.owner !== "" && isConfined(roots.owner, folder));
  return PROJECT_FILE.test(path) && !inState;
}

function isChange(value: unknown): value is FileChange {
  if (typeof value !== "object" || value === null) return false;
  const { area, path, text } = value as Partial<Record<keyof FileChange, unknown>>;
  return (area === "home" || area === "owner" || area === "project") &&
    typeof path === "string" && path.startsWith("/") &&
    (text === null || typeof text === "string");
}

function readIfThere(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
