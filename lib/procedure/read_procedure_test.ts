import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { ProcedureSyntaxError, readProcedure } from "./read_procedure.ts";

const GOOD = {
  hoist_procedure: 1,
  domain: "shop",
  provenance: { sources: ["a test"], training_tasks: 0 },
  inputs: { id: { type: "string", description: "an order" } },
  reads: ["get"],
  trees: {
    start: { calls: [['get{"id": "@input.id"}', 1]] },
    get: { feature: "get:status=open", yes: { calls: [["close", 1]] }, no: { hand_back: "shut" } },
  },
  fallback: { hand_back: "lost" },
};

Deno.test("readProcedure() fills in what may be left out", () => {
  const procedure = readProcedure(JSON.stringify({ $schema: "x", ...GOOD }), "p.json");
  assertEquals([procedure.maxCalls, procedure.stop, procedure.handoff], [50, "stop", undefined]);
  assertEquals(procedure.inputs.id?.isOptional, false);
});

const WRONG: readonly (readonly [string, unknown, string])[] = [
  [
    "another version",
    { ...GOOD, hoist_procedure: 2 },
    "its version is 2, this program reads version 1",
  ],
  ["no procedure", { hoist_flow: 3 }, "it is not a procedure"],
  [
    "a kind of input",
    { ...GOOD, inputs: { id: { type: "list", description: "" } } },
    "$.inputs.id.type:",
  ],
  ["a limit", { ...GOOD, max_calls: 0 }, "$.max_calls:"],
  [
    "a node",
    {
      ...GOOD,
      trees: { ...GOOD.trees, get: { feature: "f", yes: { hand_back: "x" }, no: { calls: [] } } },
    },
    "$.trees.get.no.calls:",
  ],
  [
    "a node of no kind",
    { ...GOOD, fallback: {} },
    "$.fallback: is not one of the three kinds of node",
  ],
  [
    "an action",
    { ...GOOD, fallback: { calls: [['get{"id": "@x"}', 1]] } },
    '$.fallback.calls[0][0]: "@x" is none of',
  ],
  [
    "an input that there is not",
    { ...GOOD, fallback: { calls: [['get{"id": "@input.no"}', 1]] } },
    'takes input "no", which $.inputs lacks',
  ],
  [
    "a tool that is never called",
    { ...GOOD, fallback: { calls: [['get{"id": "@other$.id"}', 1]] } },
    "takes a value of other, which is never called",
  ],
  [
    "a site no run gets to",
    { ...GOOD, trees: { ...GOOD.trees, gone: { hand_back: "x" } } },
    "$.trees.gone:",
  ],
  ["a contract of another tool", { ...GOOD, contracts: { gone: "" } }, "$.contracts.gone:"],
  [
    "a probe that writes",
    { ...GOOD, checks: [{ phrase: "x", probe: "close" }] },
    "close is not in $.reads",
  ],
  [
    "a pattern",
    { ...GOOD, inputs: { id: { type: "string", pattern: "a\\", description: "" } } },
    "$.inputs.id.pattern:",
  ],
];
for (const [why, file, message] of WRONG) {
  Deno.test(`readProcedure() names the file and the place of ${why}`, () => {
    const error = assertThrows(
      () => readProcedure(JSON.stringify(file), "p.json"),
      ProcedureSyntaxError,
      message,
    );
    assertEquals(error.message.startsWith('Cannot read "p.json": '), true);
  });
}

Deno.test("readProcedure() refuses a tree that is too deep before it follows it", () => {
  let node: unknown = { hand_back: "x" };
  for (let i = 0; i < 20_000; i++) node = { feature: "f", yes: { hand_back: "x" }, no: node };
  const deep = (n: unknown): string => {
    // JSON.stringify would not come back from so deep.
    const parts: string[] = [];
    let here = n as { no?: unknown };
    let depth = 0;
    for (; here.no !== undefined; here = here.no as typeof here, depth++) {
      parts.push('{"feature":"f","yes":{"hand_back":"x"},"no":');
    }
    return `${parts.join("")}{"hand_back":"x"}${"}".repeat(depth)}`;
  };
  const text = JSON.stringify(GOOD).replace('{"hand_back":"lost"}', deep(node));
  assertThrows(() => readProcedure(text, "p.json"), ProcedureSyntaxError, "is deeper than 100");
});

Deno.test("readProcedure() reads any JSON or throws its own error", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(GOOD)), (value, key) => {
    try {
      readProcedure(JSON.stringify({ ...GOOD, [key]: value }), "p.json");
    } catch (error) {
      if (!(error instanceof ProcedureSyntaxError)) throw error;
    }
  }));
});
