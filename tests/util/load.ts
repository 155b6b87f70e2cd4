/**
 * A bounded load on a listening proxy: many sessions, all of them using id 1 and
 * progress token 1, and hosts that vanish in the middle of calls.
 *
 * Usage: `deno task load [SESSIONS] [CALLS] [ROUNDS]`, 64, 200 and 1 by default. Each further round
 * puts the same load on the same proxy again, which shows whether anything is held.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { util } from "./executables.ts";
import { type HttpHost, ListeningProxy, toolCall } from "./listening_proxy.ts";
import { gone } from "./manual_host.ts";

/** What a load came to. */
export interface LoadReport {
  /** Answers that arrived. */
  readonly answers: number;
  /** Calls whose host hung up. */
  readonly vanished: number;
  /** The proxy's memory before all of it, in MB. */
  readonly beforeMb: number;
  /** Its memory at its most in each round, in MB. */
  readonly mostMb: readonly number[];
  /** Its memory after each round, all sessions ended, in MB. */
  readonly afterMb: readonly number[];
  /** Calls per second. */
  readonly rate: number;
}

/**
 * Puts the load on a proxy of its own, and checks each answer.
 *
 * @param sessions How many sessions at once.
 * @param calls How many calls in each, one after another.
 * @param rounds How many times.
 * @returns What it came to.
 */
export async function load(sessions: number, calls: number, rounds = 1): Promise<LoadReport> {
  const server = ["--", ...util("echo_mcp_server")];
  const proxy = await ListeningProxy.start({ server });
  const memory = async () => {
    const status = await Deno.readTextFile(`/proc/${proxy.pid}/status`);
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  };
  await (await proxy.open()).delete();
  const beforeMb = await memory();
  const [mostMb, afterMb]: [number[], number[]] = [[], []];
  let [answers, vanished, seconds] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    let most = 0;
    const watch = setInterval(async () => most = Math.max(most, await memory()), 200);
    const came = await oneRound(proxy, sessions, calls);
    await (await proxy.open()).delete();
    clearInterval(watch);
    mostMb.push(most);
    afterMb.push(await memory());
    answers += came.answers;
    vanished += came.vanished;
    seconds += came.seconds;
  }
  proxy.kill("SIGTERM");
  assertEquals(await proxy.exit(), 0);
  const stderr = await proxy.stderr();
  assert(!stderr.includes("internal error"), stderr);
  await proxy[Symbol.asyncDispose]();
  const rate = Math.round((answers + vanished) / seconds);
  return { answers, vanished, beforeMb, mostMb, afterMb, rate };
}

async function oneRound(
  proxy: ListeningProxy,
  sessions: number,
  calls: number,
): Promise<{ readonly answers: number; readonly vanished: number; readonly seconds: number }> {
  let [answers, vanished] = [0, 0];
  const started = performance.now();
  const hosts: HttpHost[] = [];
  for (let i = 0; i < sessions; i += 8) {
    const some = Array.from({ length: Math.min(8, sessions - i) }, () => proxy.open());
    hosts.push(...await Promise.all(some));
  }
  const pids = await Promise.all(hosts.map(async (host) => {
    const [answer] = await host.call("pid", "whoami");
    return Number(answer.result.content[0].text);
  }));
  assertEquals(new Set(pids).size, sessions);
  await Promise.all(hosts.map(async (host, h) => {
    const random = seeded(h + 1);
    for (let i = 0; i < calls; i++) {
      if (random() < 0.05) {
        await vanish(host, `v${i}`, random() * 100);
        vanished++;
        continue;
      }
      const text = `session ${h}, call ${i}`;
      const withProgress = random() < 0.2;
      const messages = withProgress
        ? await host.call(1, "progress", { count: 2 }, { progressToken: 1 })
        : await host.call(1, "echo", { text });
      const answer = messages.at(-1);
      assertEquals(answer.id, 1);
      assertEquals(answer.result.content[0].text, withProgress ? "done" : text);
      if (withProgress) assertEquals(messages.map((m) => m.params?.progress), [0, 1, undefined]);
      answers++;
    }
  }));
  const seconds = (performance.now() - started) / 1000;
  await Promise.all(hosts.map((host) => host.delete()));
  await Promise.all(pids.map(gone));
  return { answers, vanished, seconds };
}

/** A host that hangs up while its call is under way. */
async function vanish(host: HttpHost, id: string, afterMs: number): Promise<void> {
  const response = await host.post(
    toolCall(id, "progress", { count: 3, ms: 40 }, { progressToken: id }),
  );
  if (afterMs < 30) return void await response.body?.cancel();
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

/** A sequence that is the same in each run. */
function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761 >>> 0;
  return () => {
    state = Math.imul(state ^ state >>> 15, 2_246_822_519) + 0x9e3779b9 >>> 0;
    return ((state ^ state >>> 13) >>> 0) / 2 ** 32;
  };
}

if (import.meta.main) {
  const [sessions = 64, calls = 200, rounds = 1] = Deno.args.map(Number);
  console.log(JSON.stringify(await load(sessions, calls, rounds)));
}
