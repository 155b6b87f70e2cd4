/**
 * A chain of interceptors without pipes: a test hands it lines of both sides, reads the
 * lines it hands out, and rings its timers.
 *
 * @module
 */

import { assert } from "@std/assert";
import { newTally, summaryLine } from "../../lib/intercept/flow/tally.ts";
import { Chain } from "../../lib/intercept/chain/chain.ts";
import type { ChainPorts } from "../../lib/intercept/chain/chain_ports.ts";
import { flowInterceptor } from "../../lib/intercept/flow/flow.ts";
import type { FlowSetting } from "../../lib/intercept/flow/setting.ts";
import type { InterceptorFactory } from "../../lib/intercept/chain/interceptor.ts";
import { type InterceptorName, ORDER } from "../../lib/intercept/order.ts";
import { FlowDecider } from "../../lib/flow/deciding/decider.ts";
import type { Flow } from "../../lib/flow/flow.ts";
import { asPrinted, learned, read } from "./parcels.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A line as bytes. */
export function bytesOf(line: unknown): Uint8Array {
  if (line instanceof Uint8Array) return line;
  return encoder.encode(typeof line === "string" ? line : JSON.stringify(line));
}

/** The flow of the formats' worked example. */
export const PARCELS: Flow = asPrinted(await learned());

/** How a flow is served, by default. */
export function setting(changes: Partial<FlowSetting> = {}): FlowSetting {
  const flow = changes.flow ?? PARCELS;
  return {
    flow,
    decider: (answers) => new FlowDecider(flow, "reach", answers),
    limits: { threshold: 0.3 },
    read,
    isShadow: false,
    explore: undefined,
    tools: undefined,
    lookupMs: 10_000,
    budget: undefined,
    oracle: undefined,
    questions: 300,
    taskId: undefined,
    serverName: undefined,
    ...changes,
  };
}

const text = { type: "string" };

/** The tools of the parcels' server. */
export const TOOLS = [
  ["find_sender", "email"],
  ["get_parcel", "parcel_id"],
  ["get_sender", "sender_id"],
  ["hold_parcel", "parcel_id", "reason"],
].map(([name, ...args]) => ({
  name,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(args.map((arg) => [arg, text])),
    required: args,
  },
  annotations: { readOnlyHint: name !== "hold_parcel" },
}));

/** What the parcels' server answers. */
export function parcelsAnswer(tool: string, args: Json): string {
  if (tool === "find_sender") return args.email === "b" ? "S-21" : "S-20";
  if (tool === "get_sender") {
    return `{"sender_id":"${args.sender_id}","parcels":["P-7","P-8"]}`;
  }
  if (tool === "get_parcel") return `{"parcel_id":"${args.parcel_id}","status":"held"}`;
  return "held";
}

/** Interceptors in the order of a chain. */
function inOrder(
  found: Readonly<Partial<Record<string, InterceptorFactory>>>,
): InterceptorFactory[] {
  return ORDER.flatMap(({ name }) => found[name] ?? []);
}

/** One session. */
export class ChainRig {
  readonly session: Chain;
  /** The host's lines that went to the server. */
  readonly server: string[] = [];
  /** Lines of the proxy's own that went to the server and were not taken yet. */
  readonly own: string[] = [];
  /** Lines that went to the host. */
  readonly host: string[] = [];
  /** The session log: who, and the line. */
  readonly log: [from: string, line: string][] = [];
  /** The flow log. */
  readonly flowLog: Json[] = [];
  readonly said: string[] = [];
  /** Tools the server lists. */
  tools: readonly Json[] = TOOLS;
  now = 0;
  readonly #tally = newTally();
  readonly #timers = new Set<{ readonly at: number; readonly ring: () => void }>();

  /** What its flow did, as the user is told. */
  summary(): string | undefined {
    return summaryLine(this.#tally);
  }

  constructor(
    flow: Partial<FlowSetting> | null = {},
    others: Partial<Record<InterceptorName, InterceptorFactory>> = {},
    ports: Partial<ChainPorts> = {},
  ) {
    const into = (list: string[]) => (line: Uint8Array) => void list.push(decoder.decode(line));
    const logged = (from: string) => (line: Uint8Array) =>
      void this.log.push([from, decoder.decode(line)]);
    this.session = new Chain(
      {
        toServer: into(this.server),
        toServerOwn: into(this.own),
        toHost: into(this.host),
        log: {
          client: logged("client"),
          server: logged("server"),
          proxy: logged("proxy"),
          context: logged("context"),
        },
        monotonicMs: () => this.now,
        later: (ms, ring) => {
          const timer = { at: this.now + ms, ring };
          this.#timers.add(timer);
          return () => void this.#timers.delete(timer);
        },
        say: (line) => void this.said.push(line),
        ...ports,
      },
      inOrder({
        ...(flow === null ? {} : { flow: this.#flow(flow) }),
        ...others,
      }),
    );
  }

  #flow(changes: Partial<FlowSetting>) {
    return flowInterceptor(setting(changes), {
      id: "s",
      tally: this.#tally,
      log: (lines) => this.flowLog.push(...lines.split("\n").map((line) => JSON.parse(line))),
    });
  }

  /** Timers that run. */
  get timers(): number {
    return this.#timers.size;
  }

  /** The host sends lines. */
  fromHost(...lines: readonly unknown[]): void {
    for (const line of lines) this.#give(line, (bytes) => this.session.fromHost(bytes));
  }

  /** The server sends lines. */
  fromServer(...lines: readonly unknown[]): void {
    for (const line of lines) this.#give(line, (bytes) => this.session.fromServer(bytes));
  }

  /** The host calls a tool. */
  call(id: Json, name: string, args: Json = {}, more: Json = {}): void {
    const params = { name, arguments: args, ...more };
    this.fromHost({ jsonrpc: "2.0", id, method: "tools/call", params });
  }

  /** The server answers a request with a text. */
  answer(id: Json, words: string, more: Json = {}): void {
    const result = { content: [{ type: "text", text: words }], ...more };
    this.fromServer({ jsonrpc: "2.0", id, result });
  }

  /** The next message of the proxy's own. */
  async next(): Promise<Json> {
    await settled();
    const line = this.own.shift();
    assert(line !== undefined, "the proxy asked nothing");
    return JSON.parse(line);
  }

  /** Answers what the proxy asks of the server, until it asks no more; what it asked. */
  async serve(answerOf: (tool: string, args: Json) => string = parcelsAnswer): Promise<Json[]> {
    const asked: Json[] = [];
    for (await settled(); this.own.length > 0; await settled()) {
      const message = JSON.parse(this.own.shift() ?? "");
      if (message.id === undefined) continue;
      asked.push(message);
      if (message.method === "tools/list") {
        this.fromServer({ jsonrpc: "2.0", id: message.id, result: { tools: this.tools } });
      } else {
        const words = answerOf(message.params.name, message.params.arguments);
        this.answer(message.id, words, words.startsWith("Error") ? { isError: true } : {});
      }
    }
    return asked;
  }

  /** The lookups among what the proxy asked. */
  async lookups(answerOf?: (tool: string, args: Json) => string): Promise<string[]> {
    const asked = await this.serve(answerOf);
    return asked.filter((m) => m.method === "tools/call")
      .map(({ params }) => `${params.name} ${JSON.stringify(params.arguments)}`);
  }

  /** A call and its answer, and what the proxy asks meanwhile; the lookups. */
  async turn(id: Json, tool: string, args: Json, more: Json = {}): Promise<string[]> {
    this.call(id, tool, args, more);
    const before = await this.lookups();
    this.answer(id, parcelsAnswer(tool, args));
    return [...before, ...await this.lookups()];
  }

  /** The texts of the last result that went to the host. */
  texts(): string[] {
    return JSON.parse(this.host.at(-1) ?? "null").result.content.map((c: Json) => c.text);
  }

  /** Time passes. */
  async tick(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      await settled();
      const due = [...this.#timers].filter((t) => t.at <= until).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.now = Math.max(this.now, due.at);
      due.ring();
    }
    this.now = until;
    await settled();
  }

  /** Lines are lent: the bytes are used again as soon as the call is over. */
  #give(line: unknown, take: (bytes: Uint8Array) => void): void {
    const bytes = bytesOf(line).slice();
    take(bytes);
    bytes.fill(0x23);
  }
}

/** Lets what waits for nothing but its turn go on. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}

/** The heading and the lookups, as the agent gets them. */
export function appendix(...lookups: readonly (readonly [call: string, content: string])[]) {
  return "\n" + [
    "--- Also looked up automatically (current results; no need to repeat these calls) ---",
    ...lookups.map(([call, content]) => `${call}:\n${content}`),
  ].join("\n\n");
}
