/**
 * The real {@linkcode DoctorMachine}.
 *
 * @module
 */

import { plainLogName } from "../log/log_names.ts";
import { reasonOf } from "../text/reason.ts";
import {
  DOCTOR_HELLO,
  type DoctorMachine,
  type InitializeOptions,
  type InitializeReply,
  type LogFolder,
} from "../ports/machine.ts";
import { excerpt, printable } from "../text/printable.ts";
import { startReaper } from "../relay/reaper.ts";
import { LineSplitter } from "../bytes/line_splitter.ts";
import type { Runtime } from "../ports/runtime.ts";
import { setupMachine } from "./setup_machine.ts";

/** Time that a server has to exit once its input is closed. */
const GOODBYE_MS = 2000;

const INITIALIZE = JSON.stringify(DOCTOR_HELLO);

/**
 * Makes the machine.
 *
 * @param runtime Where the environment comes from.
 * @returns The machine, without its network.
 */
export function doctorMachine(runtime: Runtime): Omit<DoctorMachine, "upstream"> {
  return {
    ...setupMachine(runtime),
    deno: { version: Deno.version.deno, isCompiled: Deno.build.standalone },
    variableNames: () => Object.keys(Deno.env.toObject()),
    logFolder,
    versionOf,
    dataFault: async (file) => (await import("./doctor_data.ts")).dataFault(file),
    initialize,
  };
}

function logFolder(path: string): Promise<LogFolder | undefined> {
  const modeOf = (file: string) => Deno.statSync(file).mode ?? undefined;
  const within = (folder: string, isTop: boolean): string[] =>
    [...Deno.readDirSync(folder)].flatMap(({ name, isFile, isDirectory }) => {
      const inner = `${folder}/${name}`;
      if (isDirectory && isTop) return within(inner, false);
      return isFile && plainLogName(name).endsWith(".jsonl") ? [inner] : [];
    });
  try {
    const mode = modeOf(path);
    const logs = within(path, true).map((log) => ({ path: log, mode: modeOf(log) }));
    const index = `${path}/.hoist-console.sqlite`;
    return Promise.resolve({
      mode,
      isWritable: isWritable(path),
      logs,
      index: isThere(index) ? index : undefined,
    });
  } catch (error) {
    const canBeMade = error instanceof Deno.errors.NotFound && isWritable(nearestFolder(path));
    return Promise.resolve(
      canBeMade ? undefined : { mode: undefined, isWritable: false, logs: [] },
    );
  }
}

function isThere(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Time that a program has to say its version. */
const VERSION_MS = 10_000;

async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await new Deno.Command(path, {
      args: ["--version"],
      stdin: "null",
      stderr: "null",
      signal: AbortSignal.timeout(VERSION_MS),
    }).output();
    return /\d+\.\d+\.\d+\S*/.exec(new TextDecoder().decode(stdout))?.[0];
  } catch {
    return undefined;
  }
}

/** The nearest folder above a path that exists. */
function nearestFolder(path: string): string {
  const above = path.replace(/[/\\]+[^/\\]*$/, "");
  if (above === "") return "/";
  try {
    Deno.statSync(above);
    return above;
  } catch {
    return above === path ? "." : nearestFolder(above);
  }
}

function isWritable(path: string): boolean {
  try {
    Deno.removeSync(Deno.makeTempFileSync({ dir: path, prefix: ".hoist-doctor-" }));
    return true;
  } catch {
    return false;
  }
}

/** Starts a server in its own process group, sends initialize, and ends the group. */
async function initialize(
  [program = "", ...args]: readonly string[],
  { env = {}, inherits, timeoutMs }: InitializeOptions,
): Promise<InitializeReply> {
  const reaper = Deno.build.os === "windows" ? undefined : startReaper();
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      ...(inherits === undefined
        ? { env: { ...env } }
        : { clearEnv: true, env: { ...inherited(inherits), ...env } }),
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: reaper !== undefined,
    }).spawn();
  } catch (error) {
    reaper?.release();
    const isMissing = error instanceof Deno.errors.NotFound;
    const why = isMissing ? "no such command" : reasonOf(error);
    return { kind: "failed", why: `cannot start "${program}": ${why}` };
  }
  await reaper?.adopt(child.pid);
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  const deaf = new AbortController();
  const stderr = lastWords(child.stderr, deaf.signal);
  const late = limit<InitializeReply>(timeoutMs, {
    kind: "failed",
    why: `no answer to initialize within ${timeoutMs / 1000} s`,
  });
  writer.write(new TextEncoder().encode(INITIALIZE + "\n")).catch(() => {});
  const answer = await Promise.race([firstAnswer(reader, child.status), late.promise]);
  late.cancel();
  await writer.close().catch(() => {});
  const goodbye = limit(GOODBYE_MS, undefined);
  await Promise.race([child.status, goodbye.promise]);
  goodbye.cancel();
  if (reaper === undefined) tryTo(() => child.kill("SIGKILL"));
  reaper?.release();
  await child.status;
  await reader.cancel().catch(() => {});
  const over = setTimeout(() => deaf.abort(), GOODBYE_MS); // Another process may still hold the pipe open.
  const said = await stderr;
  clearTimeout(over);
  if (answer.kind === "answered" || said === undefined) return answer;
  return { kind: "failed", why: `${answer.why}; it said last: ${excerpt(said, 300)}` };
}

function inherited(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Deno.env.toObject()).filter(([name]) => names.includes(name)),
  );
}

/** The server's last line on stderr, without hoist-mcp's own message about recording. */
async function lastWords(
  stderr: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<string | undefined> {
  let tail = "";
  const decoder = new TextDecoder();
  const write = (chunk: Uint8Array) => {
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4096);
  };
  // A read error ends the text.
  await stderr.pipeTo(new WritableStream({ write }), { signal }).catch(() => {});
  const lines = tail.split("\n").map((line) => line.trim());
  return lines.findLast((line) => line !== "" && !line.startsWith("hoist-mcp: recording to "));
}

async function firstAnswer(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  status: Promise<Deno.CommandStatus>,
): Promise<InitializeReply> {
  const splitter = new LineSplitter();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return { kind: "failed", why: `it ended with ${(await status).code} unasked` };
    let answer: InitializeReply | undefined;
    splitter.push(value, (line) => answer ??= answerOf(new TextDecoder().decode(line)));
    if (answer !== undefined) return answer;
  }
}

function answerOf(line: string): InitializeReply | undefined {
  try {
    const { id, method, result, error } = JSON.parse(line);
    if (id !== "hoist-doctor") return undefined;
    if (method !== undefined) return { kind: "failed", why: "it sends back what it is sent" };
    if (error !== undefined) {
      return {
        kind: "failed",
        why: `it refused to initialize: ${printable(String(error.message))}`,
      };
    }
    const { name = "a server", version = "" } = result?.serverInfo ?? {};
    return { kind: "answered", server: printable(`${name} ${version}`.trim()) };
  } catch {
    const why = "it writes something else than MCP to its standard output: ";
    return { kind: "failed", why: why + excerpt(line.trim(), 80) };
  }
}

function limit<T>(ms: number, value: T): { readonly promise: Promise<T>; cancel(): void } {
  let timer: ReturnType<typeof setTimeout>;
  const promise = new Promise<T>((resolve) => timer = setTimeout(() => resolve(value), ms));
  return { promise, cancel: () => clearTimeout(timer) };
}

function tryTo(body: () => void): void {
  try {
    body();
  } catch {
    // It has exited already.
  }
}
