import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { OwnAnswer } from "../chain/interceptor.ts";
import { ChainRig } from "../../../tests/util/chain_rig.ts";
import { COMMIT, commitInterceptor, runCommit } from "./commit.ts";

const HOLD = (id: string) => ({ name: "hold", arguments: { id } });
const done = (content: string): OwnAnswer => ({ kind: "answer", error: false, content });

/** Runs a commit against scripted answers; gives what was called. */
async function commit(
  calls: unknown,
  { answers = {}, cancelAfter = Infinity }: {
    readonly answers?: Readonly<Record<string, OwnAnswer>>;
    readonly cancelAfter?: number;
  } = {},
) {
  const called: string[] = [];
  const { text, isError } = await runCommit({ calls }, {
    isCancelled: () => called.length >= cancelAfter,
    call: (tool, args) => {
      called.push(`${tool} ${args.id}`);
      return Promise.resolve(answers[String(args.id)] ?? done(`{"held":"${args.id}"}`));
    },
  });
  return { called, text, isError };
}

Deno.test("runCommit() makes every call in order and reports each result", async () => {
  assertEquals(await commit([HOLD("P-2"), HOLD("P-1")]), {
    called: ["hold P-2", "hold P-1"],
    text: 'hold {"id":"P-2"}:\n{"held":"P-2"}\n\nhold {"id":"P-1"}:\n{"held":"P-1"}',
    isError: false,
  });
});

Deno.test("runCommit() stops at the first failure and says what was not run", async () => {
  const answers = { "P-2": { kind: "answer", error: true, content: "Error: delivered" } } as const;
  assertEquals(await commit([HOLD("P-1"), HOLD("P-2"), HOLD("P-3")], { answers }), {
    called: ["hold P-1", "hold P-2"],
    text: 'hold {"id":"P-1"}:\n{"held":"P-1"}\n\nhold {"id":"P-2"} failed:\nError: delivered\n\n' +
      'hold {"id":"P-3"} was not run.',
    isError: true,
  });
});

Deno.test("runCommit() stops at the first refusal and passes on its text", async () => {
  const refusal =
    "Refused by the policy check, so hold was not run and nothing changed: no (policy check p).";
  const answers = { "P-1": { kind: "refused", text: refusal } } as const;
  const { called, text, isError } = await commit([HOLD("P-1"), HOLD("P-2")], { answers });
  assertEquals([called, isError], [["hold P-1"], true]);
  assertEquals(
    text,
    `hold {"id":"P-1"} was refused:\n${refusal}\n\nhold {"id":"P-2"} was not run.`,
  );
});

Deno.test("runCommit() makes no further call once it is given up", async () => {
  const { called, text, isError } = await commit([HOLD("P-1"), HOLD("P-2")], { cancelAfter: 1 });
  assertEquals([called, isError], [["hold P-1"], true]);
  assertStringIncludes(text, 'hold {"id":"P-2"} was not run.');
  assertEquals((await commit([HOLD("P-1")], { cancelAfter: 0 })).called, []);
});

Deno.test("runCommit() takes a call without arguments", async () => {
  assertEquals((await commit([{ name: "hold" }])).called, ["hold undefined"]);
});

Deno.test.each<{ calls: unknown; says: string }>([
  { calls: undefined, says: '"calls" must be a list' },
  { calls: {}, says: '"calls" must be a list' },
  { calls: [], says: '"calls" is empty' },
  { calls: Array(51).fill(HOLD("P")), says: '"calls" has 51 entries, 50 are the most' },
  { calls: [HOLD("P"), {}], says: "calls[1] names no tool" },
  { calls: ["hold"], says: "calls[0] names no tool" },
  { calls: [{ name: "hoist_commit" }], says: "calls[0] is hoist_commit itself" },
  { calls: [{ name: "hold", arguments: [] }], says: "calls[0].arguments must be an object" },
])("runCommit() runs nothing when $says", async ({ calls, says }) => {
  assertEquals(await commit(calls), {
    called: [],
    text: `Error: hoist_commit ran nothing: ${says}`,
    isError: true,
  });
});

Deno.test("COMMIT's entry and sentence name it", () => {
  const { name, inputSchema, annotations } = JSON.parse(COMMIT.listing);
  assertEquals([name, COMMIT.name], ["hoist_commit", "hoist_commit"]);
  assertEquals(inputSchema.properties.calls.items.required, ["name", "arguments"]);
  assertEquals(annotations, { readOnlyHint: false });
  assert(COMMIT.instruction.includes("confirmed") && !COMMIT.instruction.includes("\n"));
});

Deno.test.each<{ why: "late" | "closed" | "input"; says: string }>([
  { why: "late", says: "It is not known whether it was done." },
  { why: "closed", says: "It is not known whether it was done." },
  { why: "input", says: "was not done: the server asks for input first" },
])("runCommit() says of a call without an answer ($why) what is known", async ({ why, says }) => {
  const answers = { "P-1": { kind: "none", why } } as const;
  const { called, text, isError } = await commit([HOLD("P-1"), HOLD("P-2")], { answers });
  assertEquals([called, isError], [["hold P-1"], true]);
  assertStringIncludes(text, says);
  assertStringIncludes(text, 'hold {"id":"P-2"} was not run.');
});

/** What the server is asked when a commit calls a tool by this name, after a list of tools. */
async function asked(name: string, ...tools: readonly string[]): Promise<unknown> {
  const rig = new ChainRig(null, { commit: commitInterceptor });
  rig.fromHost({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  rig.fromServer({ jsonrpc: "2.0", id: 1, result: { tools: tools.map((name) => ({ name })) } });
  rig.call(2, "hoist_commit", { calls: [{ name }] });
  return (await rig.next()).params.name;
}

Deno.test("hoist_commit finds the one tool whose name differs in signs that hosts replace", async () => {
  assertEquals(await asked("get_sum", "get-sum", "echo"), "get-sum");
  assertEquals(await asked("get_sum", "get-sum", "get_sum"), "get_sum");
  assertEquals(await asked("get_sum", "get-sum", "get.sum"), "get_sum", "two are alike");
  assertEquals(await asked("GET_SUM", "get-sum"), "GET_SUM");
});

Deno.test("hoist_commit gets an answer though the server never answers its call", async () => {
  const rig = new ChainRig(null, { commit: commitInterceptor });
  rig.call(2, "hoist_commit", { calls: [{ name: "hold" }] });
  await rig.next();
  await rig.tick(60_000);
  assertEquals(rig.host.length, 1);
  assertStringIncludes(rig.texts()[0] ?? "", "It is not known whether it was done.");
  assertEquals(rig.own, [], "a change under way is not cancelled");
});
