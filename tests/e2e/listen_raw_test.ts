/**
 * `hoist-mcp --listen` and hosts whose HTTP no library would write: old, cut into
 * bytes, in one packet, said twice, broken off.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { util } from "../util/executables.ts";
import { ListeningProxy, toolCall } from "../util/listening_proxy.ts";

const SERVER = ["--", ...util("echo_mcp_server")];
const JSON_TYPE = "Content-Type: application/json\r\n";
const CLOSE = "Connection: close\r\n";
const encoder = new TextEncoder();

/** Sends pieces, each in a write of its own; the statuses of all that comes back. */
async function statuses(port: number, pieces: Iterable<string>): Promise<number[]> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const read = new Response(connection.readable).text();
  read.catch(() => {}); // It is awaited once all is written, which may fail first.
  for (const piece of pieces) {
    const bytes = encoder.encode(piece);
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
  }
  return [...(await read).matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
}

Deno.test("hoist-mcp --listen reads HTTP as it may be written, and refuses what may not", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER });
  const host = await proxy.open();
  const port = Number(new URL(proxy.url).port);
  const own = `Host: 127.0.0.1:${port}\r\n`;
  const session = `Mcp-Session-Id: ${host.headers["mcp-session-id"]}\r\n`;
  const body = (id: number) => JSON.stringify(toolCall(id, "echo", { text: "x" }));
  const post = (id: number, more = CLOSE, version = "1.1") =>
    `POST /mcp HTTP/${version}\r\n${own}${JSON_TYPE}${session}${more}` +
    `Content-Length: ${body(id).length}\r\n\r\n${body(id)}`;
  const chunked = `POST /mcp HTTP/1.1\r\n${own}${JSON_TYPE}${session}${CLOSE}` +
    "Transfer-Encoding: chunked\r\n\r\n";
  const rows: readonly (readonly [string, Iterable<string>, number[]])[] = [
    ["HTTP/1.0", [post(1, "", "1.0")], [200]],
    ["three in one packet", [post(2, "") + post(3, "") + post(4)], [200, 200, 200]],
    ["byte by byte", post(5), [200]],
    ["chunks of a byte", [chunked, ...[...body(6)].map((c) => `1\r\n${c}\r\n`), "0\r\n\r\n"], [
      200,
    ]],
    ["names in capitals", [post(7).replace(JSON_TYPE, JSON_TYPE.toUpperCase())], [200]],
    ["the session twice", [post(8, session + CLOSE)], [404]],
    ["two origins", [post(9, `Origin: http://127.0.0.1:${port}\r\nOrigin: http://x\r\n${CLOSE}`)], [
      403,
    ]],
    ["two types", [post(10, `Content-Type: text/plain\r\n${CLOSE}`)], [415]],
    ["two lengths", [post(12, `Content-Length: 3\r\n${CLOSE}`)], [400]],
    ["a length and chunks", [post(13, `Transfer-Encoding: chunked\r\n${CLOSE}`)], [400]],
    ["a body that is none", [post(15).replace("{", "\u0001")], [400]],
    ["what is no HTTP", ["\x16\x03\x01\x02\r\n\r\n"], [400]],
  ];
  for (const [name, pieces, wanted] of rows) {
    assertEquals([name, await statuses(port, pieces)], [name, wanted]);
  }
  // By the runtime, whose versions differ in the status, or by us where it lets them through.
  // A connection may be reset while its host still writes.
  for (const more of [`Host: evil.example\r\n`, `X-Big: ${"x".repeat(1_000_000)}\r\n`]) {
    const [status = 0] = await statuses(port, [post(11, more + CLOSE)]).catch(() => [400]);
    assert([400, 403, 431].includes(status), `${more.slice(0, 20)}: ${status}`);
  }
  const waits = post(16, `Expect: 100-continue\r\n${CLOSE}`);
  assertEquals(await statuses(port, [waits]), [100, 200]);
});

Deno.test("hoist-mcp --listen loses nothing to hosts that break off in a request", async () => {
  await using proxy = await ListeningProxy.start({ server: SERVER, record: true });
  const host = await proxy.open();
  const port = Number(new URL(proxy.url).port);
  for (let i = 0; i < 20; i++) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(encoder.encode(
      i % 2 === 0
        ? "POST /mcp HTTP/1.1\r\nHost: 127"
        : `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${JSON_TYPE}` +
          `Mcp-Session-Id: ${host.headers["mcp-session-id"]}\r\nContent-Length: 500\r\n\r\n{`,
    ));
    connection.close();
  }
  const [answer] = await host.call(1, "echo", { text: "on" });
  assertEquals(answer.result.content[0].text, "on");
  proxy.kill("SIGTERM");
  assertEquals(await proxy.exit(), 0);
  assertMatch(await proxy.stderr(), /^hoist-mcp: recording to [^\n]*, one log per session\n$/);
  assertEquals((await proxy.logs()).map((log) => log.trimEnd().split("\n").length), [5]);
});
