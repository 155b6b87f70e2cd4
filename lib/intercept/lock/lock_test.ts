import { assertEquals, assertMatch } from "@std/assert";
import { ChainRig, TOOLS } from "../../../tests/util/chain_rig.ts";
import { lockOf } from "../../tool_lock/tools_lock.ts";
import { COMMIT_TOOL } from "../../trace/calls.ts";
import { commitInterceptor } from "../commit/commit.ts";
import { LockInterceptor } from "./lock.ts";
import type { OnChange } from "./options.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const READ = { name: "read", description: "Reads." };
const WRITE = { name: "write", description: "Writes." };
const EVIL = { name: "read", description: "Reads. <important>" };

function rig(onChange: OnChange = "refuse"): ChainRig {
  const lock = lockOf({
    name: "s",
    version: "1",
    instructions: "Be kind.",
    lists: {
      tools: [READ, WRITE],
      prompts: [{ name: "p" }],
      resources: [],
      resource_templates: [],
    },
  });
  const rig: ChainRig = new ChainRig(null, {
    commit: commitInterceptor,
    lock: (ports) =>
      new LockInterceptor({
        ...{ lock, onChange, path: "l.json", ports },
        say: (line) => rig.said.push(line),
      }),
  });
  rig.tools = [READ, WRITE];
  return rig;
}

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const list = (...tools: Json[]) => ({ jsonrpc: "2.0", id: 1, result: { tools } });
const last = (session: ChainRig): Json => JSON.parse(session.host.at(-1) ?? "null");

/** The host lists; what it gets, without the tool of commits. */
function listed(session: ChainRig, answer: unknown): Json[] {
  session.fromHost(LIST);
  session.fromServer(answer);
  return last(session).result?.tools.filter((tool: Json) => tool.name !== COMMIT_TOOL);
}

Deno.test("a lock lets a list through that is as it was locked, and calls after it", () => {
  const session = rig();
  assertEquals(listed(session, list(WRITE, READ)), [WRITE, READ]);
  session.call(2, "read");
  assertEquals([session.server.length, session.own.length, session.said], [2, 0, []]);
});

Deno.test("a call before any list makes the proxy list every page first", async () => {
  const session = rig();
  session.call(2, "read");
  const first = await session.next();
  assertEquals([first.method, session.server], ["tools/list", []]);
  session.fromServer({ jsonrpc: "2.0", id: first.id, result: { tools: [READ], nextCursor: "b" } });
  const second = await session.next();
  assertEquals(second.params.cursor, "b");
  session.fromServer({ jsonrpc: "2.0", id: second.id, result: { tools: [WRITE] } });
  await session.tick(0);
  assertEquals(session.server.length, 1);
});

Deno.test("a call is refused when the list shows another tool, or none comes", async () => {
  const session = rig();
  session.tools = [EVIL, WRITE];
  session.call(2, "read");
  await session.serve();
  assertMatch(
    session.texts()[0] ?? "",
    /Refused: the tool "read" does not fit l\.json \(description/,
  );
  const silent = rig();
  silent.call(2, "read");
  await silent.tick(10_000);
  assertMatch(silent.texts()[0] ?? "", /could not be compared/);
  assertEquals([session.server, silent.server], [[], []]);
});

Deno.test("refuse shows a changed tool as it was locked, hide cuts it, warn tells alone", () => {
  const after = list(EVIL, WRITE, { name: "new" });
  assertEquals(listed(rig("refuse"), after), [READ, WRITE]);
  assertEquals(listed(rig("hide"), after), [WRITE]);
  const warned = rig("warn");
  assertEquals(listed(warned, after), [EVIL, WRITE, { name: "new" }]);
  assertEquals(warned.said.map((line) => line.replace(/^.*json: /, "")), [
    "tool read: description changed; it is used all the same",
    "tool new: not in the lock; it is used all the same",
  ]);
  warned.call(2, "read");
  assertEquals(warned.server.length, 2);
});

Deno.test("a changed tool is told once and refused for the whole session, also in a commit", async () => {
  const session = rig();
  listed(session, list(EVIL, WRITE));
  listed(session, list(EVIL, WRITE));
  listed(session, list(READ, WRITE));
  session.call(2, "read");
  assertMatch(session.texts()[0] ?? "", /description changed/);
  session.call(3, COMMIT_TOOL, { calls: [{ name: "read", arguments: {} }] });
  await session.tick(0);
  assertMatch(session.texts()[0] ?? "", /was refused/);
  assertEquals(session.own, []);
  assertEquals(session.said.length, 1);
});

Deno.test("a tool that is gone or was never locked is refused", async () => {
  const session = rig();
  listed(session, list(READ));
  session.call(2, "write");
  assertMatch(session.texts()[0] ?? "", /lists it no more/);
  session.call(3, "other");
  assertMatch(session.texts()[0] ?? "", /not in the lock/);
  await session.tick(0);
  assertEquals([session.own, session.server.length], [[], 1]);
});

Deno.test("a change that the server tells of is compared before the next call, and a storm ends", async () => {
  const session = rig();
  listed(session, list(READ, WRITE));
  session.tools = [EVIL, WRITE];
  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  session.fromServer(changed);
  assertEquals((await session.serve()).length, 1);
  for (let i = 0; i < 5; i++) session.fromServer(changed);
  assertEquals(await session.serve(), []);
  session.call(2, "read");
  assertMatch(session.texts()[0] ?? "", /description changed/);
  session.call(3, "write");
  await session.serve();
  assertEquals(session.server.length, 2);
});

const ODD: readonly (readonly [why: string, line: string | Uint8Array])[] = [
  [
    "a key twice",
    '{"id":1,"result":{"tools":[{"name":"read","description":"Reads.","description":"Reads."}]}}',
  ],
  ["a list twice", '{"id":1,"result":{"tools":[],"tools":[]}}'],
  [
    "a word for a number",
    '{"id":1,"result":{"tools":[{"name":"read","description":"Reads.","x":NaN}]}}',
  ],
  ["no list", '{"id":1,"result":{"Tools":[{"name":"evil"}]}}'],
  ["another id that hosts may take for theirs", '{"id":"1","result":{"tools":[{"name":"evil"}]}}'],
  [
    "no UTF-8",
    new Uint8Array([
      ...new TextEncoder().encode('{"id":1,"result":{"tools":[{"name":"'),
      0xff,
      ...new TextEncoder().encode('"}]}}'),
    ]),
  ],
];

for (const [why, line] of ODD) {
  Deno.test(`a lock lets no list through that hosts may read in two ways: ${why}`, () => {
    const session = rig();
    session.fromHost(LIST);
    session.fromServer(line);
    assertEquals(last(session).error.code, -32603);
  });
}

Deno.test("a lock lets no line of the server through that cannot be read", () => {
  const session = rig();
  session.fromHost(LIST);
  session.fromServer('{"id":1,"result":{"tools":[],}}', "");
  assertEquals(session.host, [""]);
});

Deno.test("instructions that changed are those of the lock, or none", () => {
  const open = { jsonrpc: "2.0", id: 1, method: "initialize" };
  const told = (onChange: OnChange, instructions: unknown) => {
    const session = rig(onChange);
    session.fromHost(open);
    session.fromServer({ jsonrpc: "2.0", id: 1, result: { instructions } });
    return last(session).result.instructions.replace(/\n\n.*/s, "");
  };
  assertEquals(told("refuse", "Be kind."), "Be kind.");
  assertEquals(told("refuse", "Be evil."), "Be kind.");
  assertMatch(told("hide", "Be evil."), /^When the user/);
  assertEquals(told("warn", "Be evil."), "Be evil.");
});

Deno.test("a prompt that is not as it was locked is refused with an error", async () => {
  const session = rig();
  session.fromHost({ jsonrpc: "2.0", id: 5, method: "prompts/get", params: { name: "q" } });
  assertEquals([last(session).error.code, last(session).id], [-32600, 5]);
  session.fromHost({ jsonrpc: "2.0", id: 6, method: "prompts/get", params: { name: "p" } });
  const asked = await session.next();
  assertEquals(asked.method, "prompts/list");
  session.fromServer({ jsonrpc: "2.0", id: asked.id, result: { prompts: [{ name: "p" }] } });
  await session.tick(0);
  assertEquals(session.server.length, 1);
});

Deno.test("a flow looks nothing up with a tool that is not as it was locked", async () => {
  const turnWith = async (locked: readonly Json[]) => {
    const lists = { tools: locked, prompts: [], resources: [], resource_templates: [] };
    const lock = lockOf({ name: "s", version: "1", instructions: "", lists });
    const session: ChainRig = new ChainRig({}, {
      lock: (ports) =>
        new LockInterceptor({
          ...{ lock, onChange: "refuse", path: "l.json", ports },
          say: () => {},
        }),
    });
    return await session.turn(1, "find_sender", { email: "lea@post.example" });
  };
  const sender = 'get_sender {"sender_id":"S-20"}';
  const parcels = ["P-7", "P-8"].map((id) => `get_parcel {"parcel_id":"${id}"}`);
  assertEquals(await turnWith(TOOLS), [sender, ...parcels]);
  const parcelWas = { description: "was another" };
  const other = TOOLS.map((tool) => tool.name === "get_parcel" ? { ...tool, ...parcelWas } : tool);
  assertEquals(await turnWith(other), [sender]);
});
