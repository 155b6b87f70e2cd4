/**
 * Kills a server at random points of real traffic: the session goes on, each request gets one
 * answer, and no write is done twice. `HOIST_RESTART_KILLS` asks for more kills.
 */

import { assert, assertEquals } from "@std/assert";
import { util } from "../../tests/util/executables.ts";
import { type RelayEnds, startRelay } from "../relay/relay.ts";
import { denoTimers } from "../runtime/deno_timers.ts";
import { LineQueue } from "./line_queue.ts";
import { RestartingServer } from "./restarting_server.ts";

const KILLS = Number(Deno.env.get("HOIST_RESTART_KILLS") ?? "4");
const SEED = Number(Deno.env.get("HOIST_SEED") ?? "7");
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A small generator of chance, the same for each seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly error?: { readonly data: { readonly sent: boolean } };
}

/** A host that keeps several requests open, and a server that survives. */
class Traffic {
  readonly input = new LineQueue(1 << 20);
  readonly answers = new Map<number, Answer>();
  readonly sent = new Map<number, string>();
  listChanges = 0;
  #waiting: { readonly test: () => boolean; readonly resolve: () => void }[] = [];
  #rest = "";

  request(method: string, params: unknown = {}): number {
    const id = this.sent.size;
    const name = (params as { name?: string }).name ?? method;
    this.sent.set(id, name);
    this.input.put(encoder.encode(JSON.stringify({ jsonrpc: "2.0", id, method, params })));
    return id;
  }

  call(name: string): number {
    return this.request("tools/call", { name, arguments: { token: `t${this.sent.size}` } });
  }

  /** Takes what comes to the host. */
  readonly output = {
    write: (bytes: Uint8Array): Promise<void> => {
      const lines = (this.#rest + decoder.decode(bytes)).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) {
        const answer: Answer = JSON.parse(line);
        if (answer.method !== undefined) this.listChanges++;
        if (answer.id === undefined) continue;
        assert(!this.answers.has(answer.id), `a second answer: ${line}`);
        this.answers.set(answer.id, answer);
      }
      const ready = this.#waiting.filter(({ test }) => test());
      this.#waiting = this.#waiting.filter((waiting) => !ready.includes(waiting));
      ready.forEach(({ resolve }) => resolve());
      return Promise.resolve();
    },
  };

  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ test, resolve }));
  }
}

Deno.test(`a session survives ${KILLS} kills of its server, and no write is done twice`, async () => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-kills-" });
  const random = chance(SEED);
  const traffic = new Traffic();
  let nowMs = 0;
  const server = new RestartingServer({
    command: [...util("counting_server"), dir],
    isWatching: false,
    log: { crossed() {}, answered() {}, hidden() {} },
    timers: denoTimers,
    monotonicMs: () => nowMs,
    say: () => {},
  });
  const ends: RelayEnds = {
    input: traffic.input,
    output: traffic.output,
    server: server.server,
    tap: undefined,
    exitGraceMs: 30_000,
    say: () => {},
  };
  const relay = startRelay(ends);
  const initialize = traffic.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
  });
  await traffic.until(() => traffic.answers.has(initialize));
  traffic.input.put(encoder.encode('{"jsonrpc":"2.0","method":"notifications/initialized"}'));
  const list = traffic.request("tools/list");
  await traffic.until(() => traffic.answers.has(list));

  for (let kill = 0; kill < KILLS; kill++) {
    const goal = traffic.answers.size + 1 + Math.floor(random() * 40);
    for (let i = 0; i < 60; i++) traffic.call(random() < 0.5 ? "write" : "read");
    await traffic.until(() => traffic.answers.size >= goal);
    nowMs += 60_001; // A crash a minute: the attempts go on.
    const changes = traffic.listChanges;
    Deno.kill(Number(await Deno.readTextFile(`${dir}/pid`)), "SIGKILL");
    for (let i = 0; i < 5; i++) traffic.call(random() < 0.5 ? "write" : "read");
    await traffic.until(() => traffic.listChanges > changes);
  }
  await traffic.until(() => traffic.answers.size === traffic.sent.size);
  traffic.input.end();
  assertEquals(await relay.done, 0);

  const done = (await Deno.readTextFile(`${dir}/writes`)).trim().split("\n");
  const times = Map.groupBy(done, (token) => token);
  assertEquals([...times].filter(([, all]) => all.length > 1), [], "no write twice");
  let failed = 0;
  for (const [id, { error }] of traffic.answers) {
    const name = traffic.sent.get(id);
    if (error !== undefined) failed++;
    if (name !== "write") assertEquals(error, undefined, `a read fails: ${id}`);
    else if (error === undefined) assert(times.has(`t${id}`), `an answered write is lost: ${id}`);
    else assertEquals(error.data, { sent: true });
  }
  if (KILLS > 20) console.log(`${traffic.sent.size} requests, ${failed} writes answered unknown`);
  await Deno.remove(dir, { recursive: true });
});
