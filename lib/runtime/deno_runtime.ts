/**
 * The real {@linkcode Runtime}: Deno's stdout, stderr, environment and clocks.
 *
 * @module
 */

import type { Runtime } from "../ports/runtime.ts";
import { slices } from "../text/slices.ts";
import { dropAllBut } from "./permissions.ts";

/** Options for {@linkcode denoRuntime}. */
export interface DenoRuntimeOptions {
  /**
   * Whether `say` waits until stderr has taken the line. A relay must not: a
   * host that never reads our stderr would stop the session.
   *
   * @default {true}
   */
  waits?: boolean;
}

/** What `print` encodes at once, in UTF-16 code units: a result may have 16 MB. */
const PRINTED_AT_ONCE = 65_536;

const NEWLINE = new Uint8Array([10]);

/** Lines of runtimes that do not wait, written one after another. */
let saying: Promise<void> = Promise.resolve();

/**
 * Makes the runtime of a program.
 *
 * @param program The program's name, printed before each line on stderr.
 * @param options Whether it waits for stderr.
 * @returns The runtime.
 */
export function denoRuntime(program: string, options: DenoRuntimeOptions = {}): Runtime {
  const encoder = new TextEncoder();
  return {
    say(line) {
      const bytes = encoder.encode(`${program}: ${line}\n`);
      if (options.waits ?? true) sayNow(bytes);
      else saying = saying.then(() => sayLater(bytes));
    },
    print(text) {
      if (text.length < PRINTED_AT_ONCE) {
        return writeAll(Deno.stdout, encoder.encode(text + "\n"));
      }
      for (const slice of slices(text, PRINTED_AT_ONCE)) {
        writeAll(Deno.stdout, encoder.encode(slice));
      }
      writeAll(Deno.stdout, NEWLINE);
    },
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
    return undefined; // Not granted: each variable's documentation says what happens without it.
  }
}

/**
 * Ends the process once every line has been written, or after half a second.
 *
 * @param code The exit status.
 */
export async function exit(code: number): Promise<never> {
  await Promise.race([saying, new Promise((resolve) => setTimeout(resolve, 500))]);
  Deno.exit(code);
}

// A line that cannot be written (stderr is closed) must not end a session.

function sayNow(bytes: Uint8Array): void {
  try {
    writeAll(Deno.stderr, bytes);
  } catch {
    // Nobody reads stderr.
  }
}

async function sayLater(bytes: Uint8Array): Promise<void> {
  try {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await Deno.stderr.write(rest));
  } catch {
    // Nobody reads stderr.
  }
}

/** A reader that closes early (`| head`) is no fault; other failed writes are. */
function writeAll(to: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  try {
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(to.writeSync(rest));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}
