/**
 * Runs the MCP server as a child process: its pipes, exit status and signals.
 *
 * Environment, working directory and stderr are inherited, arguments are passed
 * unchanged, and no shell is involved. On Unix the server leads its own process
 * group, so that its children end with it.
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
  /** The server's stdout. */
  readonly output: ByteSource;
  /** The server's stdin. */
  readonly input: ByteSink;
  /** The server's exit status: 128 + n when signal n ended it. */
  readonly exit: Promise<number>;
  /** Settles when the reaper watches the server, so that it ends even if this process is killed. */
  readonly adopted: Promise<void>;
  /** Closes the server's stdin once all written bytes are taken. */
  closeInput(): void;
  /** Signals the server and its children. */
  signal(signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL"): void;
  /** Ends children that the server left behind, after its exit, when this process lives on. */
  release(): void;
}

/**
 * Starts the server.
 *
 * @param command Program and arguments.
 * @param say Prints a line for the user.
 * @returns The running server.
 * @throws {Error} When it cannot start; the message names the program.
 */
export function startServer(
  command: readonly string[],
  say: (line: string) => void,
): ServerProcess {
  const [program = "", ...args] = command;
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
      detached: Deno.build.os !== "windows",
    }).spawn();
  } catch (error) {
    throw new Error(startFault(program, error), { cause: error });
  }
  // After the server, which needs longer to start: hosts wait for it.
  const reaper = reaperFor(say);
  const adopted = reaper?.adopt(child.pid) ?? Promise.resolve();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader({ mode: "byob" });
  const kill = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // The child has exited.
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

/** Deno rejects the status of a child that a real-time signal killed: it has no name for it. */
function codeOfUnknownSignal(error: unknown): number {
  const signal = /signal: (\d+)/.exec(reasonOf(error))?.[1];
  if (signal === undefined) throw error;
  return 128 + Number(signal);
}

/** Starts the reaper; undefined on Windows, and when `sh` cannot be started. */
function reaperFor(say: (line: string) => void): Reaper | undefined {
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
