import { assertEquals } from "@std/assert";
import { turns } from "../../../tests/util/hand_timers.ts";
import {
  bare,
  json,
  result,
  type Sent,
  stream,
  UpstreamRig,
} from "../../../tests/util/upstream_rig.ts";

const call = (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "t" },
});
const SESSION_LOST = "say the upstream had lost the session; opened another";

/** An upstream that gives sessions `s1`, `s2`, …, and forgets each when told to. */
function forgetful(get: (sent: Sent) => ReturnType<typeof stream> = () => bare(405)) {
  let session = 0;
  let isLost = false;
  const rig = new UpstreamRig((sent) => {
    const { verb, message, headers } = sent;
    if (verb === "GET") return get(sent);
    if (verb === "DELETE") return undefined;
    if (message.method === "initialize") {
      isLost = false;
      const agreed = { protocolVersion: "2025-06-18" };
      return json(result(message.id, agreed), { session: `s${++session}` });
    }
    if (isLost || headers["mcp-session-id"] !== `s${session}`) return bare(404);
    return message.id === undefined ? undefined : json(result(message.id));
  });
  return { rig, forget: () => void (isLost = true) };
}

Deno.test("LegacyEra opens another session in place of a lost one, and sends the request again", async () => {
  const { rig, forget } = forgetful();
  await rig.hello();
  forget();
  rig.news();
  const initialize = '{"jsonrpc":"2.0","id":"hoist-1","method":"initialize","params":{}}';
  const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const old = " mcp-session-id=s1 mcp-protocol-version=2025-06-18";
  const fresh = old.replace("s1", "s2");
  assertEquals(await rig.host(call(1)), [
    `POST ${JSON.stringify(call(1))}${old}`,
    `log proxy ${initialize}`,
    `POST ${initialize}`,
    SESSION_LOST,
    `log proxy ${initialized}`,
    `POST ${initialized}${fresh}`,
    `GET${fresh}`,
    `POST ${JSON.stringify(call(1))}${fresh}`,
    `host < ${JSON.stringify(result(1))}`,
  ]);
});

Deno.test("LegacyEra opens one session for all requests that lost the same one", async () => {
  const { rig, forget } = forgetful();
  await rig.hello();
  forget();
  void rig.bridge.line(new TextEncoder().encode(JSON.stringify(call(1))));
  const news = await rig.host(call(2));
  assertEquals(news.filter((line) => line === SESSION_LOST).length, 1);
  assertEquals(news.filter((line) => line.startsWith("host")).length, 2);
});

Deno.test("LegacyEra answers with an error when no other session can be opened", async () => {
  const rig = new UpstreamRig(({ message }) =>
    message?.id === "hoist-1"
      ? bare(500)
      : message?.method === "initialize"
      ? json(result(0), { session: "s1" })
      : message?.id === undefined
      ? undefined
      : bare(404)
  );
  await rig.hello();
  const news = await rig.host(call(1));
  assertEquals(JSON.parse(news.at(-1)?.slice(7) ?? "").error, {
    code: -32603,
    message: "the upstream has lost the session",
  });
});

Deno.test("LegacyEra forgets the session when the host initializes again", async () => {
  const { rig } = forgetful();
  await rig.hello();
  await rig.hello();
  await rig.host(call(1));
  const initialize = rig.sent.filter(({ message }) => message?.method === "initialize");
  assertEquals(initialize.map(({ headers }) => headers), [{}, {}]);
  assertEquals(rig.sent.at(-1)?.headers["mcp-session-id"], "s2");
});

Deno.test("LegacyEra reads the GET stream, and resumes it after its last event", async () => {
  const notes = ["a", "b"].map((n) => ({ jsonrpc: "2.0", method: n }));
  let streams = 0;
  const { rig } = forgetful(() =>
    [
      stream([{ id: "1", retryMs: 20, data: notes[0] }]),
      stream([{ id: "2", data: notes[1] }], "breaks"),
    ][streams++] ?? bare(405)
  );
  await rig.hello();
  assertEquals(await rig.timers.ring(), 20);
  assertEquals(await rig.timers.ring(), 20, "the stream before carried a message");
  const gets = rig.sent.filter(({ verb }) => verb === "GET");
  assertEquals(gets.map(({ headers }) => headers["last-event-id"]), [undefined, "1", "2"]);
  assertEquals(rig.timers.pending, [], "405 is an upstream without such a stream");
  assertEquals(rig.news().filter((l) => l.startsWith("host")).slice(1), [
    `host < {"jsonrpc":"2.0","method":"a"}`,
    `host < {"jsonrpc":"2.0","method":"b"}`,
  ]);
});

Deno.test("LegacyEra waits longer and longer for GET streams that bring nothing", async () => {
  const { rig } = forgetful(() => stream([]));
  await rig.hello();
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 8; i++) waits.push(await rig.timers.ring());
  assertEquals(waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  await rig.bridge.end();
  await turns();
  assertEquals(rig.timers.pending, [], "the end of the session ends the wait");
});

Deno.test("LegacyEra passes a response of the GET stream on if a request waits for it", async () => {
  const { rig } = forgetful(() =>
    stream([{ data: result(7) }, { data: { jsonrpc: "2.0", id: 1, method: "ping" } }])
  );
  await rig.hello();
  assertEquals(rig.news().filter((line) => line.startsWith("host")).slice(1), [
    `host < {"jsonrpc":"2.0","id":1,"method":"ping"}`,
  ]);
});
