/**
 * `hoist serve`: every recorded session is served again to its own client, byte for byte but for
 * ids, on both eras.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readTestSettings } from "../../lib/check/test_settings.ts";
import { readLog } from "../../lib/disk/read_log.ts";
import { at } from "../../lib/json/json.ts";
import { Tape } from "../../lib/tape/tape.ts";
import { TapePlayer } from "../../lib/tape/tape_player.ts";
import { openTape } from "../../lib/disk/tape/tape_files.ts";
import { executable, ROOT } from "../util/executables.ts";
import { serveAgain } from "../util/serve_again.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

for (const name of ["shop", "modern", "probe", "batch"]) {
  Deno.test(`TapePlayer serves ${name}.jsonl to its own client byte for byte`, async () => {
    const { now, then, missed } = await serveAgain(`${ROOT}/testdata/sessions/v2/${name}.jsonl`);
    assertEquals(now, then);
    assertEquals(missed, 0);
  });
}

Deno.test("TapePlayer serves what a torn session got: junk, one id twice, two answers, a mark", async () => {
  const client = (message: unknown) => ({ t_ms: 1, from: "client", message });
  const server = (message: unknown) => ({ t_ms: 1, from: "server", message });
  const answer = (id: unknown, result: unknown) => server({ jsonrpc: "2.0", id, result });
  const header = JSON.parse(
    (await Deno.readTextFile(`${ROOT}/testdata/sessions/v2/probe.jsonl`)).split("\n")[0] ?? "",
  );
  const ask = client({ jsonrpc: "2.0", ...call(1) });
  const lines = [
    header,
    { t_ms: 1, from: "client", raw: "" },
    ask,
    ask,
    ...["", "Listening", "[1,2"].map((raw) => ({ t_ms: 1, from: "server", raw })),
    ...[null, 42, "str", { jsonrpc: "2.0", result: "nobody's" }].map(server),
    answer(1, "first"),
    answer(1, "second"),
    answer(1, "once more"),
    { t_ms: 1, from: "client", raw: `\uFEFF{"id":2,"method":"ping"}` },
    { t_ms: 1, from: "server", raw: `\uFEFF{"id":2,"result":{}}` },
  ];
  const path = await Deno.makeTempFile({ prefix: "hoist-test-", suffix: ".jsonl" });
  await Deno.writeTextFile(path, lines.map((line) => JSON.stringify(line) + "\n").join(""));
  const { now, then, errors, missed } = await serveAgain(path);
  assertEquals(now, then);
  assertEquals([errors, missed], [0, 0]);
  await Deno.remove(path);
});

Deno.test("hoist serve answers a host under its own ids, and says what is not recorded", async () => {
  const [program = "", ...first] = executable("hoist");
  const child = new Deno.Command(program, {
    args: [...first, "serve", `${ROOT}/testdata/sessions/v2/shop.jsonl`],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const asked = [
    { id: "a", method: "initialize", params: { protocolVersion: "2025-06-18" } },
    { method: "notifications/initialized" },
    {
      id: 0,
      method: "tools/call",
      params: { name: "get_order_details", arguments: { order_id: "?" } },
    },
    { id: 9, method: "prompts/list" },
  ];
  for (const message of asked) {
    await writer.write(encoder.encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"));
  }
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const answers = decoder.decode(stdout).trim().split("\n").map((line) => JSON.parse(line));
  const of = (id: unknown) => answers.find((answer) => answer.id === id);
  assertEquals(of("a").result.serverInfo.name, "hoist-mcp-demo");
  assertStringIncludes(of(0).error.message, "differs at /arguments/order_id");
  assertStringIncludes(of(9).error.message, "no prompts/list is on the tape");
  assertStringIncludes(decoder.decode(stderr), "answered 1 requests, 2 were not recorded");
  assertEquals(code, 1);
});

/** A tape of messages, in turn from the host and the server. */
function player(
  lines: readonly (readonly [from: "client" | "server" | "proxy", message: unknown])[],
  more = {},
) {
  const tape = new Tape();
  tape.begin();
  for (const [i, [from, message]] of lines.entries()) {
    const text = JSON.stringify(message);
    const line = { kind: "message", line: i + 2, t_ms: i, from, text, message } as const;
    tape.take(line, { file: 0, at: i, length: 0 });
  }
  const sent: unknown[] = [];
  const waited: number[] = [];
  const options = { isTimed: false, onMiss: "error", isAgain: false, ...more } as const;
  const made = new TapePlayer(tape, options, {
    read: ({ at }) => encoder.encode(JSON.stringify(lines[at]?.[1])),
    send: (line) => void sent.push(JSON.parse(decoder.decode(line))),
    wait: (ms) => {
      waited.push(ms);
      return Promise.resolve();
    },
  });
  return {
    sent,
    waited,
    ask: async (message: unknown) => {
      made.take(encoder.encode(JSON.stringify(message)));
      for (let i = 0; i < 20; i++) await Promise.resolve();
      return sent.at(-1);
    },
  };
}

const call = (id: unknown, more = {}) => ({
  id,
  method: "tools/call",
  params: { name: "w", ...more },
});

Deno.test("TapePlayer serves repeats in their order, and no write once more than recorded", async () => {
  const tape = [
    ["client", call(1)],
    ["server", { id: 1, result: "a" }],
    ["client", call(2)],
    ["server", { id: 2, result: "b" }],
    ["proxy", { id: 2, result: "c" }],
  ] as const;
  const strict = player([...tape]);
  assertEquals(await strict.ask(call(7)), { id: 7, result: "a" });
  assertEquals(await strict.ask(call(8)), { id: 8, result: "c" });
  assert(JSON.stringify(await strict.ask(call(9))).includes("--again"));
  const asked = player([...tape], { isAgain: true, isTimed: true });
  for (const id of [7, 8]) await asked.ask(call(id));
  assertEquals(await asked.ask(call(9)), { id: 9, result: "c" });
  assertEquals(asked.waited, [1, 2, 2]);
});

Deno.test("TapePlayer plays progress under the host's token, and a request of the server until it is answered", async () => {
  const ask = { id: "s", method: "elicitation/create", params: {} };
  const session = player([
    ["client", call(1, { _meta: { progressToken: 1 } })],
    ["server", { method: "notifications/progress", params: { progressToken: 1, progress: 1 } }],
    ["server", ask],
    ["client", { id: "s", result: {} }],
    ["server", { id: 1, error: { code: 5, message: "no" } }],
  ]);
  assertEquals(await session.ask(call(3, { _meta: { progressToken: "t" } })), ask);
  assertEquals(session.sent[0], {
    method: "notifications/progress",
    params: { progressToken: "t", progress: 1 },
  });
  const last = await session.ask({ id: "s", result: { other: 1 } });
  assertEquals(last, { id: 3, error: { code: 5, message: "no" } });
});

Deno.test("TapePlayer gives the next answer of a tool on a miss, if it is told to", async () => {
  const session = player([["client", call(1, { arguments: { a: 1 } })], ["server", {
    id: 1,
    result: 1,
  }]], {
    onMiss: "next",
  });
  assertEquals(await session.ask(call(2, { arguments: { a: 2 } })), { id: 2, result: 1 });
});

Deno.test("a request that differs in a masked param is one that was recorded", () => {
  const { maskRequest } = readTestSettings({
    requests: { get_order_details: ["/arguments/order_id"] },
  });
  const path = `${ROOT}/testdata/sessions/v2/shop.jsonl`;
  const asked = (name: string) => ({
    method: "tools/call",
    params: { name, arguments: { order_id: "another" } },
  });
  using strict = openTape([path]);
  assertEquals(strict.tape.find(asked("get_order_details")).length, 0);
  using masked = openTape([path], maskRequest);
  assert(masked.tape.find(asked("get_order_details")).length > 0);
  assertEquals(masked.tape.find(asked("cancel_order")).length, 0);
});

/** Runs `hoist serve --listen` over a log while `use` asks its URL. */
async function listening(log: string, use: (url: string) => Promise<void>): Promise<number> {
  const [program = "", ...first] = executable("hoist");
  const child = new Deno.Command(program, {
    args: [...first, "serve", "--listen", "127.0.0.1:0", `${ROOT}/testdata/sessions/v2/${log}`],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    await use(((await lines.read()).value ?? "").trim());
  } finally {
    child.kill("SIGTERM");
    await lines.cancel();
  }
  return (await child.status).code;
}

/** Posts a recorded request, and gives the recorded answer and the one that comes. */
async function asked(url: string, log: string, method: string): Promise<[unknown, unknown]> {
  const { lines } = await readLog(`${ROOT}/testdata/sessions/v2/${log}`);
  const messages = lines.flatMap((line) => line.kind === "message" ? [line] : []);
  const index = messages.findIndex(({ from, message }) =>
    from === "client" && at(message, "method") === method
  );
  const request = messages[index];
  const recorded = messages.slice(index).find(({ from, message }) =>
    from === "server" && at(message, "id") === at(request?.message, "id") &&
    at(message, "method") === undefined
  );
  const version = at(
    request?.message,
    "params",
    "_meta",
    "io.modelcontextprotocol/protocolVersion",
  );
  const reply = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "accept": "application/json, text/event-stream",
      ...(typeof version === "string"
        ? { "mcp-protocol-version": version, "mcp-method": method }
        : {}),
    },
    body: request?.text ?? "",
  });
  const text = await reply.text();
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return [at(recorded?.message, "result"), at(JSON.parse(data), "result")];
}

for (
  const [log, method] of [["shop.jsonl", "initialize"], [
    "modern.jsonl",
    "tools/list",
  ]] as const
) {
  Deno.test(`hoist serve --listen answers ${method} over HTTP`, async () => {
    await listening(log, async (url) => {
      const [then, now] = await asked(url, log, method);
      assert(then !== undefined);
      assertEquals(now, then);
    });
  });
}

Deno.test("hoist serve --on-miss server asks a server what was not recorded, and records it", async () => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-serve-" });
  const [program = "", ...first] = executable("hoist");
  const log = `${ROOT}/testdata/sessions/v2/shop.jsonl`;
  const live = ["--on-miss", "server", "--record", dir, log, "--"];
  const child = new Deno.Command(program, {
    args: [...first, "serve", ...live, ...executable("hoist-mcp-demo"), "--world", "retail"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  const params = { name: "get_order_details", arguments: { order_id: "#W-none" } };
  const writer = child.stdin.getWriter();
  for (
    const message of [
      { id: 1, method: "initialize", params: hello },
      { method: "notifications/initialized" },
      { id: "x", method: "tools/call", params },
    ]
  ) await writer.write(encoder.encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  assertEquals(code, 0, decoder.decode(stderr));
  const answers = decoder.decode(stdout).trim().split("\n").map((line) => JSON.parse(line));
  const answer = answers.find(({ id }) => id === "x");
  assertStringIncludes(JSON.stringify(answer), "not found");
  assertStringIncludes(decoder.decode(stderr), "the server 1");
  const [{ name } = { name: "" }] = [...Deno.readDirSync(dir)];
  assertStringIncludes(await Deno.readTextFile(`${dir}/${name}`), "#W-none");
  await Deno.remove(dir, { recursive: true });
});
