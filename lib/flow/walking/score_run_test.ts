import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { learned } from "../../../tests/util/parcels.ts";
import type { Flow } from "../flow.ts";
import { runLine, type RunSite, surpriseOf } from "./flow_log.ts";
import { FlowSyntaxError } from "../file/flow_syntax_error.ts";
import { printFlow } from "../file/print_flow.ts";
import { readFlow } from "../file/read_flow.ts";
import { readFlowLog } from "./read_flow_log.ts";
import { RunChances } from "../deciding/run_chances.ts";
import { RunTrace } from "./run_trace.ts";
import { type RunLine, RunScoreError, scoreRunLine, simulateRun } from "./score_run.ts";
import { STANDARD_PROGRAM } from "../program/standard_program.ts";

const START = { call: "find_sender", failed: false, maxLookups: 8 };

/** A program that decides, looks, and stops after a lookup that failed. */
const STOPS_AFTER_A_FAILURE = {
  ...STANDARD_PROGRAM,
  body: STANDARD_PROGRAM.body.map((stmt) =>
    stmt.stmt !== "for" ? stmt : {
      ...stmt,
      body: [...stmt.body, {
        stmt: "if" as const,
        cond: { op: "var" as const, name: "failed" },
        then: [{ stmt: "break" as const }],
      }],
    }
  ),
};

function near(actual: number | undefined, expected: number): void {
  assert(Math.abs((actual ?? NaN) - expected) < 1e-9, `${actual} is not ${expected}`);
}

function lineOf(sites: readonly RunSite[], start = START): RunLine {
  const text = runLine({ after: "7", ...start, sites }) + "\n";
  const [line] = readFlowLog(text, "f").lines;
  if (line?.kind !== "run") throw new Error("no run");
  return line;
}

/** The worked run: get_sender, get_parcel twice, hand back. */
function workedRun(flow: Flow): RunTrace {
  const trace = new RunTrace(flow, START);
  for (const lookup of ["get_sender", "get_parcel", "get_parcel"]) {
    trace.decide(lookup);
    trace.observe(false);
  }
  trace.decide(undefined);
  return trace;
}

Deno.test("RunTrace keeps the worked run, and ends with its program", async () => {
  const trace = workedRun(await learned());
  assertEquals(trace.wanted, undefined);
  assertEquals(trace.fault, undefined);
  assertEquals(trace.sites.map(([address, value]) => [address, value]), [
    ["decide#0", 3],
    ["outcome#0", true],
    ["decide#1", 2],
    ["outcome#1", true],
    ["decide#2", 2],
    ["outcome#2", true],
    ["decide#3", 0],
  ]);
  near(trace.sites[1]?.[2], Math.log(5 / 6));
  near(trace.sites[3]?.[2], Math.log(9 / 10));
  assert(Math.abs(surpriseOf(trace.sites) - 0.39304) < 5e-6);
});

Deno.test("RunTrace says where the next decision stands", async () => {
  const trace = new RunTrace(await learned(), { call: "nobody", failed: true, maxLookups: 2 });
  assertEquals(trace.wanted, { address: "decide#0", tool: "nobody", failed: true });
  trace.decide("get_sender");
  assertEquals(trace.wanted, undefined);
  trace.decide("get_sender"); // It waits for an outcome: nothing else moves it.
  trace.observe(true);
  assertEquals(trace.wanted, { address: "decide#1", tool: "get_sender", failed: true });
  trace.observe(true);
  trace.decide("get_parcel");
  trace.observe(false);
  assertEquals([trace.wanted, trace.sites.length], [undefined, 4]);
});

Deno.test("RunTrace runs a stored program as it is written", async () => {
  const flow = { ...await learned(), program: STOPS_AFTER_A_FAILURE };
  const trace = new RunTrace(flow, START);
  trace.decide("get_sender");
  trace.observe(true);
  assertEquals(trace.wanted, undefined);
  assertEquals(trace.sites.map(([address, value]) => [address, value]), [
    ["decide#0", 3],
    ["outcome#0", false],
  ]);
  near(scoreRunLine(flow, lineOf(trace.sites)).surprise, Math.log(6));
  const other = await learned();
  assertThrows(
    () => scoreRunLine(other, lineOf(trace.sites)),
    RunScoreError,
    "decide#1 is missing",
  );
});

Deno.test("RunTrace ends a run that was interrupted so that it can be scored", async () => {
  const flow = await learned();
  const trace = new RunTrace(flow, START);
  trace.decide("get_sender");
  trace.end();
  assertEquals(trace.sites.map(([address, value]) => [address, value]), [
    ["decide#0", 3],
    ["outcome#0", false],
    ["decide#1", 0],
  ]);
  scoreRunLine(flow, lineOf(trace.sites));
});

Deno.test("RunTrace ends with a fault where its program cannot go on", async () => {
  const program = {
    ...STANDARD_PROGRAM,
    body: [{
      stmt: "for" as const,
      var: "i",
      start: { op: "int" as const, value: 0 },
      end: { op: "int" as const, value: 1_000_000 },
      body: [],
    }],
  };
  const trace = new RunTrace({ ...await learned(), program }, START);
  assertEquals([trace.wanted, trace.fault], [undefined, "more than 10000 steps"]);
});

Deno.test("scoreRunLine() gives the worked run its surprise again", async () => {
  const flow = readFlow(printFlow(await learned()), "f");
  const scored = scoreRunLine(flow, lineOf(workedRun(flow).sites));
  assert(Math.abs(scored.surprise - 0.39304) < 5e-6);
  // After find_sender came get_sender 4 of 4 times, after get_sender get_parcel 4 of 4;
  // after get_parcel get_parcel 4 of 8.
  near(
    scored.logp,
    2 * Math.log(5 / 6) + Math.log(5 / 10) + Math.log(5 / 10) - scored.surprise,
  );
});

for (
  const [why, change, wanted] of [
    ["a missing address", (s: RunSite[]) => s.slice(0, -1), "decide#3 is missing"],
    [
      "an address that the program does not use",
      (s: RunSite[]) => [...s, ["outcome#3", true, 0] as const],
      "outcome#3 is not used by the program",
    ],
    [
      "a value of another type",
      (s: RunSite[]) =>
        s.map((site) => site[0] === "outcome#0" ? [site[0], 1, site[2]] as const : site),
      "outcome#0 is 1, not true or false",
    ],
    [
      "a decision of another type",
      (s: RunSite[]) =>
        s.map((site) => site[0] === "decide#1" ? [site[0], true, 0] as const : site),
      "decide#1 is true, not a tool's number",
    ],
    [
      "an address that stands there twice",
      (s: RunSite[]) => [...s, s[0] ?? s[1]],
      "an address stands there twice",
    ],
    [
      "another log-probability",
      (s: RunSite[]) => s.map(([a, v, l]) => [a, v, a === "outcome#1" ? l + 1e-6 : l] as const),
      "outcome#1 is ",
    ],
    [
      "a log-probability that is null",
      (s: RunSite[]) => s.map(([a, v, l]) => [a, v, a === "outcome#1" ? -Infinity : l] as const),
      "outcome#1 is null there",
    ],
  ] as const
) {
  Deno.test(`scoreRunLine() names ${why}`, async () => {
    const flow = await learned();
    const sites = change(workedRun(flow).sites) as RunSite[];
    assertThrows(() => scoreRunLine(flow, lineOf(sites)), RunScoreError, wanted);
  });
}

Deno.test("scoreRunLine() names a surprise that is not the sum", async () => {
  const flow = await learned();
  const { run } = lineOf(workedRun(flow).sites);
  assertThrows(
    () => scoreRunLine(flow, { run: { ...run, surprise: 0.5 } }),
    RunScoreError,
    "surprise is 0.5 there",
  );
});

Deno.test("scoreRunLine() gives a simulated run the probability it was drawn with", async () => {
  const flows = [await learned(), { ...await learned(), program: STOPS_AFTER_A_FAILURE }];
  const start = fc.record({
    call: fc.constantFrom("find_sender", "get_sender", "get_parcel", "hold_parcel", "other"),
    failed: fc.boolean(),
    maxLookups: fc.nat(9),
  });
  const draws = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    minLength: 40,
    maxLength: 40,
  });
  fc.assert(fc.property(fc.constantFrom(...flows), start, draws, (flow, from, numbers) => {
    let at = 0;
    const drawn = simulateRun(flow, from, () => numbers[at++] ?? 0);
    const scored = scoreRunLine(flow, lineOf(drawn.sites, from));
    near(scored.logp, drawn.logp);
    near(drawn.logp, drawn.sites.reduce((n, [, , logp]) => n + logp, 0));
    near(scored.surprise, drawn.surprise);
  }));
});

Deno.test("RunChances are probabilities, of tools by their numbers", async () => {
  const flow = await learned();
  const chances = new RunChances(flow);
  assertEquals(
    ["find_sender", "get_parcel", "get_sender", "hold_parcel", "other"].map((t) =>
      chances.numbers.numberOf(t)
    ),
    [1, 2, 3, 4, 5],
  );
  // Eight calls of get_parcel: four were followed by another, four by a message.
  assertEquals(
    [...chances.table({ name: "Decide", prev: 2, failed: false })],
    [[0, 0.5], [2, 0.5]],
  );
  assertEquals([...chances.table({ name: "Decide", prev: 2, failed: true })], [[0, 1]]);
  for (let prev = 0; prev < 7; prev++) {
    for (const failed of [false, true]) {
      const sum = [...chances.table({ name: "Decide", prev, failed }).values()].reduce((a, b) =>
        a + b
      );
      near(sum, 1);
    }
  }
});

Deno.test("RunChances of a flow without outcome counts come from what followed a call", async () => {
  const flow = { ...await learned(), outcomes: undefined };
  const chances = new RunChances(flow);
  const logp = (tool: number) => chances.logp({ name: "Outcome", tool }, true);
  near(logp(3), Math.log(5 / 6));
  near(logp(2), Math.log(9 / 10));
  near(logp(0), Math.log(1 / 2));
});

Deno.test("readFlow() refuses a program that may not run, and names its place", async () => {
  const json = JSON.parse(printFlow(await learned()));
  json.hoist_program.body[2].body[0].dist.args.pop();
  assertThrows(
    () => readFlow(JSON.stringify(json), "f"),
    FlowSyntaxError,
    'Cannot read "f": $.hoist_program.body[2].body[0].dist.args: Decide takes 2, not 1',
  );
});

Deno.test("readFlow() runs a flow without a program as the standard one", async () => {
  const { hoist_program: _, ...json } = JSON.parse(printFlow(await learned()));
  assertEquals(readFlow(JSON.stringify(json), "f").program, STANDARD_PROGRAM);
});

Deno.test("printFlow() keeps a program of its own", async () => {
  const text = printFlow({ ...await learned(), program: STOPS_AFTER_A_FAILURE });
  assertEquals(printFlow(readFlow(text, "f")), text);
});
