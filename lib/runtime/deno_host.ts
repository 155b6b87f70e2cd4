/**
 * The real {@linkcode Host}: Deno's own stderr, environment and clock.
 *
 * @module
 */

import type { Host } from "../ports/host.ts";
import { dropAllBut } from "./permissions.ts";

/** Options for {@linkcode denoHost}. */
export interface DenoHostOptions {
  /**
   * Whether `say` waits until stderr has taken the words. A relay must not: a
   * host that never reads our stderr would stop the session.
   *
   * @default {true}
   */
  waits?: boolean;
}

/** Words of hosts that do not wait, on their way out one after another. */
let saying: Promise<void> = Promise.resolve();

/**
 * Makes the host of a program.
 *
 * @param program The program's name, before each line on stderr.
 * @param options How it speaks.
 * @returns The host.
 */
export function denoHost(program: string, options: DenoHostOptions = {}): Host {
  const encoder = new TextEncoder();
  return {
    say(line) {
      const bytes = encoder.encode(`${program}: ${line}\n`);
      if (options.waits ?? true) sayNow(bytes);
      else saying = saying.then(() => sayLater(bytes));
    },
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
    keepOnly: dropAllBut,
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

/**
 * Ends the process once what was said is out, or after half a second.
 *
 * @param code The exit status.
 */
export async function exit(code: number): Promise<never> {
  await Promise.race([saying, new Promise((resolve) => setTimeout(resolve, 500))]);
  Deno.exit(code);
}

// Words that cannot be said (stderr closed) must not end a session.

function sayNow(bytes: Uint8Array): void {
  try {
    writeAll(Deno.stderr, bytes);
  } catch {
    // Nobody listens.
  }
}

async function sayLater(bytes: Uint8Array): Promise<void> {
  try {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await Deno.stderr.write(rest));
  } catch {
    // Nobody listens.
  }
}

/** A reader that has seen enough (`| head`) is no fault; output that is lost is. */
function writeAll(to: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  try {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(to.writeSync(rest));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
