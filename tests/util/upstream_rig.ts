/**
 * An upstream bridge with a scripted upstream and timers that ring by hand: what
 * crosses becomes a transcript.
 *
 * @module
 */

import { UpstreamBridge } from "../../lib/session/upstream/bridge.ts";
import type {
  HeaderList,
  SendLimits,
  UpstreamLink,
  UpstreamResponse,
} from "../../lib/session/upstream/link.ts";
import type { StreamEvent } from "../../lib/wire/event_stream.ts";
import { HandTimers, turns } from "./hand_timers.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A request as the script sees it. */
export interface Sent {
  readonly verb: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // deno-lint-ignore no-explicit-any
  readonly message: any;
}

/** What a script answers: a response, or text for an upstream that cannot be reached. */
export type Scripted = UpstreamResponse | string;

/** A response with a JSON body. */
export function json(
  body: unknown,
  { status = 200, session }: { readonly status?: number; readonly session?: string } = {},
): UpstreamResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    contentType: "application/json",
    session,
    body: () => Promise.resolve(Uint8Array.from(text, (c) => c.charCodeAt(0))),
    events: none,
    discard: () => Promise.resolve(),
  };
}

/** A response without a message. */
export function bare(status: number, contentType: string | null = null): UpstreamResponse {
  return { ...json("", { status }), contentType };
}

/** An event: a message, or `{ id, retryMs, type, data }`. */
export type ScriptedEvent = Partial<Omit<StreamEvent, "data">> & { readonly data?: unknown };

/** An event stream that carries these events, then ends, is cut off, or stays open. */
export function stream(
  events: readonly ScriptedEvent[],
  then: "ends" | "breaks" | "stays" = "ends",
): UpstreamResponse {
  return {
    ...bare(200, "text/event-stream"),
    async *events() {
      for (const { data, id, retryMs, type } of events) {
        const text = data === undefined || typeof data === "string" ? data : JSON.stringify(data);
        yield { data: encoder.encode(text ?? ""), id, retryMs, type };
      }
      if (then === "breaks") throw new Error("cut off");
      if (then === "stays") await new Promise(() => {});
    },
  };
}

/** The answer to a request. */
export function result(id: unknown, value: unknown = {}) {
  return { jsonrpc: "2.0", id, result: value };
}

/** The bridge and its surroundings. */
export class UpstreamRig {
  readonly timers = new HandTimers();
  /** All requests. */
  readonly sent: Sent[] = [];
  /** What happened, line by line. */
  transcript: string[] = [];
  readonly bridge: UpstreamBridge;

  /** Starts with a script; undefined from it is the default: 202, or 405 to a GET. */
  constructor(script: (sent: Sent) => Scripted | undefined | Promise<Scripted | undefined>) {
    const note = (prefix: string) => (line: Uint8Array) =>
      void this.transcript.push(`${prefix} ${decoder.decode(line)}`);
    this.bridge = new UpstreamBridge({
      link: this.#link(script),
      timers: this.timers,
      output: { write: (line) => Promise.resolve(note("host <")(line)) },
      tap: { clientLine() {}, serverLine() {}, proxy: note("log proxy") },
      exitGraceMs: 30_000,
      say: (line) => void this.transcript.push(`say ${line}`),
    });
  }

  /** Hands lines of the host over and lets all settle; what that added to the transcript. */
  async host(...lines: readonly unknown[]): Promise<string[]> {
    const from = this.transcript.length;
    for (const line of lines) {
      const text = typeof line === "string" ? line : JSON.stringify(line);
      void this.bridge.line(encoder.encode(text));
      await turns();
    }
    return this.transcript.slice(from);
  }

  /** Takes what is in the transcript out of it. */
  news(): string[] {
    return this.transcript.splice(0);
  }

  /** Opens a legacy session. */
  async hello(): Promise<void> {
    await this.host(
      { jsonrpc: "2.0", id: 0, method: "initialize", params: {} },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    );
  }

  #link(
    script: (sent: Sent) => Scripted | undefined | Promise<Scripted | undefined>,
  ): UpstreamLink {
    const send = async (
      verb: Sent["verb"],
      { headers, body, signal }: {
        readonly headers: HeaderList;
        readonly body?: Uint8Array;
        readonly signal: AbortSignal | undefined;
      },
    ): Promise<UpstreamResponse> => {
      const text = decoder.decode(body);
      const sent: Sent = {
        verb,
        headers: Object.fromEntries(headers),
        text,
        message: text === "" ? undefined : JSON.parse(text),
      };
      this.sent.push(sent);
      const named = headers.map(([name, value]) => ` ${name}=${value}`).join("");
      this.transcript.push(`${verb}${text === "" ? "" : ` ${text}`}${named}`);
      const gone = new Promise<string>((resolve) =>
        signal?.addEventListener("abort", () => resolve("aborted"))
      );
      const scripted = await Promise.race([script(sent), gone]) ?? bare(verb === "GET" ? 405 : 202);
      if (typeof scripted === "string") throw new Error(scripted);
      return scripted;
    };
    return {
      post: (body, headers, { signal }: SendLimits) => send("POST", { headers, body, signal }),
      get: (headers, { signal }) => send("GET", { headers, signal }),
      delete: (headers, { signal }) => send("DELETE", { headers, signal }),
    };
  }
}

async function* none(): AsyncGenerator<StreamEvent> {}
