import { assertEquals, assertMatch } from "@std/assert";
import type { GatedUse, GateVerdict } from "../../ports/tool_gate.ts";
import { ChainRig, settled, TOOLS } from "../../../tests/util/chain_rig.ts";
import { HaiInterceptor } from "./hai.ts";
import { type HaiMap, readHaiMap, useOf } from "./map.ts";

const MAP: HaiMap = {
  hoist_hai_map: 1,
  server: "parcels",
  tools: {
    get_parcel: { action: "read", other: ["parcel_id"] },
    hold_parcel: { action: "write", paths: ["file"], other: ["parcel_id", "reason"] },
  },
};

/** A session under a contract that allows reading, and the calls that its gate was asked about. */
function rig() {
  const asked: (GatedUse | undefined)[] = [];
  const state: { over: boolean; broken: boolean } = { over: false, broken: false };
  const refused = (code: string): GateVerdict => ({ kind: "refused", code, text: "no" });
  const session = new ChainRig(null, {
    hai: (ports) =>
      new HaiInterceptor(MAP, {
        check(use) {
          if (state.broken) return Promise.reject(new Error("the disk is gone"));
          asked.push(use);
          if (state.over) return Promise.resolve(refused("lease_revoked"));
          if (use !== undefined && use.action !== "read") return Promise.resolve(refused("cap"));
          return Promise.resolve({
            kind: "allowed",
            allows: ({ action }: { action: string }) => action === "read",
          });
        },
      }, ports),
  });
  return { session, asked, state };
}

Deno.test("HaiInterceptor lets a call through that the contract allows, as the bytes that came", async () => {
  const { session, asked } = rig();
  const line =
    '{"jsonrpc":"2.0","id":1, "method":"tools/call","params":{"name":"get_parcel","arguments":{"parcel_id":"P-7"}}}';
  session.fromHost(line);
  await settled();
  assertEquals(session.server, [line]);
  assertEquals(asked, [{ tool: "get_parcel", action: "read", paths: [] }]);
  session.answer(1, "held");
  await settled();
  assertEquals(session.texts(), ["held"]);
});

const call = (params: string, id = '"id":1,') =>
  `{"jsonrpc":"2.0",${id}"method":"tools/call","params":${params}}`;

Deno.test.each<{ why: string; line: string | Uint8Array }>([
  { why: "an action that was not granted", line: call('{"name":"hold_parcel","arguments":{}}') },
  { why: "a tool that the map does not know", line: call('{"name":"find_sender"}') },
  { why: "a tool in other case", line: call('{"name":"Get_parcel"}') },
  { why: "a tool of Object", line: call('{"name":"constructor"}') },
  {
    why: "an argument that the map does not know",
    line: call('{"name":"get_parcel","arguments":{"x":1}}'),
  },
  {
    why: "an argument in other case",
    line: call('{"name":"get_parcel","arguments":{"Parcel_id":1}}'),
  },
  {
    why: "an argument twice",
    line: call('{"name":"get_parcel","arguments":{"parcel_id":1,"parcel_id":2}}'),
  },
  { why: "a name twice", line: call('{"name":"get_parcel","name":"hold_parcel"}') },
  { why: "no name", line: call("{}") },
  { why: "a name that is no text", line: call('{"name":["get_parcel"]}') },
  { why: "arguments that are a list", line: call('{"name":"get_parcel","arguments":[]}') },
  { why: "a call without an id", line: call('{"name":"get_parcel"}', "") },
  { why: "a line that is not JSON", line: call('{"name":"get_parcel"}').slice(0, -1) },
  {
    why: "bytes that are not UTF-8",
    line: new TextEncoder().encode(call('{"name":"get_parcel","arguments":{"parcel_id":"~"}}'))
      .map((byte) => byte === 0x7e ? 0xff : byte),
  },
  {
    why: "another request",
    line: '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}',
  },
  {
    why: "a method of tomorrow",
    line: '{"jsonrpc":"2.0","id":1,"method":"tools/run","params":{}}',
  },
  { why: "a path that is no path", line: call('{"name":"hold_parcel","arguments":{"file":7}}') },
])("HaiInterceptor refuses $why", async ({ line }) => {
  const { session } = rig();
  session.fromHost(line);
  await settled();
  assertEquals(session.server, []);
});

Deno.test("HaiInterceptor answers what is no call with an error, and a call with the reason", async () => {
  const { session } = rig();
  session.fromHost('{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{}}');
  await settled();
  assertMatch(JSON.parse(session.host[0] ?? "").error.message, /resources\/read is no call/);
  session.call(8, "hold_parcel");
  await settled();
  assertMatch(
    session.texts().join(),
    /^Refused by the contract, so hold_parcel was not run .*no \(cap\)\.$/,
  );
});

Deno.test("HaiInterceptor lets the allowed of a batch through, and nothing else of it", async () => {
  const { session } = rig();
  const one = (id: number, name: string) => JSON.parse(call(`{"name":"${name}"}`, `"id":${id},`));
  session.fromHost([one(1, "get_parcel"), one(2, "hold_parcel"), one(3, "find_sender")]);
  await settled();
  assertEquals(session.server.map((line) => [JSON.parse(line)].flat().map(({ id }) => id)), [[1]]);
});

Deno.test("HaiInterceptor refuses where the gate fails", async () => {
  const { session, state } = rig();
  state.broken = true;
  session.call(1, "get_parcel");
  await settled();
  assertEquals(session.server, []);
  assertMatch(session.texts().join(), /could not be checked \(internal_error\)/);
});

Deno.test("HaiInterceptor gives no answer as a success after the session ended", async () => {
  const { session, state } = rig();
  session.call(1, "get_parcel");
  await settled();
  state.over = true;
  session.answer(1, "the parcel");
  await settled();
  assertMatch(session.texts().join(), /not known whether it was done: no \(lease_revoked\)/);
  assertEquals(JSON.parse(session.host[0] ?? "").result.isError, true);
  session.call(2, "get_parcel");
  await settled();
  assertEquals(session.server.length, 1);
});

Deno.test("HaiInterceptor lists the tools that the contract allows", async () => {
  const { session, state } = rig();
  const list = async (id: number) => {
    session.fromHost({ jsonrpc: "2.0", id, method: "tools/list" });
    session.fromServer({ jsonrpc: "2.0", id, result: { tools: TOOLS } });
    await settled();
    return JSON.parse(session.host.at(-1) ?? "").result.tools.map((t: { name: string }) => t.name);
  };
  assertEquals(await list(1), ["get_parcel"]);
  state.over = true;
  assertEquals(await list(2), []);
});

Deno.test.each<{ path: unknown; paths: string[] | null; base?: string }>([
  { path: "/a/b", paths: ["/a/b"] },
  { path: ["/a", "/b"], paths: ["/a", "/b"] },
  { path: null, paths: [] },
  { path: "b", paths: null },
  { path: "b", base: "/a", paths: ["/a/b"] },
  { path: "/a/../b", paths: null },
  { path: "..", base: "/a", paths: null },
  { path: "~/b", paths: null },
  { path: "file:///a", paths: null },
  { path: "FILE:/a", paths: null },
  { path: "C:/a", paths: null },
  { path: "\\a", paths: null },
  { path: "/a\\..\\b", paths: null },
  { path: " /a", paths: null },
  { path: "/a\0", paths: null },
  { path: "", paths: null },
  { path: 7, paths: null },
  { path: { path: "/a" }, paths: null },
  { path: [["/a"]], paths: null },
])("useOf() takes the path $path below $base for $paths", ({ path, paths, base }) => {
  const map = { ...MAP, ...(base === undefined ? {} : { base }) };
  const use = useOf(map, "hold_parcel", { file: path as string });
  assertEquals("fault" in use ? null : use.paths, paths);
});

Deno.test("readHaiMap() reads YAML and JSON, and names what is wrong", async () => {
  const yaml = "hoist_hai_map: 1\nserver: s\ntools:\n  t: {action: read, paths: [p]}\n";
  const map = await readHaiMap(yaml, "m");
  assertEquals(map.tools, { t: { action: "read", paths: ["p"] } });
  assertEquals(await readHaiMap(JSON.stringify(map), "m"), map);
  const fault = async (text: string) => await readHaiMap(text, "m").catch((error) => error.message);
  assertMatch(
    await fault(yaml.replace("read", "Read")),
    /^--hai-map "m": \$\.tools\.t\.action: must be a word/,
  );
  assertMatch(await fault(yaml.replace("paths", "path")), /Unrecognized key/);
  assertMatch(await fault("a: ["), /neither JSON nor YAML/);
});

Deno.test("a call that is under way is cancelled at the server when its session ends", async () => {
  const { session, state } = rig();
  session.call("a", "get_parcel", { parcel_id: "P-7" });
  session.call(2, "get_parcel", { parcel_id: "P-8" });
  await session.tick(250);
  assertEquals([session.server.length, session.own, session.host], [2, [], []]);
  state.over = true;
  await session.tick(100);
  assertEquals(session.own.map((line) => JSON.parse(line).params.requestId), ["a", 2]);
  assertEquals(session.own.every((line) => line.includes("notifications/cancelled")), true);
  const answers = session.host.splice(0).map((line) => JSON.parse(line));
  assertEquals(answers.map(({ id, result }) => [id, result.isError]), [["a", true], [2, true]]);
  assertMatch(answers[0].result.content[0].text, /it is not known whether it was done/);
  session.answer("a", "held"); // The server had not heard it yet.
  await session.tick(1_000);
  assertEquals([session.host, session.timers], [[], 0]);
});

Deno.test("the session is watched only while calls are under way", async () => {
  const { session, asked } = rig();
  session.call(1, "get_parcel", { parcel_id: "P-7" });
  await session.tick(0);
  session.answer(1, "held");
  await session.tick(300);
  assertEquals([session.texts(), session.timers], [["held"], 0]);
  const looks = asked.length;
  await session.tick(5_000);
  assertEquals(asked.length, looks);
  session.call(2, "get_parcel", { parcel_id: "P-7" });
  await session.tick(0);
  session.fromHost({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } });
  await session.tick(300);
  assertEquals(session.timers, 0);
});
