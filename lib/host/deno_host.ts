/**
 * The real {@linkcode Host}: Deno's own stderr, environment and clock.
 *
 * @module
 */

import type { Host } from "./host.ts";

/**
 * Makes the host of a program.
 *
 * @param program The program's name, before each line on stderr.
 * @returns The host.
 */
export function denoHost(program: string): Host {
  const encoder = new TextEncoder();
  return {
    say: (line) => writeAll(Deno.stderr, encoder.encode(`${program}: ${line}\n`)),
    print: (text) => writeAll(Deno.stdout, encoder.encode(text + "\n")),
    env: readEnv,
    unixMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    get stdoutIsTerminal() {
      return Deno.stdout.isTerminal();
    },
    ...(Deno.stderr.isTerminal()
      ? { terminal: { write: (text: string) => writeAll(Deno.stderr, encoder.encode(text)) } }
      : {}),
    pid: Deno.pid,
    parentPid: Deno.build.os === "windows" ? undefined : Deno.ppid,
  };
}

function readEnv(name: string): string | undefined {
  try {
    const value = Deno.env.get(name);
    return value === "" ? undefined : value;
  } catch {
    return undefined; // Not granted: the program works without, as documented for each variable.
  }
}

/** Words that cannot be said (stderr closed) must not end a session. */
function writeAll(to: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  try {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(to.writeSync(rest));
  } catch {
    // Nobody listens.
  }
}
