/**
 * Ends the server's whole process group, whatever happens to us.
 *
 * Servers are often started through a wrapper (`npx`, `sh -c`), and killing
 * the wrapper leaves the server behind. To signal a process group takes a
 * permission we give up, and being killed with SIGKILL leaves us no time. So a
 * few lines of `sh` are started before the server: they hold the other end of
 * a pipe, pass on the signals we name there, and end the group when the pipe
 * closes, which it also does when we are killed.
 *
 * @module
 */

/** Passes signals to the server's process group. */
export interface Reaper {
  /** Settles when the pipe is warm, so that {@linkcode adopt} takes as short as it can. */
  readonly ready: Promise<void>;
  /** Names the group's leader; settles when the reaper has been told. Before, nothing is signalled. */
  adopt(pid: number): Promise<void>;
  /**
   * Signals the whole group.
   *
   * @param signal Which signal.
   * @param otherwise Called when the reaper is gone.
   */
  signal(signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL", otherwise: () => void): void;
  /** Ends what is left of the group, and the reaper itself. */
  release(): void;
}

// Only what POSIX has. It reads an empty line, a process group, then names of signals; at the
// end of the pipe it sends TERM, waits up to a second for the group to go, and
// sends KILL. A group that is gone makes `kill` fail, which ends the script.
const SCRIPT = `trap '' TERM INT HUP
read -r warm || exit 0
read -r group || exit 0
while read -r name; do kill -s "$name" -- "-$group" 2>/dev/null; done
kill -s TERM -- "-$group" 2>/dev/null || exit 0
for wait in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.1 2>/dev/null || { sleep 1; wait=10; }
  kill -s 0 -- "-$group" 2>/dev/null || exit 0
  [ "$wait" = 10 ] && break
done
kill -s KILL -- "-$group" 2>/dev/null`;

/**
 * Starts the reaper.
 *
 * @returns The reaper; it lives as long as this process and one second.
 * @throws {Error} Where `sh` cannot be started.
 */
export function startReaper(): Reaper {
  const child = new Deno.Command("sh", {
    args: ["-c", SCRIPT],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    detached: true,
  }).spawn();
  const pipe = child.stdin.getWriter();
  const encoder = new TextEncoder();
  const tell = (line: string, otherwise: () => void): Promise<void> =>
    pipe.write(encoder.encode(line + "\n")).catch(otherwise);
  return {
    ready: tell("", () => {}),
    adopt: (pid) => tell(String(pid), () => {}),
    signal: (signal, otherwise) => void tell(signal.slice("SIG".length), otherwise),
    release() {
      pipe.close().catch(() => {});
      child.status.catch(() => {}); // Or it would stay as a zombie.
    },
  };
}
