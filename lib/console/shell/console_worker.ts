/**
 * The worker that serves the console, with the permissions of its folders and its address alone.
 *
 * @module
 */

import { removeIfThere, writeFileAtomically } from "../../disk/atomic_write.ts";
import { messageOf } from "../../text/reason.ts";
import { OwnerCode } from "../answer/owner_code.ts";
import type { AnswerOptions, ConsoleOptions } from "../record/console_options.ts";
import { markup } from "../view/html.ts";
import { AnswerDesk } from "./answer_desk.ts";
import type { FromConsole, ToConsole } from "./console_job.ts";
import { consoleHandler } from "./console_server.ts";
import { EventHub } from "./event_hub.ts";
import { IndexDatabase } from "../index/index_database.ts";
import { IndexQueries } from "../index/index_queries.ts";
import { IndexTotals } from "../index/index_totals.ts";
import { LogScanner, type ScanProgress } from "../index/log_scanner.ts";
import { LogWatch } from "../index/log_watch.ts";
import { exportPages } from "./export_pages.ts";
import { SignIn } from "./sign_in.ts";

/** Name of the page that leads a browser to the console, in the folder of the index. */
const OPEN_FILE = "hoist-console-open.html";

/** A console that runs. */
export interface RunningConsole {
  /** Its address, with the token of the first sign-in. */
  readonly url: string;
  /** A page that leads there; undefined when no browser is opened. */
  readonly file: string | undefined;
  /** Resolves when the index was in step once. */
  readonly settled: Promise<void>;
  close(): Promise<void>;
}

/** Serves the program that started this worker. */
export function serveConsole(): void {
  const scope = globalThis as unknown as Pick<Worker, "postMessage" | "onmessage">;
  const tell = (message: FromConsole) => scope.postMessage(message);
  let running: RunningConsole | undefined;
  scope.onmessage = async ({ data }: MessageEvent<ToConsole>) => {
    try {
      if (data.kind === "start" && data.options.exportTo !== undefined) {
        const { dirs, exportTo: out } = data.options;
        const onProgress = (progress: ScanProgress) =>
          tell({ kind: "progress", text: noticeOf(progress) });
        tell({ kind: "exported", sessions: await exportPages({ dirs, out, onProgress }) });
        return tell({ kind: "ended", code: 0 });
      }
      if (data.kind === "start") {
        running = await startConsole(data.options, tell);
        const { url, file } = running;
        return tell({ kind: "listening", url, file });
      }
      await running?.close();
      tell({ kind: "ended", code: 0 });
    } catch (error) {
      tell({ kind: "say", line: messageOf(error) });
      tell({ kind: "ended", code: 1 });
    }
  };
  tell({ kind: "loaded" });
}

/**
 * Starts a console.
 *
 * @param options Its options.
 * @param tell Takes what it has to say.
 * @returns The console, listening.
 * @throws {Error} When the index cannot be opened or the address is taken.
 */
export function startConsole(
  options: ConsoleOptions,
  tell: (message: FromConsole) => void,
): Promise<RunningConsole> {
  return Promise.try(() => {
    const index = new IndexDatabase(options.index);
    try {
      return runConsole(index, options, tell);
    } catch (error) {
      index[Symbol.dispose]();
      throw error;
    }
  });
}

function runConsole(
  index: IndexDatabase,
  options: ConsoleOptions,
  tell: (message: FromConsole) => void,
): RunningConsole {
  const watching: { watch?: LogWatch } = {};
  let notice = "";
  const scanner: LogScanner = new LogScanner(options.dirs, index, {
    onProgress: (progress) => {
      notice = noticeOf(progress);
      tell({ kind: "progress", text: notice });
      if (notice === "") events.changed([]);
    },
    onChange: (ids) => events.changed(ids),
    between: () => watching.watch?.urgent() ?? Promise.resolve(),
  });
  const queries = new IndexQueries(index, () => scanner.folders);
  const events = new EventHub((ids) => ({ keys: queries.keysOf(ids), notice }));
  const desk = options.answers === undefined ? undefined : openDesk(options.answers, tell);
  const { server, base, signIn } = listen(options, tell, (signIn) =>
    consoleHandler({
      pages: { queries, dirs: options.dirs, nowMs: Date.now },
      totals: new IndexTotals(index, () => scanner.folders),
      desk,
      signIn,
      events,
      notice: () => notice,
    }), () => events.close());
  const watch = watching.watch = new LogWatch(options.dirs, scanner, {
    onFault: (error) => tell({ kind: "say", line: `the index: ${messageOf(error)}` }),
  });
  const stopLooking = desk === undefined ? undefined : lookAtDesk(desk, events);
  const url = `${base}/?token=${signIn.token}`;
  const file = options.opens ? `${options.index}/${OPEN_FILE}` : undefined;
  if (file !== undefined) writeFileAtomically(file, openPage(url));
  return {
    url,
    file,
    settled: watch.settled,
    close: async () => {
      if (file !== undefined) removeIfThere(file);
      events.close();
      stopLooking?.();
      await watch.close();
      await server.shutdown();
      index[Symbol.dispose]();
    },
  };
}

/** Pause between two looks at what waits for the owner, while a page is open. */
const LOOK_MS = 1000;

function openDesk(options: AnswerOptions, tell: (message: FromConsole) => void): AnswerDesk {
  const random = (below: number) => {
    // Numbers past the last whole multiple would favour the first symbols.
    const limit = 256 - 256 % below;
    for (;;) {
      const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
      if (byte < limit) return byte % below;
    }
  };
  const code = new OwnerCode(random, (text) => {
    tell({ kind: "say", line: `the owner's code for approvals: ${text}` });
  });
  const onFault = (line: string) => tell({ kind: "say", line });
  return new AnswerDesk({ options, code, nowMs: Date.now, onFault });
}

/** Tells open pages when something else waits; returns how to stop. */
function lookAtDesk(desk: AnswerDesk, events: EventHub): () => void {
  let before = "";
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking || !events.hasPages) return;
    isLooking = true;
    const now = await desk.waiting().catch(() => before);
    if (now !== before) events.changed([]);
    before = now;
    isLooking = false;
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** Listens; the address of the handler's sign-in has the real port. */
function listen(
  { listen: { hostname, port }, index }: ConsoleOptions,
  tell: (message: FromConsole) => void,
  handler: (signIn: SignIn) => (request: Request) => Promise<Response>,
  onFailure: () => void,
) {
  let serve: (request: Request) => Promise<Response> = () => Promise.reject(new Error("early"));
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({ hostname, port, onListen: () => {} }, (request) => serve(request));
  } catch (error) {
    onFailure();
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new Error(
      `Cannot listen on ${hostname}:${port}: it is in use, perhaps by another console; ` +
        "--listen 127.0.0.1:0 takes any free port",
    );
  }
  const name = hostname.includes(":") ? `[${hostname}]` : hostname;
  const base = `http://${name}:${server.addr.port}`;
  const signIn = new SignIn({ hostname, port: server.addr.port }, (token) => {
    removeIfThere(`${index}/${OPEN_FILE}`); // Its token was used, or is worth nothing now.
    tell({ kind: "say", line: `for another browser: ${base}/?token=${token}` });
  });
  serve = handler(signIn);
  return { server, base, signIn };
}

function noticeOf({ found, done }: ScanProgress): string {
  return done >= found
    ? ""
    : `Reading logs: ${done.toLocaleString("en")} of ${found.toLocaleString("en")}`;
}

/** A page for the browser: a command line would show the token to every user of the machine. */
function openPage(url: string): string {
  return String(
    markup`<!doctype html>
      <meta charset="utf-8">
      <meta http-equiv="refresh" content="0; url=${url}">
      <title>Hoist</title>
      <p><a href="${url}">Open the console</a></p>`,
  );
}
