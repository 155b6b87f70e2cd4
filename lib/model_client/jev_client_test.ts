import { assert, assertEquals, assertRejects } from "@std/assert";
import { jevServer, type ScriptedReply } from "../../tests/util/jev_server.ts";
import type { OracleRequest } from "../oracle/question.ts";
import type { Runtime } from "../ports/runtime.ts";
import { type JevOptions, jevOracle } from "./jev_client.ts";
import { oracleKey } from "./oracle_key.ts";

const KEY = "sk-secret-0123456789";
const REQUEST: OracleRequest = {
  model: "jev-latest",
  state: { message: "I was charged twice." },
  questions: {
    billing: { type: "noul", instructions: "Is this about billing?" },
    team: { type: "choice", instructions: "Which team?", criteria: { billing: null, other: null } },
  },
};

async function client(url: string, options: Partial<JevOptions> = {}) {
  const said: string[] = [];
  const oracle = await jevOracle({
    key: KEY,
    baseUrl: url,
    retry: { backoffInitialMs: 1, backoffMaxMs: 2 },
    monotonicMs: () => 0,
    say: (line) => said.push(line),
    ...options,
  });
  return { oracle, said };
}

Deno.test("jevOracle() sends model, state and questions with the key in one header", async () => {
  await using server = jevServer();
  const { oracle } = await client(server.url + "/");
  const reply = await oracle.ask(REQUEST);
  assert("response" in reply);
  assertEquals([reply.source, reply.response.model], ["live", "jev-1.13.0"]);
  assertEquals(reply.response.answers.billing, { type: "noul", noul: 0.5 });
  assertEquals(server.requests, [
    { path: "/v1/systemone", authorization: `Bearer ${KEY}`, retry: null, body: REQUEST },
  ]);
});

Deno.test("jevOracle() tries again after trouble, and waits as told", async () => {
  await using server = jevServer([
    { status: 529, body: { error: "overloaded" } },
    { status: 429, body: {}, headers: { "retry-after-ms": "3" } },
  ]);
  const { oracle, said } = await client(server.url);
  assert("response" in await oracle.ask(REQUEST));
  assertEquals(server.requests.map((r) => r.retry), [null, "1", "2"]);
  assertEquals(said, []);
});

const FAULTS: readonly (readonly [string, ScriptedReply, string, string])[] = [
  [
    "a field is wrong",
    {
      status: 422,
      body: { detail: [{ loc: ["body", "state"], msg: "no" }] },
    },
    "http_422",
    "body.state: no",
  ],
  [
    "the request is too long",
    { status: 413, body: { message: "too long" } },
    "http_413",
    "too long",
  ],
  [
    "the way leads elsewhere",
    {
      status: 307,
      body: "",
      headers: { location: "http://127.0.0.1:9/" },
    },
    "http_307",
    "",
  ],
  [
    "an option is missing",
    {
      body: { model: "m", answers: { billing: { type: "noul", noul: 0.5 } }, usage: {} },
    },
    "bad_answer",
    "it does not fit the questions",
  ],
];
for (const [what, reply, reason, words] of FAULTS) {
  Deno.test(`jevOracle() says ${reason} when ${what}, and does not ask twice`, async () => {
    await using server = jevServer([reply]);
    const { oracle, said } = await client(server.url);
    assertEquals(await oracle.ask(REQUEST), { unavailable: reason });
    assertEquals(server.requests.length, 1);
    assertEquals(said, [`the oracle gives no answer (${reason})${words && `: ${words}`}`]);
  });
}

Deno.test("jevOracle() asks no more after its key was refused, and never shows the key", async () => {
  await using server = jevServer([{ status: 401, body: { error: { message: `bad key ${KEY}` } } }]);
  const { oracle, said } = await client(server.url);
  for (const _ of [1, 2]) assertEquals(await oracle.ask(REQUEST), { unavailable: "http_401" });
  assertEquals(server.requests.length, 1);
  assertEquals(said, [
    "the oracle gives no answer (http_401): bad key <redacted>; it is not asked again",
  ]);
});

Deno.test("jevOracle() gives up in time", async () => {
  await using server = jevServer([{ hangs: true }]);
  const { oracle } = await client(server.url, { totalMs: 50 });
  assertEquals(await oracle.ask(REQUEST), { unavailable: "timeout" });
});

Deno.test("jevOracle() gives up a try in time, and says so when none is left", async () => {
  await using server = jevServer([{ hangs: true }]);
  const { oracle } = await client(server.url, { tryMs: 50, retry: { maxRetries: 0 } });
  assertEquals(await oracle.ask(REQUEST), { unavailable: "timeout" });
});

Deno.test("jevOracle() pauses for 30 s after five failures in a row", async () => {
  await using server = jevServer(Array.from({ length: 5 }, () => ({ status: 400, body: {} })));
  let now = 0;
  const { oracle } = await client(server.url, { monotonicMs: () => now });
  for (let i = 0; i < 5; i++) await oracle.ask(REQUEST);
  assertEquals(await oracle.ask(REQUEST), { unavailable: "paused" });
  now = 30_000;
  assert("response" in await oracle.ask(REQUEST));
});

Deno.test("jevOracle() sends a key in clear to this machine only", async () => {
  for (const url of ["http://example.com", "ftp://x", "https://u:p@example.com", "nonsense"]) {
    const error = await assertRejects(() => client(url), Error, "Cannot ask at TYPESAFE_BASE_URL");
    assert(!String(error).includes("p@"));
  }
});

function hostWith(env: Readonly<Record<string, string>>): Runtime {
  return {
    say: () => {},
    print: () => {},
    env: (name) => env[name],
    unixMs: () => 0,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
}

Deno.test("oracleKey() takes the variable, else a file that only we can read", async () => {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, ` ${KEY}\n`);
    await Deno.chmod(path, 0o600);
    const file = { TYPESAFE_API_KEY_FILE: path };
    assertEquals(await oracleKey(hostWith(file)), KEY);
    assertEquals(await oracleKey(hostWith({ ...file, TYPESAFE_API_KEY: "k" })), "k");
    assertEquals(await oracleKey(hostWith({ ...file, TYPESAFE_API_KEY: " " })), KEY);
    await Deno.chmod(path, 0o644);
    await assertRejects(() => oracleKey(hostWith(file)), Error, "others may read it");
    await assertRejects(() => oracleKey(hostWith({})), Error, "--oracle replay");
    await assertRejects(
      () => oracleKey(hostWith({ TYPESAFE_API_KEY: "a\nb" })),
      Error,
      "a key is one line",
    );
  } finally {
    await Deno.remove(path);
  }
});
