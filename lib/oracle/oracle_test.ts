import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { askAll } from "./ask_all.ts";
import { BudgetError, worstPrice } from "./budget.ts";
import { errorText, readResponse } from "./jev_codec.ts";
import { mockOracle } from "./mock.ts";
import type { AnswerEntry, AnswerStore, Oracle } from "./oracle.ts";
import { cacheKey, type OracleRequest } from "./question.ts";
import { cachedOracle, replayOracle } from "./replay.ts";

const REQUEST: OracleRequest = {
  model: "jev-latest",
  state: { b: 1, a: "é" },
  questions: {
    team: { type: "choice", instructions: "Which?", criteria: { billing: "Charges", other: null } },
    anger: { type: "score", instructions: "How?", criteria: ["calm", "cross", "angry"] },
    yes: { type: "noul", instructions: "Is it?" },
  },
};
const ANSWERS = {
  team: {
    type: "choice",
    choice: "billing",
    probabilities: { billing: 0.88, other: 0.12 },
    confidence: 0.81,
  },
  anger: {
    type: "score",
    score: 1.05,
    legend: {},
    probabilities: { "0": 0, "1": 0.95, "2": 0.05 },
    confidence: 0.92,
  },
  yes: { type: "noul", noul: 0.97 },
};
const BODY = {
  model: "jev-1.13.0",
  answers: ANSWERS,
  usage: { input_tokens: 318, output_tokens: 34 },
};

function memory(isFull = false): AnswerStore & { entries: Map<string, AnswerEntry> } {
  const entries = new Map<string, AnswerEntry>();
  return {
    entries,
    find: (key) => entries.get(key),
    put: (entry) => !isFull && entries.set(entry.key, entry) !== undefined,
  };
}

Deno.test("cacheKey() is SHA-256 of sorted JSON of model, state and questions", () => {
  const text = '{"model":"jev-latest","questions":{"q":{"instructions":"I?","type":"noul"}},' +
    '"state":{"a":"é","b":[2,1]}}';
  const expected = new Uint8Array(32);
  const request: OracleRequest = {
    questions: { q: { type: "noul", instructions: "I?" } },
    state: { b: [2, 1], a: "é" },
    model: "jev-latest",
  };
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)).then((hash) => {
    expected.set(new Uint8Array(hash));
    assertEquals(
      cacheKey(request),
      [...expected].map((b) => b.toString(16).padStart(2, "0")).join(""),
    );
  });
});

Deno.test("readResponse() takes what fits, without fields we do not know", () => {
  const read = readResponse(REQUEST, { ...BODY, extra: 1 });
  const { legend: _, ...anger } = ANSWERS.anger;
  assertEquals(read, { ...BODY, answers: { ...ANSWERS, anger } } as unknown as typeof read);
});

const BREACHES: Readonly<Record<string, unknown>> = {
  "no object": "x",
  "an id is missing": { ...BODY, answers: { team: ANSWERS.team, yes: ANSWERS.yes } },
  "an id more": { ...BODY, answers: { ...ANSWERS, more: ANSWERS.yes } },
  "another type": { ...BODY, answers: { ...ANSWERS, yes: ANSWERS.team } },
  "a future type": { ...BODY, answers: { ...ANSWERS, yes: { type: "rank", rank: 1 } } },
  "above 1": { ...BODY, answers: { ...ANSWERS, yes: { type: "noul", noul: 1.1 } } },
  "another option": {
    ...BODY,
    answers: { ...ANSWERS, team: { ...ANSWERS.team, probabilities: { billing: 0.9, x: 0.1 } } },
  },
  "another choice": { ...BODY, answers: { ...ANSWERS, team: { ...ANSWERS.team, choice: "x" } } },
  "a sum of 0.9": {
    ...BODY,
    answers: { ...ANSWERS, team: { ...ANSWERS.team, probabilities: { billing: 0.8, other: 0.1 } } },
  },
  "a score off its expectation": {
    ...BODY,
    answers: { ...ANSWERS, anger: { ...ANSWERS.anger, score: 1.5 } },
  },
};
for (const [what, body] of Object.entries(BREACHES)) {
  Deno.test(`readResponse() refuses ${what}`, () => {
    assertEquals(readResponse(REQUEST, body), undefined);
  });
}

Deno.test("errorText() knows the shapes of errors and takes out the key", () => {
  const bodies = [
    { error: "text" },
    { error: { message: "text", type: "t" } },
    { message: "text" },
    { detail: "text" },
    { detail: { message: "text" } },
    "text",
  ];
  for (const body of bodies) assertEquals(errorText(body), "text");
  assertEquals(errorText({ detail: [{ loc: ["body", "model"], msg: "no" }] }), "body.model: no");
  assertEquals(errorText("x".repeat(500)).length, 200);
  assertEquals(errorText("x".repeat(195) + "secret", "secret"), "x".repeat(195) + "<reda");
});

Deno.test("mockOracle() shrugs: one half, uniform with the first in front, the middle", () => {
  const { answers } = mockOracle().find(REQUEST) ?? {};
  const body = { model: "mock", answers, usage: { input_tokens: 0, output_tokens: 0 } };
  assertEquals(readResponse(REQUEST, body), body as unknown as ReturnType<typeof readResponse>);
  assertEquals(answers, {
    team: {
      type: "choice",
      choice: "billing",
      probabilities: { billing: 0.5, other: 0.5 },
      confidence: 0.6,
    },
    anger: {
      type: "score",
      score: 1,
      probabilities: { "0": 1 / 3, "1": 1 / 3, "2": 1 / 3 },
      confidence: 0.6,
    },
    yes: { type: "noul", noul: 0.5 },
  });
});

Deno.test("cachedOracle() asks once and keeps the answer without the request's text", async () => {
  const store = memory();
  let asked = 0;
  const live: Oracle = { ask: (request) => (asked++, mockOracle().ask(request)) };
  const oracle = cachedOracle(store, live, { unixMs: () => 17, monotonicMs: () => 5 });
  assertEquals(await replayOracle(store).ask(REQUEST), { unavailable: "miss" });
  await oracle.ask(REQUEST);
  const reply = await oracle.ask(REQUEST);
  assertEquals(["source" in reply && reply.source, asked], ["cache", 1]);
  const [entry] = store.entries.values();
  assertEquals(Object.keys(entry ?? {}), ["key", "model", "response", "asked_unix_ms", "ms"]);
  assertEquals([entry?.key, entry?.asked_unix_ms], [cacheKey(REQUEST), 17]);
});

Deno.test("cachedOracle() stops asking when it cannot keep what it paid for", async () => {
  const clocks = { unixMs: () => 0, monotonicMs: () => 0 };
  const oracle = cachedOracle(memory(true), mockOracle(), clocks);
  assertEquals("response" in await oracle.ask(REQUEST), true);
  assertEquals(await oracle.ask(REQUEST), { unavailable: "cache_unwritable" });
});

Deno.test("askAll() refuses before asking when it could cost more than the budget", async () => {
  let asked = 0;
  const live: Oracle = { ask: (request) => (asked++, mockOracle().ask(request)) };
  const requests = [1, 2, 2, 3].map((n) => ({ ...REQUEST, state: { n } }));
  const known = replayOracle(memory());
  const price = worstPrice(requests.slice(0, 2)) * 1.5;
  const tight = { known, live, budget: price * 0.99, concurrency: 2 };
  const error = await assertRejects(() => askAll(requests, tight), BudgetError);
  assertMatch(error.message, /^Cannot ask: 3 questions .* up to \$0\.\d{4}, the budget is \$/);
  assertEquals(asked, 0);
  const done = await askAll(requests, { ...tight, budget: price * 1.01 });
  assertEquals([done.responses.size, done.distinct, done.live, asked], [3, 3, 3, 3]);
});

Deno.test("askAll() counts what the cache does not know", async () => {
  const options = { known: replayOracle(memory()), budget: 0, concurrency: 1 };
  const done = await askAll([REQUEST, REQUEST], options);
  assertEquals([...done.unavailable], [["miss", 1]]);
});
