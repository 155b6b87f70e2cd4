/**
 * The MCP server as a child process: its two pipes, its end, its signals.
 *
 * Environment, folder and stderr are inherited, arguments are passed as they
 * are, and no shell stands in between. On Unix the server leads a process group
 * of its own, so that what it starts can be ended with it.
 *
 * @module
 */

import { printable } from "../text/printable.ts";
import { redactArgs } from "../log/redact_args.ts";
import type { ByteSink, ByteSource } from "./pump.ts";
import { type Reaper, startReaper } from "./reaper.ts";
import { reasonOf } from "../text/reason.ts";

const CHUNK_BYTES = 65_536;

/** A running server. */
export interface ServerProcess {
  /** What the server writes to its stdout. */
  readonly output: ByteSource;
  /** The server's stdin. */
  readonly input: ByteSink;
  /** The server's status: 128 + n when signal n ended it. */
  readonly exit: Promise<number>;
  /** Settles when the server is sure to end with this process, even if that is killed. */
  readonly adopted: Promise<void>;
  /** Closes the server's stdin once what was written is taken. */
  closeInput(): void;
  /** Signals the server and all it started. */
  signal(signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL"): void;
  /** Ends what the server left behind, once it has exited and this process goes on. */
  release(): void;
}

/**
 * Starts the server.
 *
 * @param command Program and arguments.
 * @param say Tells the user what could not be done.
 * @param reaper Who ends its process group; by default one is started for it.
 * @returns The running server.
 * @throws {Error} When it cannot be started; the message names the program.
 */
export function startServer(
  command: readonly string[],
  say: (line: string) => void,
  reaper: Reaper | undefined = reaperFor(say),
): ServerProcess {
  const [program = "", ...args] = command;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
      detached: reaper !== undefined,
    }).spawn();
  } catch (error) {
    throw new Error(startFault(program, error), { cause: error });
  }
  const adopted = reaper?.adopt(child.pid) ?? Promise.resolve();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader({ mode: "byob" });
  const kill = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // It has exited.
    }
  };
  return {
    output: byteSource(reader),
    input: { write: (bytes) => writer.write(bytes) },
    exit: child.status.then((status) => status.code, codeOfUnknownSignal),
    adopted,
    closeInput: () => void writer.close().catch(() => {}),
    signal(signal) {
      if (reaper === undefined) return kill(signal);
      reaper.signal(signal, () => kill(signal));
      if (signal === "SIGKILL") kill(signal);
    },
    release: () => reaper?.release(),
  };
}

function byteSource(reader: ReadableStreamBYOBReader): ByteSource {
  let buffer = new Uint8Array(CHUNK_BYTES);
  return {
    async read() {
      try {
        const { value, done } = await reader.read(buffer);
        if (done || value === undefined) return null;
        buffer = new Uint8Array(value.buffer);
        return value;
      } catch {
        return null; // The pipe broke.
      }
    },
  };
}

/** Deno knows no name for real-time signals, and rejects the status of who dies of one. */
function codeOfUnknownSignal(error: unknown): number {
  const signal = /signal: (\d+)/.exec(reasonOf(error))?.[1];
  if (signal === undefined) throw error;
  return 128 + Number(signal);
}

/**
 * Starts the reaper of a server that is to be started.
 *
 * @param say Tells the user when there can be none.
 * @returns The reaper; undefined on Windows, and where `sh` cannot be started.
 */
export function reaperFor(say: (line: string) => void): Reaper | undefined {
  if (Deno.build.os === "windows") return undefined;
  try {
    return startReaper();
  } catch (error) {
    say(`cannot start sh (${reasonOf(error)}): what the server starts may outlive it`);
    return undefined;
  }
}

function startFault(program: string, error: unknown): string {
  const what = `cannot start "${printable(redactArgs([program])[0] ?? "")}": `;
  if (error instanceof Deno.errors.NotFound) {
    const isLine = /^[^/\\]+\s/.test(program); // `npx -y server` as one word of a configuration.
    return `${what}no such command${isLine ? "; its arguments have to be words of their own" : ""}`;
  }
  const message = reasonOf(error);
  const variable = /\b(?:LD|DYLD)_\w+/.exec(message)?.[0];
  if (variable === undefined) return what + message;
  return `${what}the environment holds ${variable}, with which Deno refuses to start any command ` +
    "under --allow-run=COMMAND; unset it, or grant --allow-run without a list";
}
