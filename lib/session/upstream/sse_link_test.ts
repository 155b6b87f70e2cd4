import { assertEquals, assertRejects } from "@std/assert";
import { HandTimers, turns } from "../../../tests/util/hand_timers.ts";
import { bare, json } from "../../../tests/util/upstream_rig.ts";
import { UpstreamBridge } from "./bridge.ts";
import { EventQueue } from "./event_queue.ts";
import { FoundLink } from "./found_link.ts";
import type { HeaderList, UpstreamLink, UpstreamResponse } from "./link.ts";
import { SseLink } from "./sse_link.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const URL_OF_STREAM = "http://old.example/sse";

/** A server of the old transport, and the session of a host with it. */
class OldServer {
  readonly timers = new HandTimers();
  /** What was asked of it. */
  readonly asked: string[] = [];
  /** What the host got, and what was said. */
  readonly host: string[] = [];
  endpoint = "/message?session=1";
  /** The answer to a POST. */
  onPost: (text: string) => UpstreamResponse = () => bare(202);
  stream = new EventQueue();
  readonly link: SseLink;
  readonly bridge: UpstreamBridge;

  constructor() {
    this.link = new SseLink({
      url: URL_OF_STREAM,
      linkTo: (url) => this.#linkTo(url),
      timers: this.timers,
    });
    this.bridge = this.bridgeOver(this.link);
  }

  bridgeOver(link: UpstreamLink): UpstreamBridge {
    return new UpstreamBridge({
      link,
      timers: this.timers,
      output: { write: (line) => Promise.resolve(void this.host.push(decoder.decode(line))) },
      tap: undefined,
      exitGraceMs: 1_000,
      say: (line) => void this.host.push(`say ${line}`),
    });
  }

  /** The host sends a message. */
  async send(message: unknown): Promise<string[]> {
    void this.bridge.line(encoder.encode(JSON.stringify(message)));
    await turns();
    return this.host.splice(0);
  }

  /** The server says something on its stream; what the host gets. */
  async say(data: unknown, type?: string): Promise<string[]> {
    this.emit(data, type);
    await turns();
    return this.host.splice(0);
  }

  emit(data: unknown, type = "message"): void {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    void this.stream.push({ data: encoder.encode(text), id: "7", retryMs: 5, type });
  }

  async hello(): Promise<void> {
    await this.send({ id: 0, method: "initialize", params: {} });
    await this.say({ id: 0, result: { protocolVersion: "2024-11-05" } });
    await this.send({ method: "notifications/initialized" });
    this.asked.splice(0);
  }

  #linkTo(url: string): UpstreamLink {
    const note = (verb: string, headers: HeaderList, text = "") =>
      void this.asked.push([verb, url, ...headers.flat(), text].join(" ").trim());
    return {
      post: (body, headers) => {
        const text = decoder.decode(body);
        note("POST", headers, text);
        return Promise.resolve(this.onPost(text));
      },
      get: (headers, { signal }) => {
        note("GET", headers);
        const stream = this.stream = new EventQueue();
        signal?.addEventListener("abort", () => stream.end());
        if (this.endpoint !== "") this.emit(this.endpoint, "endpoint");
        const events = () => stream.read(() => true);
        return Promise.resolve({ ...bare(200, "text/event-stream"), events });
      },
      delete: () => Promise.reject(new Error("the old transport has no DELETE")),
    };
  }
}

const call = (id: number) => ({ id, method: "tools/call", params: { name: "t" } });

Deno.test("SseLink posts where the first event says, and answers from the stream", async () => {
  const server = new OldServer();
  const first = { id: 0, method: "initialize", params: {} };
  await server.send(first);
  assertEquals(server.asked, [
    `GET ${URL_OF_STREAM}`,
    `POST http://old.example/message?session=1 ${JSON.stringify(first)}`,
  ]);
  const agreed = '{"id":0,  "result":{"protocolVersion":"2024-11-05"}}';
  assertEquals(await server.say(agreed), [agreed]);
  await server.send({ method: "notifications/initialized" });
  assertEquals(await server.send(call(1)), []);
  const progress = { method: "notifications/progress", params: { progress: 1 } };
  assertEquals(await server.say(progress), [JSON.stringify(progress)]);
  assertEquals(await server.say({ id: "s", method: "roots/list" }), [
    '{"id":"s","method":"roots/list"}',
  ]);
  assertEquals(await server.say({ id: 1, result: {} }), ['{"id":1,"result":{}}']);
  assertEquals(await server.say({ id: 1, result: {} }), [], "an answer to nobody");
  assertEquals(await server.say("ping", "other"), []);
  assertEquals(server.asked.at(-1)?.includes("mcp-"), false, "no header of Streamable HTTP");
  await server.bridge.end();
});

Deno.test("SseLink answers parallel calls each with its own, in the order of the stream", async () => {
  const server = new OldServer();
  await server.hello();
  for (const id of [1, 2, 3]) await server.send(call(id));
  const events = [{ id: 3, result: 3 }, { method: "n" }, { id: 1, result: 1 }, { id: 2, error: 2 }];
  for (const event of events) server.emit(event);
  await turns();
  assertEquals(server.host, events.map((event) => JSON.stringify(event)));
  await server.bridge.end();
});

Deno.test("a call that the old server refuses, or whose stream ends, gets an error", async () => {
  const server = new OldServer();
  await server.hello();
  server.onPost = () => bare(500);
  const [refused] = await server.send(call(1));
  assertEquals(
    JSON.parse(refused ?? "").error.message,
    "the upstream refused the request: HTTP 500",
  );
  server.onPost = () => bare(202);
  await server.send(call(2));
  server.stream.end();
  await turns();
  assertEquals(
    server.host.splice(0).map((line) => JSON.parse(line).error.message),
    ["the upstream's event stream ended without the answer"],
  );
});

Deno.test("SseLink opens another session, with the host's own words, when the stream has ended", async () => {
  const server = new OldServer();
  await server.hello();
  server.stream.end();
  await turns();
  await server.send(call(1));
  const [get, initialize] = server.asked;
  assertEquals(get, `GET ${URL_OF_STREAM}`);
  const { id } = JSON.parse(initialize?.split(" ")[2] ?? "");
  assertEquals(await server.say({ id, result: { protocolVersion: "2024-11-05" } }), [
    "say the upstream had lost the session; opened another",
  ]);
  assertEquals(await server.say({ id: 1, result: 1 }), ['{"id":1,"result":1}']);
  await server.bridge.end();
});

Deno.test("SseLink follows no endpoint of another origin, and waits for none without end", async () => {
  for (const endpoint of ["http://evil.example/message", "//evil.example/", "http://"]) {
    const server = new OldServer();
    server.endpoint = endpoint;
    await assertRejects(() => server.link.open([]), Error, "another origin");
    assertEquals(server.asked, [`GET ${URL_OF_STREAM}`]);
  }
  const silent = new OldServer();
  silent.endpoint = "";
  const opened = assertRejects(() => silent.link.open([]), Error, "in time");
  await turns();
  await silent.timers.ring();
  await opened;
});

Deno.test("FoundLink asks for the old transport only where initialize is refused as old servers do", async () => {
  for (const status of [400, 404, 405]) {
    const server = new OldServer();
    const present = { ...server.link, post: () => Promise.resolve(bare(status)) };
    const found = new FoundLink(present as unknown as UpstreamLink, server.link, () => {});
    const bridge = server.bridgeOver(found);
    void bridge.line(encoder.encode('{"id":0,"method":"initialize"}'));
    await turns();
    assertEquals(await server.say({ id: 0, result: 1 }), ['{"id":0,"result":1}']);
    // The stream that was found is the session's: a server may have room for one alone.
    assertEquals(server.asked.map((line) => line.split(" ")[0]), ["GET", "POST"]);
    await bridge.end();
  }
  const said: string[] = [];
  const refusing = (response: UpstreamResponse) =>
    new FoundLink(
      { post: () => Promise.resolve(response) } as unknown as UpstreamLink,
      Object.assign(new OldServer().link, { open: () => Promise.reject(new Error("HTTP 404")) }),
      (line) => void said.push(line),
    );
  const body = encoder.encode('{"id":0,"method":"initialize"}');
  for (const [response, says] of [[bare(404), 1], [bare(401), 1], [json({}), 1]] as const) {
    assertEquals(await refusing(response).post(body, [], {}), response);
    assertEquals(said.length, says);
  }
  assertEquals(said, ["no HTTP+SSE server either: HTTP 404"]);
});
