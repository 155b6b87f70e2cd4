/**
 * Ends the server's whole process group, even when the proxy is killed.
 *
 * Servers are often started through a wrapper (`npx`, `sh -c`), and killing the
 * wrapper leaves the server running. Signalling a process group needs a permission
 * that the proxy gives up, and SIGKILL leaves it no time. So a few lines of `sh`
 * start beside the server: they read signal names from a pipe, pass them to the
 * group, and end the group when the pipe closes. The pipe also closes when the
 * proxy is killed.
 *
 * @module
 */

/** Signals the server's process group. */
export interface Reaper {
  /** Sets the process group; settles when the reaper knows it. No signal is sent before. */
  adopt(pid: number): Promise<void>;
  /**
   * Signals the whole group.
   *
   * @param signal The signal.
   * @param otherwise Called when the reaper is gone.
   */
  signal(signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL", otherwise: () => void): void;
  /** Ends the rest of the group, and the reaper. */
  release(): void;
}

// POSIX only. It reads a process group, then signal names. At the end of the pipe
// it sends TERM, waits up to a second for the group to exit, and sends KILL. When the group is
// gone, `kill` fails, which ends the script.
const SCRIPT = `trap '' TERM INT HUP
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
 * @returns The reaper; it outlives this process by at most a second.
 * @throws {Error} When `sh` cannot be started.
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
    adopt: (pid) => tell(String(pid), () => {}),
    signal: (signal, otherwise) => void tell(signal.slice("SIG".length), otherwise),
    release() {
      pipe.close().catch(() => {});
      child.status.catch(() => {}); // Or it would stay as a zombie.
    },
  };
}
