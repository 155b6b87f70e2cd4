import { assertEquals } from "@std/assert";
import { Chain } from "../intercept/chain/chain.ts";
import type { InterceptorFactory } from "../intercept/chain/interceptor.ts";
import type { Chains, NewSession } from "../intercept/kinds/chains.ts";
import type { ByteSource } from "../relay/pump.ts";
import type { RelayEnds } from "../relay/relay.ts";
import { chained } from "./stdio_chain.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A source that gives what it is handed, one chunk a read. */
class Scripted implements ByteSource {
  readonly #ready: (string | null)[] = [];
  #wake: ((chunk: Uint8Array | null) => void) | undefined;

  put(chunk: string | null): void {
    if (this.#wake === undefined) return void this.#ready.push(chunk);
    this.#wake(chunk === null ? null : encoder.encode(chunk));
    this.#wake = undefined;
  }

  read(): Promise<Uint8Array | null> {
    const next = this.#ready.shift();
    if (next !== undefined) return Promise.resolve(next === null ? null : encoder.encode(next));
    return new Promise((resolve) => this.#wake = resolve);
  }
}

function session(make: InterceptorFactory) {
  const [host, output] = [new Scripted(), new Scripted()];
  const exit = Promise.withResolvers<number>();
  const chains: Pick<Chains, "begin"> = {
    begin: ({ toServer, toHost }: NewSession) =>
      new Chain({
        toServer,
        toHost,
        log: undefined,
        monotonicMs: () => 0,
        later: () => () => {},
        say: () => {},
      }, [make]),
  };
  const plain = { input: host, server: { output, exit: exit.promise } } as unknown as RelayEnds;
  const { relay, end } = chained(chains as Chains, plain, {
    id: "s",
    hostSession: undefined,
    log: undefined,
  });
  const read = async (source: ByteSource) => {
    const bytes = await source.read();
    return bytes && decoder.decode(bytes);
  };
  return {
    host,
    output,
    exit,
    end,
    toServer: () => read(relay.input),
    toHost: () => read(relay.server.output),
  };
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}\n';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n';

Deno.test("chained() hands a chunk on, and an empty one where all of it is kept", async () => {
  const held = Promise.withResolvers<void>();
  const run = session(() => ({
    name: "holding",
    onMessage: (crossing) =>
      crossing.kind === "answer" ? held.promise.then(() => ({ kind: "pass" })) : { kind: "pass" },
  }));
  run.host.put(CALL);
  assertEquals(await run.toServer(), CALL);
  run.output.put(ANSWER);
  assertEquals(await run.toHost(), "");
  const next = run.toHost(); // It waits, while the server says nothing more.
  held.resolve();
  assertEquals(await next, ANSWER);
  run.output.put(null);
  assertEquals(await run.toHost(), null);
});

Deno.test("chained() keeps the order of a held answer and a chunk that came meanwhile", async () => {
  const held = Promise.withResolvers<void>();
  const run = session(() => ({
    name: "holding",
    onMessage: (crossing) =>
      crossing.kind === "answer" ? held.promise.then(() => ({ kind: "pass" })) : { kind: "pass" },
  }));
  run.host.put(CALL);
  await run.toServer();
  run.output.put(ANSWER);
  assertEquals(await run.toHost(), "");
  const first = run.toHost();
  held.resolve();
  assertEquals(await first, ANSWER);
  run.output.put('{"a":1}\n'); // It comes while nobody reads.
  assertEquals(await run.toHost(), '{"a":1}\n');
});

Deno.test("chained() gives an answer that an interceptor promised and brings when the server ends", async () => {
  const promised = Promise.withResolvers<{ text: string; isError: boolean }>();
  const run = session(() => ({
    name: "promising",
    onMessage: (crossing) =>
      crossing.kind === "request" ? { kind: "answer", answer: promised.promise } : { kind: "pass" },
    close: () => promised.resolve({ text: "not known whether it was done", isError: true }),
  }));
  run.host.put(CALL);
  assertEquals(await run.toServer(), "");
  run.output.put(null);
  const answer = await run.toHost() ?? "";
  assertEquals(JSON.parse(answer).result.content[0].text, "not known whether it was done");
  assertEquals(await run.toHost(), null);
});

Deno.test("chained() lets go of what is held when the server is gone", async () => {
  const held = Promise.withResolvers<{ readonly kind: "pass" }>();
  const run = session(() => ({
    name: "holding",
    onMessage: (crossing) => crossing.kind === "answer" ? held.promise : { kind: "pass" },
    close: () => held.resolve({ kind: "pass" }),
  }));
  run.host.put(CALL);
  await run.toServer();
  run.output.put(ANSWER);
  assertEquals(await run.toHost(), "");
  run.exit.resolve(0);
  assertEquals(await run.toHost(), ANSWER);
  await run.end();
});
