/**
 * Exchanges between HTTP hosts and an HTTP upstream: what crosses
 * `hoist-mcp --listen --upstream` as it is, what ends at it, and what it makes of
 * a server that breaks off.
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ListeningProxy, toolCall } from "../util/listening_proxy.ts";
import { RawUpstream } from "../util/raw_upstream.ts";

const RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}';
const JSON_TYPE = "Content-Type: application/json\r\n";

function ok(body: string, headers = ""): string {
  return `HTTP/1.1 200 OK\r\n${JSON_TYPE}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** A proxy in front of a server that gives this answer, and one call of a host's. */
async function exchange(
  answer: string | Uint8Array,
  see: (response: Response, upstream: RawUpstream, proxy: ListeningProxy) => Promise<void> | void,
  { headers = {}, ...options }: {
    headers?: Record<string, string>;
    flags?: string[];
    env?: Record<string, string>;
    record?: boolean;
  } = {},
): Promise<void> {
  await using upstream = new RawUpstream(() => answer);
  await using proxy = await ListeningProxy.start({
    server: ["--upstream", upstream.url],
    ...options,
  });
  // The oldest runtime packs what a host takes packed.
  const all = { "accept-encoding": "identity", ...headers };
  await see(await proxy.post(toolCall(1, "t"), all), upstream, proxy);
}

Deno.test("hoist-mcp --listen --upstream forwards headers from end to end, and no others (C25, S20)", async () => {
  const down = "Connection: close, X-Hop\r\nX-Hop: 1\r\nX-End: 2\r\nKeep-Alive: timeout=5\r\n" +
    "Mcp-Session-Id: s 1\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n";
  await exchange(ok(RESULT, down), async (response, { heads: [head = ""] }) => {
    const names = [...response.headers.keys()].filter((name) => !["date", "vary"].includes(name));
    assertEquals(names, [
      "content-length",
      "content-type",
      "mcp-session-id",
      "set-cookie",
      "set-cookie",
      "x-end",
    ]);
    assertEquals(await response.text(), RESULT);
    const sent = head.split("\r\n").slice(1).map((line) => line.split(":")[0] ?? "");
    assertEquals(
      sent.filter((name) => !["accept-language", "user-agent"].includes(name)).sort(),
      ["accept", "accept-encoding", "authorization", "content-length", "content-type", "host"]
        .concat(["mcp-protocol-version", "x-end"]),
    );
    assertStringIncludes(head, "authorization: Bearer ours");
  }, {
    headers: {
      authorization: "Bearer the-hosts",
      "proxy-authorization": "Basic x",
      cookie: "a=1",
      te: "trailers",
      "hoist-session": "h",
      "mcp-protocol-version": "2025-11-25",
      "x-end": "1",
    },
    flags: ["--upstream-header", "Authorization=OURS"],
    env: { OURS: "Bearer ours" },
  });
});

Deno.test("hoist-mcp --listen --upstream drops what a host's Connection header names", async () => {
  await using upstream = new RawUpstream(() => ok(RESULT));
  await using proxy = await ListeningProxy.start({ server: ["--upstream", upstream.url] });
  const { port } = new URL(proxy.url);
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const body = JSON.stringify(toolCall(1, "t"));
  await connection.write(new TextEncoder().encode(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${JSON_TYPE}Connection: close, X-Hop\r\n` +
      `X-Hop: 1\r\nX-End: 2\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ));
  assertStringIncludes(await new Response(connection.readable).text(), RESULT);
  const [head = ""] = upstream.heads;
  assertEquals([/^x-hop:/im.test(head), /^x-end:/im.test(head)], [false, true]);
});

Deno.test("hoist-mcp --listen --upstream hands a refusal on with what it asks for", async () => {
  const refusal = "HTTP/1.1 401 Unauthorized\r\n" +
    'WWW-Authenticate: Bearer resource_metadata="http://up/x"\r\nContent-Length: 0\r\n\r\n';
  await exchange(refusal, async (response) => {
    assertEquals(response.status, 401);
    assertEquals(
      response.headers.get("www-authenticate"),
      'Bearer resource_metadata="http://up/x"',
    );
    assertEquals(await response.text(), "");
  });
});

const REDIRECTS = [
  [301, "/b", "which does not keep a POST"],
  [302, "/b", "which does not keep a POST"],
  [307, "/b", undefined],
  [307, "http://127.0.0.1:9/", "to another origin"],
  [308, "http://127.0.0.1:9/", "to another origin"],
] as const;

for (const [status, location, why] of REDIRECTS) {
  Deno.test(`hoist-mcp --listen --upstream never leads a host around: ${status} to ${location} (C26)`, async () => {
    const redirect =
      `HTTP/1.1 ${status} X\r\nLocation: ${location}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    const answer =
      `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Length: ${RESULT.length}\r\n\r\n${RESULT}`;
    const answers = [redirect, answer];
    await using upstream = new RawUpstream(() => answers.shift() ?? "");
    await using proxy = await ListeningProxy.start({ server: ["--upstream", upstream.url] });
    const response = await proxy.fetch({
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(toolCall(1, "t")),
    });
    assertEquals([response.status, response.headers.get("location")], [why ? 502 : 200, null]);
    const { error } = await response.json();
    assertEquals(error?.message.includes(why), why === undefined ? undefined : true);
    assertEquals(upstream.heads.length, why === undefined ? 2 : 1);
  });
}

Deno.test("hoist-mcp --listen --upstream unpacks what it asked for packed, and leaves the rest", async () => {
  const packed = new Response(RESULT).body?.pipeThrough(new CompressionStream("gzip"));
  const gzip = new Uint8Array(await new Response(packed ?? null).arrayBuffer());
  const head = new TextEncoder().encode(
    `HTTP/1.1 200 OK\r\n${JSON_TYPE}Content-Encoding: gzip\r\nContent-Length: ${gzip.length}\r\n\r\n`,
  );
  await exchange(new Uint8Array([...head, ...gzip]), async (response) => {
    assertEquals(response.headers.get("content-encoding"), null);
    assertEquals(await response.text(), RESULT);
  });
  await exchange(ok("\x00\x01\x02", "Content-Encoding: zstd\r\n"), async (response) => {
    assertEquals(response.headers.get("content-encoding"), "zstd");
    assertEquals(new Uint8Array(await response.arrayBuffer()), new Uint8Array([0, 1, 2]));
  });
});

const EMPTY = ["202 Accepted\r\nContent-Length: 0", "204 No Content", "304 Not Modified"];
for (const line of EMPTY) {
  Deno.test(`hoist-mcp --listen --upstream hands on a ${line.slice(0, 3)} without a body`, async () => {
    await exchange(`HTTP/1.1 ${line}\r\n\r\n`, async (response) => {
      assertEquals([response.status, await response.text()], [Number(line.slice(0, 3)), ""]);
      assertEquals(response.headers.get("transfer-encoding"), null);
    });
  });
}

for (
  const [name, answer] of [
    ["hangs up", ""],
    ["hangs up in the head", "HTTP/1.1 200 OK\r\nConte"],
    ["speaks another protocol", "SSH-2.0-x\r\n"],
    ["has a status of its own", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"],
  ] as const
) {
  Deno.test(`hoist-mcp --listen --upstream answers 502 with the request's id when the server ${name}`, async () => {
    await exchange(answer, async (response, _, proxy) => {
      assertEquals(response.status, 502);
      const { id, error } = await response.json();
      assertEquals([id, error.code], [1, -32603]);
      assert(error.message !== "cannot reach the upstream: fetch failed", error.message);
      proxy.kill("SIGTERM");
      await proxy.exit();
      assertStringIncludes((await proxy.logs()).join(), '"from":"proxy"');
    }, { record: true });
  });
}

Deno.test("hoist-mcp --listen --upstream cuts its own answer where the server cut its", async () => {
  await exchange(ok(RESULT).slice(0, -5), async (response) => {
    await assertRejects(() => response.text());
  });
  const events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" +
    "Transfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n";
  await exchange(events, async (response) => {
    await assertRejects(() => response.text());
  });
});
