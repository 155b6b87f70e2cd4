import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { decisionLine, runLine, type RunSite } from "./flow_log.ts";
import { readFlowLog } from "./read_flow_log.ts";
import type { FlowDecision } from "./flow_decision.ts";

const candidate = (tool: string, args: Record<string, string>) => ({
  tool,
  arguments: args,
  key: `${tool} ${JSON.stringify(args)}`,
  isNamed: false,
  isDescribed: false,
  list: undefined,
  index: 0,
  record: undefined,
});

const GET_SENDER = {
  tool: "get_sender",
  p: 0.9757778261364569,
  habit: 0.5,
  best: { candidate: candidate("get_sender", { sender_id: "S-20" }), chance: 0.8333333333333334 },
};

const LOOKUP: FlowDecision = {
  address: "decide#0",
  site: "find_sender",
  options: [GET_SENDER],
  threshold: 0.3,
  best: GET_SENDER,
  action: {
    kind: "lookup",
    tool: "get_sender",
    arguments: { sender_id: "S-20" },
    key: 'get_sender {"sender_id":"S-20"}',
  },
};

const HAND_BACK: FlowDecision = {
  address: "decide#3",
  site: "get_parcel",
  options: [{ tool: "get_parcel", p: 0.09292930655408228, habit: 0.1, best: undefined }],
  threshold: 0.3,
  best: undefined,
  action: { kind: "hand_back", reason: "get_parcel at 0.09, below 0.3" },
};

Deno.test("decisionLine() spells the formats' worked lookup", () => {
  assertEquals(
    decisionLine({ after: "7", decision: LOOKUP, decider: "reach", ms: 0.2 }),
    '{"action":"lookup","address":"decide#0","after":7,"arguments":{"sender_id":"S-20"},' +
      '"binding":0.8333333333333334,"key":null,"ms":0,"oracle":{},"predicates":{},' +
      '"prob":0.9757778261364569,"probs":{"get_sender":0.9757778261364569,"respond":0},' +
      '"site":"find_sender","tool":"get_sender"}',
  );
});

Deno.test("decisionLine() spells the formats' worked hand back", () => {
  assertEquals(
    decisionLine({ after: "7", decision: HAND_BACK, decider: "reach", ms: 0 }),
    '{"action":"hand_back","address":"decide#3","after":7,"binding":null,"key":null,"ms":0,' +
      '"oracle":{},"predicates":{},"prob":0.09292930655408228,' +
      '"probs":{"get_parcel":0.09292930655408228,"respond":0},' +
      '"reason":"get_parcel at 0.09, below 0.3","site":"get_parcel"}',
  );
});

Deno.test("decisionLine() says what else is known, and nothing of what was not asked", () => {
  assertEquals(
    decisionLine({
      after: '"a\\u0062"',
      decision: { ...HAND_BACK, options: [], action: { kind: "hand_back", reason: "why" } },
      decider: "habit",
      ms: 12.6,
      shadow: true,
      withheld: "not listed",
      key: "9b1d",
      oracle: { respond: 0.2, get_parcel: 0.8 },
      predicates: { more_left: 0.5 },
      policy: { options: [], greedy: null, epsilon: 0.1, propensity: 1 },
    }),
    '{"action":"hand_back","address":"decide#3","after":"a\\u0062","binding":null,"key":"9b1d",' +
      '"ms":13,"oracle":{"get_parcel":0.8,"respond":0.2},' +
      '"policy":{"epsilon":0.1,"greedy":null,"options":[],"propensity":1},' +
      '"predicates":{"more_left":0.5},"prob":null,"probs":{},"reason":"why","shadow":true,' +
      '"site":"get_parcel","withheld":"not listed"}',
  );
});

Deno.test("decisionLine() leaves what habit and arbiter do not give to the lookups to handing back", () => {
  const line = JSON.parse(
    decisionLine({ after: "1", decision: HAND_BACK, decider: "habit", ms: 0 }),
  );
  assertEquals(line.probs, { get_parcel: 0.09292930655408228, respond: 1 - 0.09292930655408228 });
});

Deno.test("runLine() spells a run, digits past 2^53 and all", () => {
  const sites: RunSite[] = [
    ["decide#0", 3, 0],
    ["outcome#0", true, -0.1823215567939546],
    ["decide#1", 0, -0],
  ];
  assertEquals(
    runLine({
      after: "90071992547409931",
      call: "find_sender",
      failed: false,
      maxLookups: 8,
      sites,
    }),
    '{"after":90071992547409931,"run":{"call":"find_sender","failed":false,"max_lookups":8,' +
      '"sites":[["decide#0",3,0],["outcome#0",true,-0.1823215567939546],["decide#1",0,0]],' +
      '"surprise":0.1823215567939546}}',
  );
});

Deno.test("runLine() has no number that is not finite, and no -0", () => {
  assertEquals(
    runLine({
      after: "1",
      call: "t",
      failed: true,
      maxLookups: 1,
      sites: [["outcome#0", false, -Infinity]],
    }),
    '{"after":1,"run":{"call":"t","failed":true,"max_lookups":1,' +
      '"sites":[["outcome#0",false,null]],"surprise":null}}',
  );
});

const id = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
  fc.string().map((s) => JSON.stringify(s)),
);

Deno.test("readFlowLog() reads back what was written, ids as written", () => {
  const site = fc.oneof(
    fc.tuple(fc.string(), fc.nat(), fc.constant(0)),
    fc.tuple(fc.string(), fc.boolean(), fc.double({ min: -9, max: 0, noNaN: true })),
  );
  fc.assert(fc.property(id, fc.array(site), fc.string(), (after, sites, call) => {
    const run = { after, call, failed: false, maxLookups: 8, sites };
    const text = decisionLine({ after, decision: LOOKUP, decider: "reach", ms: 3 }) + "\n" +
      runLine(run) + "\n";
    const { lines, isCut } = readFlowLog(text, "f");
    assertEquals(isCut, false);
    const [decision, second] = lines;
    assertEquals(
      [decision?.after, decision?.kind, decision?.line, second?.after, second?.kind, second?.line],
      [after, "decision", 1, after, "run", 2],
    );
    if (second?.kind !== "run") throw new Error("no run");
    assertEquals(second.run.call, call);
    // JSON has no -0.
    assertEquals(
      second.run.sites.map(([a, v, l]) => [a, v, l]),
      sites.map(([a, v, l]) => [a, v, l + 0]),
    );
  }));
});

Deno.test("readFlowLog() leaves out a last line that a crash cut, and says so", () => {
  const line = decisionLine({ after: "7", decision: LOOKUP, decider: "reach", ms: 0 });
  const { lines, isCut } = readFlowLog(`${line}\n${line.slice(0, 40)}`, "f");
  assertEquals([lines.length, isCut], [1, true]);
});

for (
  const [why, text, wanted] of [
    ["what is no JSON", "{}{\n", 'Cannot read "f": line 1 is not JSON'],
    [
      "what is no line of it",
      "{}\n",
      'Cannot read "f": line 1: $.action: Invalid option: expected one of "lookup"|"hand_back"',
    ],
    [
      "a run without sites",
      '{"after":1,"run":{"call":"t","failed":false,"max_lookups":1,"surprise":0}}\n',
      'Cannot read "f": line 1: $.run.sites: Invalid input: expected array, received undefined',
    ],
    [
      "a chance above one",
      '{"action":"hand_back","address":"a","after":1,"site":"s","reason":"r","ms":0,"prob":2,"binding":null,"probs":{}}\n',
      'Cannot read "f": line 1: $.prob: Too big: expected number to be <=1',
    ],
  ] as const
) {
  Deno.test(`readFlowLog() refuses ${why}`, () => {
    assertThrows(() => readFlowLog(text, "f"), SyntaxError, wanted);
  });
}
