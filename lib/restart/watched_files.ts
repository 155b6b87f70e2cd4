/**
 * Watches files and folders for changes.
 *
 * A file is looked at several times a second, since an editor may put another
 * file in its place, which ends a watch of the system. A folder is watched by
 * the system, with all that is in it.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";

/** How often a file is looked at. */
const LOOK_MS = 150;
/** A change is told when nothing has changed for this time: editors and builds write in steps. */
const SETTLED_MS = 100;
/** Paths that change while a server runs, and that are no source of it. */
const IGNORED =
  /(?:^|[/\\])(?:\.git|node_modules|__pycache__|\.venv|\.pytest_cache)(?:[/\\]|$)|\.(?:pyc|log|swp|swx|tmp)$|~$|[/\\]\.#|[/\\]4913$/;

/**
 * Watches.
 *
 * @param paths Files and folders.
 * @param options `onChange` is called after each change that has settled.
 * @returns Ends the watch.
 * @throws {Error} When a path cannot be watched; names it.
 */
export function watchFiles(
  paths: readonly string[],
  { onChange, say }: {
    readonly onChange: () => void;
    readonly say: (line: string) => void;
  },
): () => void {
  const settle = new Settling(onChange);
  const stops = paths.map((path) => {
    try {
      return Deno.statSync(path).isDirectory
        ? watchFolder(path, { settle, say })
        : watchFile(path, settle);
    } catch (error) {
      throw new Error(`--watch "${path}": ${reasonOf(error)}`, { cause: error });
    }
  });
  return () => {
    stops.forEach((stop) => stop());
    settle.end();
  };
}

/** Calls back once a burst of changes is over. */
class Settling {
  readonly #onChange: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  readonly changed = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, SETTLED_MS);
  };

  end(): void {
    clearTimeout(this.#timer);
  }
}

function watchFolder(
  path: string,
  { settle, say }: { readonly settle: Settling; readonly say: (line: string) => void },
): () => void {
  const watcher = Deno.watchFs(path, { recursive: true });
  const read = async () => {
    for await (const { kind, paths } of watcher) {
      if (kind === "access" || paths.every((one) => IGNORED.test(one.slice(path.length)))) continue;
      settle.changed();
    }
  };
  read().catch((error) => say(`--watch "${path}" has ended: ${reasonOf(error)}`));
  return () => watcher.close();
}

function watchFile(path: string, settle: Settling): () => void {
  let known = stateOf(path);
  const timer = setInterval(() => {
    const now = stateOf(path);
    // A file that is missing is being replaced.
    if (now === undefined || now === known) return;
    known = now;
    settle.changed();
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** What changes with a file; undefined when there is none. */
function stateOf(path: string): string | undefined {
  try {
    const { mtime, size, ino } = Deno.statSync(path);
    return `${mtime?.getTime()} ${size} ${ino}`;
  } catch {
    return undefined;
  }
}
