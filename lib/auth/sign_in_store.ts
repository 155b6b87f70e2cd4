/**
 * Keeps the sign-in of one upstream in a folder of its own: file 0600, folder
 * 0700, written atomically. Processes take turns by a lock file.
 *
 * @module
 */

import { removeIfThere, writeFileAtomically } from "../disk/atomic_write.ts";
import { LockFile } from "../disk/lock_file.ts";
import { parseSignIn, type UpstreamSignIn } from "../oauth/sign_in.ts";
import { reasonOf } from "../text/reason.ts";

/** Longest wait for another process that renews a token: its requests end before. */
const LOCK_WAIT_MS = 60_000;

/** The sign-in of one upstream. */
export class SignInStore {
  readonly #folder: string;
  readonly #url: string;
  readonly #lock: LockFile;

  /** Opens nothing yet; `url` is the upstream. */
  constructor(folder: string, url: string) {
    this.#folder = folder;
    this.#url = url;
    this.#lock = new LockFile(`${folder}/lock`, { waitMs: LOCK_WAIT_MS });
  }

  /** Reads it; undefined when there is none. */
  read(): UpstreamSignIn | undefined {
    let text: string;
    try {
      text = Deno.readTextFileSync(this.#path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw new Error(`Cannot read "${this.#path}": ${reasonOf(error)}`, { cause: error });
    }
    return parseSignIn(text, this.#url);
  }

  /** Writes it. */
  write(signIn: UpstreamSignIn): void {
    writeFileAtomically(this.#path, JSON.stringify(signIn, null, 2) + "\n");
  }

  /** Makes the folder. */
  make(): void {
    Deno.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Removes it; whether there was one. */
  remove(): boolean {
    const isThere = this.read() !== undefined;
    removeIfThere(this.#path);
    return isThere;
  }

  /** Runs something while no other process does. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#lock.during(work);
  }

  get #path(): string {
    return `${this.#folder}/sign_in.json`;
  }
}

/** The upstreams somebody has signed in to, in a folder of sign-ins. */
export function signedInUrls(auth: string): { readonly folder: string; readonly url: string }[] {
  const found = [];
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(auth)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  for (const { name } of entries) {
    const folder = `${auth}/${name}`;
    try {
      const { url } = JSON.parse(Deno.readTextFileSync(`${folder}/sign_in.json`));
      if (typeof url === "string") found.push({ folder, url });
    } catch {
      // Signed out, or no sign-in of ours.
    }
  }
  return found.sort((a, b) => a.url < b.url ? -1 : 1);
}
