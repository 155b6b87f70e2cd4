/**
 * The owner's folder: the key that seals challenges, the codes of the file
 * channel, and what became of each challenge.
 *
 * It protects only as far as the agent cannot read it. It is refused inside the state
 * root, and nothing is created before it is first needed.
 *
 * @module
 */

import { removeIfThere, writeFileAtomically } from "../../disk/atomic_write.ts";
import { isConfined, realPathOf } from "../../disk/confined_path.ts";
import { readRecentlyAsked, readTally } from "./tally_file.ts";
import type { OwnerVault } from "../call/call_context.ts";
import { pinFiles } from "./pin_files.ts";

const KEY_BYTES = 32;

/** The owner's folder, as a vault and as a place for notices. */
export interface OwnerHome extends OwnerVault {
  /** Writes a notice for the owner and returns its path; 0600 in a folder of 0700. */
  writeNotice(challengeId: string, text: string): string;
}

/**
 * Opens the owner's folder; nothing is created yet.
 *
 * @param path As configured.
 * @param home Real path of the state root.
 * @param named The state root as configured.
 * @returns The folder.
 */
export function ownerHomeAt(path: string, home: string, named = home): OwnerHome {
  // With narrow permissions the folders above a missing one cannot be resolved:
  // then its text counts, and it is looked at again once it is made.
  const root = realPathOf(path) ?? path.replace(/\/+$/, "");
  const problem = problemOf(root, home);
  if (problem !== undefined) return closedHome(problem);
  const files = pinFiles(root, named);
  const existingKey = () => readableKey(root);
  const withKey = <T>(read: (key: Uint8Array) => T) => {
    const key = existingKey();
    return key === undefined ? undefined : read(key);
  };
  return {
    root,
    key: () => openKey(root, home),
    existingKey,
    pin: () => withKey(files.pin),
    checkpoint: () => withKey(files.checkpoint),
    savePin: files.savePin,
    saveCheckpoint: files.saveCheckpoint,
    tallyPath: (challengeId) => `${root}/tally/${challengeId}.json`,
    recentlyAsked: (unixMs) => readRecentlyAsked(`${root}/tally`, unixMs),
    tally: (challengeId) => readTally(`${root}/tally/${challengeId}.json`),
    writeNotice(challengeId, text) {
      makePrivate(root);
      const file = `${root}/${challengeId}.txt`;
      writeFileAtomically(file, text);
      return file;
    },
  };
}

function problemOf(root: string, home: string): string | undefined {
  if (!root.startsWith("/") || root.split("/").includes("..")) {
    return `HAI_OWNER_HOME must be an absolute path without "..": "${root}"`;
  }
  if (root === home || root.startsWith(`${home}/`) || isConfined(home, root)) {
    return `HAI_OWNER_HOME is inside HAI_HOME, where the agent could read it: "${root}"`;
  }
  return undefined;
}

/** A folder that may not be used: nothing is asked, and nothing passes. */
function closedHome(problem: string): OwnerHome {
  return {
    root: "",
    key: () => ({ problem }),
    existingKey: () => undefined,
    pin: () => undefined,
    checkpoint: () => undefined,
    savePin: () => {},
    saveCheckpoint: () => {},
    recentlyAsked: () => [],
    tallyPath: () => "",
    tally: () => ({ attempts: 0, isOver: true }),
    writeNotice: () => {
      throw new RangeError(problem);
    },
  };
}

function openKey(
  root: string,
  home: string,
): { readonly key: Uint8Array } | { readonly problem: string } {
  const path = `${root}/owner.key`;
  try {
    const key = readKey(path);
    if (key !== undefined) {
      const problem = keyProblem(path);
      if (problem === undefined) makePrivate(root);
      return problem === undefined ? { key } : { problem };
    }
    makePrivate(root);
    const problem = problemOf(Deno.realPathSync(root), home);
    if (problem !== undefined) return { problem };
    createKey(path);
    const made = readKey(path);
    return made === undefined ? { problem: "The owner's key cannot be read back" } : { key: made };
  } catch (error) {
    // Only the kind of failure: a message could carry what is in the file.
    const kind = error instanceof Error ? error.name : "Error";
    return { problem: `HAI_OWNER_HOME cannot be used (${kind}): "${root}"` };
  }
}

/** The key, if it is there and nobody else may use it. */
function readableKey(root: string): Uint8Array | undefined {
  const path = `${root}/owner.key`;
  try {
    const key = readKey(path);
    return key === undefined || keyProblem(path) !== undefined ? undefined : key;
  } catch {
    return undefined;
  }
}

function readKey(path: string): Uint8Array | undefined {
  let text: string;
  try {
    text = Deno.readTextFileSync(path).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  if (!/^[0-9a-f]{64}$/.test(text)) throw new SyntaxError("Cannot use the owner's key");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Written aside and linked into place: of two servers that start at once, one key wins. */
function createKey(path: string): void {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const aside = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  writeFileAtomically(aside, `${text}\n`);
  try {
    Deno.linkSync(aside, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    removeIfThere(aside);
  }
}

/**
 * Looks at the owner's key for the doctor.
 *
 * @param path The file.
 * @returns Why it may not be used; undefined when it may, or is missing.
 * @throws {SyntaxError} When it holds no key.
 */
export function keyFileProblem(path: string): string | undefined {
  return readKey(path) === undefined ? undefined : keyProblem(path);
}

/** A key that others may read may have been read: only the owner can tell. */
function keyProblem(path: string): string | undefined {
  const { mode } = Deno.statSync(path);
  if (mode === null || (mode & 0o077) === 0) return undefined;
  return `Others may use the owner's key (mode ${(mode & 0o777).toString(8)}): "${path}". ` +
    "Remove it for a new one, or make it 600 if nobody else has read it";
}

function makePrivate(root: string): void {
  Deno.mkdirSync(root, { recursive: true, mode: 0o700 });
  const { mode } = Deno.statSync(root);
  if (mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(root, 0o700);
}
