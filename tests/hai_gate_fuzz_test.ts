/**
 * Random calls under a contract, as lines that hosts, and nobody, would send: names, paths, links,
 * encodings, batches, keys twice, bytes that are not JSON. Whatever of them reaches the server is
 * read by every reading that servers have, and each must be in the contract. Then the session ends
 * in the middle of calls.
 *
 * `HOIST_FUZZ_CALLS` sets how many calls; `deno task gatefuzz` makes 10,000.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { openToolGate } from "../lib/hai/shell/tool_gate_shell.ts";
import { HaiInterceptor } from "../lib/intercept/hai/hai.ts";
import type { HaiMap } from "../lib/intercept/hai/map.ts";
import { seeded } from "../lib/replay/summary.ts";
import { ChainRig } from "./util/chain_rig.ts";
import { HaiHome } from "./util/hai_home.ts";

const CALLS = Number(Deno.env.get("HOIST_FUZZ_CALLS") ?? 1000);
const SEED = Number(Deno.env.get("HOIST_FUZZ_SEED") ?? 7);

const MAP: HaiMap = {
  hoist_hai_map: 1,
  server: "files",
  tools: {
    read: { action: "read", paths: ["path", "paths"], other: ["head"] },
    write: { action: "write", paths: ["path"], other: ["content"] },
    erase: { action: "delete", paths: ["path"] },
    unnamed: { action: "read" },
  },
};

const random = seeded(SEED);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const TOOLS = [
  "read",
  "read",
  "read",
  "write",
  "erase",
  "unnamed",
  "READ",
  "read ",
  "reаd",
  "toString",
  "",
];
const KEYS = [
  "path",
  "path",
  "path",
  "path",
  "paths",
  "Path",
  "file",
  "head",
  "content",
  "p\\u0061th",
  "__proto__",
];

function pathOf(project: string): string {
  const start = pick([
    project,
    project,
    project,
    "/etc",
    "~",
    "",
    ".",
    "file://" + project,
    "//" + project,
  ]);
  const rest = Array.from(
    { length: Math.floor(random() * 4) },
    () =>
      pick([
        "src",
        "src",
        "src",
        "a.txt",
        "out",
        "secret",
        "..",
        ".",
        "%2e%2e",
        "",
        "srcx",
        "deep",
        "a b",
      ]),
  );
  return [start, ...rest].join("/") + pick(["", "", "", "", " ", "\0", "\\..\\.."]);
}

function valueOf(project: string): string {
  const path = () => JSON.stringify(pathOf(project));
  return pick([
    path,
    path,
    path,
    () => `[${path()},${path()}]`,
    () => `{"path":${path()}}`,
    () => "7",
    () => "null",
  ])();
}

function callText(id: number, project: string): string {
  if (random() < 0.4) { // One whose path alone is in question.
    const names = Array.from(
      { length: 3 },
      () => pick(["src", "deep", "a.txt", "out", "srcx", "."]),
    );
    const path = JSON.stringify([project, "src", ...names].join("/"));
    return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"read","arguments":{"path":${path}}}}`;
  }
  const args = Array.from(
    { length: 1 + Math.floor(random() * 2) },
    () => `"${pick(KEYS)}":${valueOf(project)}`,
  ).join(",");
  const name = JSON.stringify(pick(TOOLS));
  const twice = pick(["", "", "", "", `"name":${JSON.stringify(pick(TOOLS))},`, '"arguments":{},']);
  const meta = pick(["", "", ',"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}']);
  const method = pick([
    "tools/call",
    "tools/call",
    "tools/call",
    "tools/call",
    "resources/read",
    "tools/Call",
  ]);
  const idText = pick([`"id":${id},`, `"id":${id},`, `"id":"${id}",`, ""]);
  return `{"jsonrpc":"2.0",${idText}"method":"${method}","params":{${twice}"name":${name},"arguments":{${args}}${meta}}}`;
}

/** A line of one call or several, bent now and then. */
function lineOf(id: number, project: string): Uint8Array {
  const isBatch = random() < 0.1;
  const text = isBatch
    ? `[${callText(id, project)},${callText(id + 1, project)}]`
    : callText(id, project);
  const bent = pick([
    (t: string) => t,
    (t: string) => t,
    (t: string) => t,
    (t: string) => t,
    (t: string) => "\ufeff" + t,
    (t: string) => t.slice(0, -1),
    (t: string) => t.replace('"jsonrpc"', ' "JSONRPC":NaN,"jsonrpc"'),
    (t: string) => t.replace('"tools/call"', '"tools\\/call"'),
  ])(text);
  const bytes = new TextEncoder().encode(bent);
  if (random() < 0.05) bytes[Math.floor(random() * bytes.length)] = 0xff;
  return bytes;
}

/** The messages of a line that reached the server; each has one reading. */
function messagesOf(line: string): unknown[] {
  const plain = line.replace(/^\ufeff/, "");
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch {
    return [undefined]; // No server should be asked to read it.
  }
  const messages = [value].flat();
  // Of two keys with one name only one is in the value.
  const isCall = messages.some((message) => Object.hasOwn(Object(message), "method"));
  if (isCall && !plain.includes("\\")) {
    assertEquals(JSON.stringify(value).length, plain.length, plain);
  }
  return messages;
}

function assertAgreed(message: unknown, project: string): void {
  assert(message !== undefined, "a line that is not JSON");
  const { method, params } = message as { method?: string; params?: Record<string, unknown> };
  const methods = Object.keys(message ?? {}).filter((key) => key.toLowerCase() === "method");
  if (methods.length === 0) return; // It asks for nothing.
  assertEquals([methods, method], [["method"], "tools/call"]);
  const { name, arguments: args = {} } = params ?? {};
  assert(name === "read" || name === "write", `the tool ${name}`);
  for (const [key, value] of Object.entries(args as Record<string, unknown>)) {
    if (key === "head" || key === "content") continue;
    assert(key === "path" || (key === "paths" && name === "read"), `the argument ${key}`);
    for (const path of [value].flat()) {
      if (path === null) continue;
      assert(typeof path === "string" && path.startsWith("/"), `the path ${path}`);
      const real = realOf(path);
      assert(`${real}/`.startsWith(`${project}/src/`), `${path} is ${real}`);
    }
  }
}

/** Where a path leads: the real path of what is there of it, and the rest. */
function realOf(path: string): string {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  for (let there = names.length; there >= 0; there--) {
    try {
      const real = Deno.realPathSync("/" + names.slice(0, there).join("/"));
      return [real, ...names.slice(there)].join("/");
    } catch {
      // Shorter.
    }
  }
  return "/";
}

async function underContract(
  test: (given: {
    hai: HaiHome;
    project: string;
    session: { session_id: string; session_token: string };
    rig: ChainRig;
  }) => Promise<void>,
): Promise<void> {
  const hai = new HaiHome();
  const project = hai.project();
  Deno.mkdirSync(`${project}/src/deep`, { recursive: true });
  Deno.mkdirSync(`${project}/secret`);
  Deno.mkdirSync(`${project}/srcx`);
  Deno.symlinkSync("../secret", `${project}/src/out`);
  Deno.symlinkSync("../../src", `${project}/src/deep/src`);
  const limits = {
    project_path: project,
    allowed_paths: ["src/"],
    tools: ["read", "write", "erase"],
  };
  const mission = await hai.open({ constraints: limits });
  const { session_id, session_token } = await hai.authorize(mission.mission_id);
  const job = { home: hai.home, ownerHome: hai.ownerHome, server: "files" };
  const gate = openToolGate(
    { ...job, sessionId: session_id, sessionToken: session_token },
    { version: "0", unixMs: () => hai.unixMs },
  );
  const rig = new ChainRig(null, { hai: (ports) => new HaiInterceptor(MAP, gate, ports) });
  try {
    await test({ hai, project, session: { session_id, session_token }, rig });
  } finally {
    hai.remove();
  }
}

Deno.test(`of ${CALLS} random calls none outside the contract reaches the server, seed ${SEED}`, () =>
  underContract(async ({ project, rig }) => {
    for (let id = 1; id <= 2 * CALLS; id += 2) {
      rig.fromHost(lineOf(id, project));
      if (id % 101 === 0) await rig.session.judged();
    }
    await rig.session.judged();
    for (const line of rig.server) {
      for (const message of messagesOf(line)) assertAgreed(message, project);
    }
    assert(rig.server.length > CALLS / 50, `${rig.server.length} calls passed`);
  }));

Deno.test("no call that is sent after the session ended reaches the server, whatever is under way", () =>
  underContract(async ({ hai, project, session, rig }) => {
    let id = 0;
    const call = () => rig.call(++id, "read", { path: `${project}/src/a.txt` });
    for (let i = 0; i < 50; i++) call();
    const released = hai.call("hai_release_session", { ...session, reason: "over" });
    for (let i = 0; i < 50; i++) call();
    assertEquals((await released).ok, true);
    const before = id;
    for (let i = 0; i < 50; i++) call();
    await rig.session.judged();
    const sent = rig.server.map((line) => JSON.parse(line).id);
    assertEquals(sent.filter((number) => number > before), []);
    // What was sent is answered now, and no answer is a success.
    for (const number of sent) rig.answer(number, "the file");
    await rig.session.close();
    const successes = rig.host.map((line) => JSON.parse(line))
      .filter(({ result }) => result?.isError !== true);
    assertEquals(successes, []);
    assertEquals(rig.host.length, id);
  }));
