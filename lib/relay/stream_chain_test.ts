import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { concat } from "../bytes/concat.ts";
import { PASS, refuseCall } from "../intercept/chain/interceptor.ts";
import { relayStreams } from "./relay_streams.ts";
import type { StreamInterceptor, StreamInterceptorFactory } from "./stream_interceptor.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const idle: StreamInterceptorFactory = () => ({ name: "idle", onMessage: () => PASS });

function callOf(id: number, tool: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}"}}`;
}

/** An interceptor that does this for a call of `delete`. */
function forDelete(
  act: StreamInterceptor["onMessage"],
  more: Partial<StreamInterceptor> = {},
): StreamInterceptorFactory {
  return () => ({
    name: "deletes",
    mayRefuse: true,
    onMessage: (crossing) =>
      crossing.kind === "request" && crossing.call?.tool === "delete" ? act(crossing) : PASS,
    ...more,
  });
}

/** A session of these host and server chunks, whose server ends as its host does: what each side got, and what the user was told. */
async function session(
  interceptors: readonly StreamInterceptorFactory[],
  up: readonly Uint8Array[],
  down: readonly Uint8Array[] = [],
) {
  const [host, server, said]: [Uint8Array[], Uint8Array[], string[]] = [[], [], []];
  const ended = Promise.withResolvers<void>();
  let closed = 0;
  const into = (taken: Uint8Array[], close: () => void) =>
    new WritableStream<Uint8Array>({
      write: (chunk) => void taken.push(chunk.slice()),
      close: () => {
        closed++;
        close();
      },
    });
  async function* untilHostEnds() {
    yield* down;
    await ended.promise;
  }
  await relayStreams(
    { readable: ReadableStream.from(up), writable: into(host, () => {}) },
    { readable: ReadableStream.from(untilHostEnds()), writable: into(server, ended.resolve) },
    { interceptors, say: (line) => void said.push(line) },
  );
  assertEquals(closed, 2);
  const text = (taken: Uint8Array[]) => new TextDecoder().decode(concat(taken));
  return { host: text(host), server: text(server), said, raw: { host, server } };
}

function refusal(id: number, text: string): string {
  const result = { content: [{ type: "text", text }], isError: true };
  return JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n";
}

Deno.test("relayStreams() answers the host for an interceptor, and the server never sees the call", async () => {
  const [one, two] = [callOf(1, "delete"), callOf(2, "read")];
  const found = await session([forDelete(() => refuseCall("No."))], [bytes(`${one}\n${two}\n`)]);
  assertEquals(found.host, refusal(1, "No."));
  assertEquals(found.server, `${two}\n`);
  assertEquals(found.said, []);
});

Deno.test("relayStreams() lets every other byte cross an interceptor untouched", async () => {
  const line = fc.oneof(
    fc.uint8Array({ maxLength: 9 }),
    fc.json().map(bytes),
    fc.constant(bytes(`{ "id" : 1.0,"method":"ping" , "params":{}}`)),
  );
  const chunks = fc.array(line, { maxLength: 6 });
  await fc.assert(fc.asyncProperty(chunks, chunks, async (up, down) => {
    const { raw } = await session([idle, idle], up, down);
    assertEquals([...concat(raw.server)], [...concat(up)]);
    assertEquals([...concat(raw.host)], [...concat(down)]);
  }));
});

Deno.test("relayStreams() sends the line that an interceptor puts in place of an answer", async () => {
  const masking: StreamInterceptorFactory = () => ({
    name: "masking",
    onMessage(crossing) {
      if (crossing.kind !== "answer") return PASS;
      const line = new TextDecoder().decode(crossing.message.bytes).replace("4111", "****");
      return { kind: "replace", line: bytes(line) };
    },
  });
  const found = await session([masking], [], [bytes('{"id":1,"result":"4111"}\n{"id":2}\n')]);
  assertEquals(found.host, '{"id":1,"result":"****"}\n{"id":2}\n');
});

Deno.test("relayStreams() shows the host's lines as they were sent, refused ones too", async () => {
  const seen: string[] = [];
  const sink = () => new WritableStream<Uint8Array>();
  await relayStreams(
    { readable: ReadableStream.from([bytes(callOf(1, "delete"))]), writable: sink() },
    { readable: ReadableStream.from<Uint8Array>([]), writable: sink() },
    {
      interceptors: [forDelete(() => refuseCall("No."))],
      onLine: (from, line) => void seen.push(`${from} ${new TextDecoder().decode(line)}`),
    },
  );
  assertEquals(seen, [`client ${callOf(1, "delete")}`]);
});

Deno.test("relayStreams() sends on what waits for its verdict when the host ends", async () => {
  const one = callOf(1, "delete");
  let turns = 0;
  const slow = forDelete(async () => {
    for (; turns < 50; turns++) await Promise.resolve();
    return PASS;
  });
  const found = await session([slow], [bytes(`${one}\n`)]);
  assertEquals([found.server, turns], [`${one}\n`, 50]);
});

Deno.test("relayStreams() answers a call that waits for its verdict when the server ends", async () => {
  const serverEnd = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const hostLines: string[] = [];
  const taken = Promise.withResolvers<void>();
  const slow = forDelete(async () => {
    asked.resolve();
    await serverEnd.promise;
    return refuseCall("No.");
  });
  async function* host() {
    yield bytes(`${callOf(1, "delete")}\n`);
    await taken.promise; // The host ends once its side of the relay is closed.
  }
  await relayStreams({
    readable: ReadableStream.from(host()),
    writable: new WritableStream<Uint8Array>({
      write: (chunk) => void hostLines.push(new TextDecoder().decode(chunk)),
      close: taken.resolve,
    }),
  }, {
    readable: new ReadableStream({
      async start(controller) {
        await asked.promise;
        controller.close();
        serverEnd.resolve();
      },
    }),
    writable: new WritableStream<Uint8Array>(),
  }, { interceptors: [slow] });
  assertEquals(hostLines, [refusal(1, "No.")]);
});

Deno.test("relayStreams() gives an answer that is promised when both sides have ended", async () => {
  const answer = Promise.withResolvers<{ text: string; isError: boolean }>();
  const promising = forDelete(() => {
    // Long after the host has ended, and the server after it.
    setTimeout(() => answer.resolve({ text: "late", isError: false }), 20);
    return { kind: "answer", answer: answer.promise };
  });
  const { host, server } = await session([promising], [bytes(`${callOf(1, "delete")}\n`)]);
  assertEquals(server, "");
  assertEquals(JSON.parse(host).result.content[0].text, "late");
});

Deno.test("relayStreams() tells an interceptor what really goes to the server", async () => {
  const sent: unknown[] = [];
  const noting: StreamInterceptorFactory = () => ({
    name: "noting",
    onMessage: () => PASS,
    onSent: ({ call }) => void sent.push(call?.tool),
  });
  const refusing = forDelete(() => refuseCall("no"));
  await session([noting, refusing], [bytes(`${callOf(1, "read")}\n${callOf(2, "delete")}\n`)]);
  assertEquals(sent, ["read"]);
});

Deno.test("relayStreams() lists the tool of an interceptor, which answers its calls", async () => {
  const listing = { name: "delete", inputSchema: { type: "object" } };
  const tool = { name: "delete", listing: JSON.stringify(listing), instruction: "Ask first." };
  const adding = forDelete(() => refuseCall("asked"), { tool });
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  // The one request that comes to the server is answered once it has come.
  const server = new TransformStream<Uint8Array, Uint8Array>({
    transform: (_, out) => out.enqueue(bytes('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n')),
  });
  const toHost = new TransformStream<Uint8Array, Uint8Array>();
  const done = relayStreams(
    {
      readable: ReadableStream.from([bytes(`${list}\n${callOf(2, "delete")}\n`)]),
      writable: toHost.writable,
    },
    server,
    { interceptors: [adding] },
  );
  const host = await new Response(toHost.readable).text();
  await done;
  const answers = host.trim().split("\n").map((line) => JSON.parse(line).result);
  assertEquals(answers.find(({ tools }) => tools).tools, [listing]);
  assertEquals(answers.find(({ content }) => content).content[0].text, "asked");
});

Deno.test("relayStreams() closes an interceptor once", async () => {
  let closed = 0;
  await session([forDelete(() => PASS, { close: () => void closed++ })], [bytes("a\n")], [
    bytes("b\n"),
  ]);
  assertEquals(closed, 1);
});

Deno.test("relayStreams() makes the interceptors anew for each session, nearest to the host first", async () => {
  const asked: string[] = [];
  let made = 0;
  const named = (name: string): StreamInterceptorFactory => () => {
    made++;
    return {
      name,
      onMessage: ({ kind }) => {
        asked.push(`${kind} ${name}`);
        return PASS;
      },
    };
  };
  const interceptors = [named("a"), named("b")];
  await session(interceptors, [bytes(`${callOf(1, "read")}\n`)]);
  assertEquals(asked.filter((step) => step.startsWith("request")), ["request a", "request b"]);
  await session(interceptors, []);
  assertEquals(made, 4);
});

const FAULT = new Error("broken");
const UNCHECKED = "Refused: delete could not be checked, so it was not run and nothing changed.";

Deno.test("relayStreams() refuses a call if an interceptor that may refuse throws or rejects", async () => {
  for (
    const act of [
      () => {
        throw FAULT;
      },
      () => Promise.reject(FAULT),
    ]
  ) {
    const found = await session([forDelete(act)], [bytes(`${callOf(1, "delete")}\n`)]);
    assertEquals([found.host, found.server], [refusal(1, UNCHECKED), ""]);
    assertEquals(found.said, ["deletes: a fault, the message is refused: broken"]);
  }
});

Deno.test("relayStreams() passes a call if an interceptor that may not refuse throws", async () => {
  const one = `${callOf(1, "delete")}\n`;
  const broken = forDelete(() => {
    throw FAULT;
  }, { mayRefuse: false });
  const found = await session([broken], [bytes(one)]);
  assertEquals([found.host, found.server], ["", one]);
  assertEquals(found.said, ["deletes: a fault, the message passes as it is: broken"]);
});

Deno.test("relayStreams() answers a call with an error if its later answer rejects", async () => {
  const broken = forDelete(() => ({ kind: "answer", answer: Promise.reject(FAULT) }));
  const found = await session([broken], [bytes(`${callOf(1, "delete")}\n`)]);
  const text = "Error: deletes stopped: broken";
  assertEquals([found.host, found.server], [refusal(1, text), ""]);
  assertEquals(found.said.length, 1);
});

Deno.test("relayStreams() rejects with the error of a factory, and reads nothing", async () => {
  const host = { readable: ReadableStream.from([bytes("a\n")]), writable: new WritableStream() };
  const server = { readable: ReadableStream.from([bytes("b\n")]), writable: new WritableStream() };
  const interceptors: StreamInterceptorFactory[] = [() => {
    throw FAULT;
  }];
  await assertRejects(() => relayStreams(host, server, { interceptors }), Error, "broken");
  assertEquals([host.readable.locked, server.writable.locked], [false, false]);
  await Promise.all([host.readable.cancel(), server.readable.cancel()]);
});
