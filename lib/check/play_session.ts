/**
 * Plays the host's side of a recorded session to a server, and compares each answer.
 *
 * @module
 */

import { at, isObject, textAt } from "../json/json.ts";
import type { LiveServer, StartLiveServer } from "./live_server.ts";
import { reasonOf } from "../text/reason.ts";
import { type AnswerComparison, compareAnswers } from "./compare_answers.ts";
import type { RecordedRequest, RecordedSession } from "./recorded_session.ts";
import type { TestSettings } from "./test_settings.ts";

/** What was compared. */
export interface CheckRow extends AnswerComparison {
  /** The request's line in the log. */
  readonly line: number;
  readonly method: string;
  /** The tool of a call. */
  readonly tool: string | undefined;
}

/** How a session is played. */
export interface CheckOptions {
  readonly command: readonly string[];
  readonly settings: TestSettings;
  /** Whether tools that may write are called. */
  readonly writes: boolean;
  /** Tools that only read, whatever the server says of them. */
  readonly reads: readonly RegExp[];
}

/** Methods that are played. What a server says of itself is not compared: its version may differ. */
const COMPARED = new Set([
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "completion/complete",
]);
const PLAYED = new Set(["server/discover", "ping", "logging/setLevel"]);

/**
 * Plays a session.
 *
 * @param session The session.
 * @param start Starts the server.
 * @param options How it is played.
 * @returns A row for each request, in their order.
 */
export async function playSession(
  session: RecordedSession,
  start: StartLiveServer,
  options: CheckOptions,
): Promise<CheckRow[]> {
  const left = new Map([...session.hostAnswers].map(([method, all]) => [method, [...all]]));
  const server = start(options.command, (method) => left.get(method)?.shift());
  try {
    const player = new Player(server, session, options);
    await player.open();
    const rows: CheckRow[] = [];
    for (const request of session.requests) rows.push(await player.play(request));
    return rows;
  } finally {
    await server.close();
  }
}

/** One session with one server. */
class Player {
  readonly #server: LiveServer;
  readonly #session: RecordedSession;
  readonly #options: CheckOptions;
  /** Tools by name, and whether the server says that they only read. */
  readonly #tools = new Map<string, boolean>();
  /** This server's cursors, by the recorded ones in their place. */
  readonly #cursors = new Map<string, string>();

  constructor(server: LiveServer, session: RecordedSession, options: CheckOptions) {
    this.#server = server;
    this.#session = session;
    this.#options = options;
  }

  async open(): Promise<void> {
    const { initialize, requests } = this.#session;
    if (initialize !== undefined) {
      const { error } = await this.#server.request("initialize", initialize);
      if (error !== undefined) throw new Error(`the server refuses: ${textAt(error, "message")}`);
      this.#server.notify("notifications/initialized");
    }
    if (!requests.some(({ method }) => method === "tools/call")) return;
    // A modern request says in its `_meta` who asks.
    const meta = at(requests[0]?.params, "_meta");
    const own = initialize === undefined && isObject(meta) ? { _meta: meta } : {};
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? own : { ...own, cursor };
      const { result } = await this.#server.request("tools/list", params);
      const tools = at(result, "tools");
      for (const tool of Array.isArray(tools) ? tools : []) {
        const isRead = at(tool, "annotations", "readOnlyHint") === true;
        this.#tools.set(textAt(tool, "name") ?? "", isRead);
      }
      const next = textAt(result, "nextCursor");
      cursor = next === cursor ? undefined : next;
    } while (cursor !== undefined);
  }

  async play(request: RecordedRequest): Promise<CheckRow> {
    const { line, method, params, answer } = request;
    const tool = method === "tools/call" ? textAt(params, "name") : undefined;
    const row = { line, method, tool };
    const skip = this.#whyNot(request, tool);
    if (skip !== undefined) return { ...row, kind: "skipped", why: skip };
    if (tool !== undefined && !this.#tools.has(tool)) {
      return { ...row, kind: "missing", why: "the server does not list this tool" };
    }
    try {
      const cursor = this.#cursors.get(textAt(params, "cursor") ?? "");
      const now = await this.#server.request(
        method,
        cursor === undefined ? params : { ...params, cursor },
      );
      if (!COMPARED.has(method) || answer === undefined) {
        return { ...row, kind: "skipped", why: "its answer is not compared" };
      }
      const [was, is] = [textAt(answer.result, "nextCursor"), textAt(now.result, "nextCursor")];
      if (was !== undefined && is !== undefined) this.#cursors.set(was, is);
      const alike = was === undefined || is === undefined
        ? now
        : { ...now, result: { ...now.result, nextCursor: was } };
      return { ...row, ...compareAnswers(tool ?? method, answer, alike, this.#options.settings) };
    } catch (error) {
      return { ...row, kind: "unanswered", why: reasonOf(error) };
    }
  }

  #whyNot({ method, answer }: RecordedRequest, tool: string | undefined): string | undefined {
    if (!COMPARED.has(method) && !PLAYED.has(method)) return "it is not played";
    if (answer === undefined && !PLAYED.has(method)) return "the recording has no answer";
    if (tool === undefined || this.#options.writes || !this.#tools.has(tool)) return undefined;
    const isRead = this.#tools.get(tool) === true ||
      this.#options.reads.some((pattern) => pattern.test(tool));
    return isRead ? undefined : "it may write; --writes plays it, --reads says that it only reads";
  }
}
