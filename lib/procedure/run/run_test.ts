import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "fast-check";
import { shown } from "../../flow/state/output.ts";
import { readProcedure } from "../read_procedure.ts";
import { ProcedureRun } from "./run.ts";
import type { RunEvent, RunOptions } from "./run_step.ts";

const read: RunOptions["read"] = (text) => {
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {
    // Plain text.
  }
  return { value, shown: shown(value) };
};

function procedure(trees: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const file = {
    hoist_procedure: 1,
    domain: "shop",
    provenance: { sources: ["a test"], training_tasks: 0 },
    inputs: { id: { type: "string", description: "", optional: true } },
    reads: ["find", "order"],
    trees,
    fallback: { hand_back: "lost" },
    ...more,
  };
  return readProcedure(JSON.stringify(file), "p.json");
}

type World = Readonly<Record<string, unknown>>;

/** Plays a run against answers by `TOOL ARGUMENTS`; an Error there is an error result. */
function play(
  of: ReturnType<typeof procedure>,
  world: World,
  options: Partial<RunOptions> = {},
  confirm = true,
) {
  const run = new ProcedureRun(of, { ticket: "", inputs: {}, read, ...options });
  const calls: string[] = [];
  let event: RunEvent = { kind: "begin" };
  for (;;) {
    const effect = run.step(event);
    if (effect.kind === "end") return { calls, report: run.report() };
    const text = `${effect.call.tool} ${JSON.stringify(effect.call.arguments)}`;
    if (effect.kind === "ask") {
      calls.push(`? ${text}`);
      event = { kind: confirm ? "confirmed" : "declined" };
      continue;
    }
    calls.push(text);
    const answer = world[text] ?? world[effect.call.tool];
    event = answer === undefined
      ? { kind: "lost", reason: "gone" }
      : answer instanceof Error
      ? { kind: "answered", error: true, content: answer.message }
      : {
        kind: "answered",
        error: false,
        content: typeof answer === "string" ? answer : JSON.stringify(answer),
      };
  }
}

const CANCEL = (selectors: string) =>
  procedure({
    start: { calls: [['find{"id": "@input.id"}', 1]] },
    find: { calls: [['order{"id": "@find$.orders[*]"}', 1]] },
    order: {
      calls: [
        ['order{"id": "@find$.orders[*]"}', 1],
        [`cancel${JSON.stringify({ id: `@order$.id${selectors}` })}`, 1],
      ],
    },
    cancel: { calls: [["stop", 1]] },
  });
const SHOP: World = {
  find: { user: "lea", orders: ["A10", "A20"] },
  'order {"id":"A10"}': { id: "A10", status: "open", items: [{ name: "Desk Lamp" }] },
  'order {"id":"A20"}': { id: "A20", status: "sent", items: [{ name: "Floor Lamp" }] },
  cancel: { done: true },
};
const GIVEN = { inputs: { id: "lea" } };

const PICKS: readonly (readonly [string, string, string, string | undefined])[] = [
  ["a field tells", '?{"status":"open"}?only', "", "A10"],
  ["two are left", "?only", "", undefined],
  ["the ticket names an item whole", "?said?only", "my floor lamp, please", "A20"],
  ["the ticket names none", "?said?only", "my lamp, please", undefined],
  ["the ticket names both", "?said?only", "desk lamp or floor lamp", undefined],
  ["the ticket gives the id", "?said?only", "order a20", "A20"],
  ["nothing is asked, the newest", "", "", "A20"],
  ["nothing is asked, what the ticket gives", "", "order A10", "A10"],
];
for (const [why, selectors, ticket, picked] of PICKS) {
  Deno.test(`ProcedureRun picks a record: ${why}`, () => {
    const { calls, report } = play(CANCEL(selectors), SHOP, { ...GIVEN, ticket });
    const written = calls.filter((call) => call.startsWith("cancel"));
    assertEquals(written, picked === undefined ? [] : [`cancel {"id":"${picked}"}`]);
    assertEquals(report.verdict, picked === undefined ? "hand_back" : "done");
  });
}

Deno.test("ProcedureRun reads a list one by one, each once", () => {
  const { calls } = play(CANCEL("?said?only"), SHOP, GIVEN);
  assertEquals(calls, ['find {"id":"lea"}', 'order {"id":"A10"}', 'order {"id":"A20"}']);
});

Deno.test("ProcedureRun binds what belongs together from one answer", () => {
  const of = procedure({
    start: { calls: [['order{"id": "A1"}', 1]] },
    order: {
      calls: [
        ['order{"id": "A2"}', 1],
        ['send{"id": "@order$.id", "items": ["@order$.items[*].name?described?only?all"]}', 1],
      ],
    },
    send: { calls: [["stop", 1]] },
  });
  const world = {
    'order {"id":"A1"}': { id: "A1", items: [{ name: "Desk Lamp" }, { name: "Yoga Mat" }] },
    'order {"id":"A2"}': { id: "A2", items: [{ name: "Office Chair" }] },
    send: "ok",
  };
  const sent = (ticket: string) => play(of, world, { ticket }).calls[2];
  assertEquals(sent("the mat and the lamp"), 'send {"id":"A1","items":["Desk Lamp","Yoga Mat"]}');
  assertEquals(sent("a mat and chairs"), undefined, "two orders, and ?only asks for one");
  assertEquals(sent("nothing"), undefined);
});

Deno.test("ProcedureRun leaves open which of two lamps is meant, until something tells", () => {
  const of = procedure({
    start: { calls: [['order{"id": "A1"}', 1]] },
    order: { calls: [['send{"item": "@order$.items[*].id?described?only"}', 1]] },
    send: { calls: [["stop", 1]] },
  });
  const items = [{ id: "i-1", name: "Desk Lamp", color: "red" }, { id: "i-2", name: "Desk Lamp" }];
  const world = { order: { items }, send: "ok" };
  assertEquals(play(of, world, { ticket: "the lamp" }).calls.length, 1);
  assertEquals(play(of, world, { ticket: "the red lamp" }).calls[1], 'send {"item":"i-1"}');
});

Deno.test("ProcedureRun never makes a write twice, and a read again only after a write", () => {
  const of = procedure({
    start: { calls: [['order{"id": "A1"}', 1]] },
    order: { calls: [['cancel{"id": "A1"}', 1], ['order{"id": "A1"}', 1], ["stop", 1]] },
    cancel: { calls: [['order{"id": "A1"}', 1]] },
  });
  const { calls, report } = play(of, { order: { id: "A1" }, cancel: "ok" });
  assertEquals(calls, ['order {"id":"A1"}', 'cancel {"id":"A1"}', 'order {"id":"A1"}']);
  assertEquals(report.verdict, "done");
});

Deno.test("ProcedureRun stops at max_calls, and hands back saying so", () => {
  const of = procedure({
    start: { calls: [['cancel{"n": "@input.id"}', 1]] },
    cancel: { calls: [['other{"n": 1}', 1]] },
    other: { calls: [['cancel{"n": 2}', 1]] },
  }, { max_calls: 2 });
  const { calls, report } = play(of, { cancel: "ok", other: "ok" }, GIVEN);
  assertEquals([calls.length, report.verdict], [2, "hand_back"]);
  assertEquals(report.reason, "2 calls were made, the most of one run");
});

const CHECKED = procedure({
  start: { calls: [['order{"id": "A1"}', 1]] },
  order: { calls: [["stop", 1]] },
}, { checks: [{ phrase: "Shows Sent", probe: "order", contains: ["SENT"], lacks: ["held"] }] });
const CHECKS: readonly (readonly [string, string, unknown, string, boolean | undefined])[] = [
  ["it holds", "it shows sent", { status: "sent" }, "resolved", true],
  ["a text lacks", "it shows sent", { status: "open" }, "hand_back", false],
  ["a text is there that must not", "it shows sent", "sent, held", "hand_back", false],
  ["the ticket states none", "whatever", { status: "open" }, "done", undefined],
];
for (const [why, ticket, answer, verdict, holds] of CHECKS) {
  Deno.test(`ProcedureRun checks the outcome: ${why}`, () => {
    const { calls, report } = play(CHECKED, { order: answer }, { ticket });
    assertEquals([report.verdict, report.check?.holds], [verdict, holds]);
    assertEquals(calls.length, holds === undefined ? 1 : 2);
    assertEquals(report.calls.length, 1, "the probe is no call of the procedure");
  });
}

Deno.test("ProcedureRun hands the customer on with the procedure's own arguments", () => {
  const of = procedure({ start: { calls: [["human", 1]] } }, {
    handoff: "human",
    handoff_arguments: { summary: "Needs a person." },
  });
  const { calls, report } = play(of, { human: "ok" });
  assertEquals([calls, report.verdict], [['human {"summary":"Needs a person."}'], "transferred"]);
  assertEquals(play(of, { human: new Error("busy") }).report.verdict, "hand_back");
});

Deno.test("ProcedureRun asks before a write, and makes it when it is confirmed", () => {
  const of = CANCEL('?{"status":"open"}?only');
  const asked = play(of, SHOP, { ...GIVEN, confirmsWrites: true });
  assertEquals(asked.calls.slice(3), ['? cancel {"id":"A10"}', 'cancel {"id":"A10"}']);
  const { calls, report } = play(of, SHOP, { ...GIVEN, confirmsWrites: true }, false);
  assertEquals(calls.at(-1), '? cancel {"id":"A10"}');
  assertEquals([report.verdict, report.not_made[0]?.why], ["hand_back", "not_confirmed"]);
});

Deno.test("ProcedureRun names no call that was only asked about when it is stopped", () => {
  const run = new ProcedureRun(procedure({ start: { calls: [['cancel{"id": "A1"}', 1]] } }), {
    ticket: "",
    inputs: {},
    read,
    confirmsWrites: true,
  });
  assertEquals(run.step({ kind: "begin" }).kind, "ask");
  assertEquals(run.step({ kind: "lost", reason: "stopped by SIGINT" }), { kind: "end" });
  const { verdict, reason, calls } = run.report();
  assertEquals([verdict, reason, calls], ["failed", "stopped by SIGINT", []]);
});

Deno.test("ProcedureRun shows in a dry run what it would write, and makes none of it", () => {
  const of = procedure({
    start: { calls: [['cancel{"id": "A1"}', 1]] },
    cancel: { calls: [['cancel{"id": "A2"}', 1], ["stop", 1]] },
  });
  const { calls, report } = play(of, {}, { isDry: true });
  assertEquals([calls, report.verdict, report.not_made.length], [[], "done", 2]);
});

Deno.test("ProcedureRun takes a lost answer for the end, and names the call", () => {
  const { report } = play(CANCEL("?only"), { find: SHOP.find }, GIVEN);
  assertEquals(report.verdict, "failed");
  assertEquals(report.calls.at(-1), {
    tool: "order",
    arguments: { id: "A10" },
    error: true,
    result: null,
  });
  assertEquals(report.reason, "order was not answered: gone");
});

Deno.test("ProcedureRun says why no branch fits", () => {
  const of = procedure({
    start: { calls: [['find{"id": "@ticket#W\\\\d{3}"}', 1]], hand_back: "no order" },
  });
  assertMatch(play(of, {}).report.reason ?? "", /^no order \(find.* does not bind: the ticket has/);
  const other = procedure({ start: { calls: [['find{"id": "@input.id"}', 1]] } });
  assertMatch(play(other, {}).report.reason ?? "", /does not bind: input "id" was not given/);
  assertEquals(play(other, { find: new Error("no") }, GIVEN).report.reason, "lost");
});

Deno.test("ProcedureRun takes no answer that nothing waits for", () => {
  const run = new ProcedureRun(CHECKED, { ticket: "", inputs: {}, read });
  assertThrows(() => run.step({ kind: "confirmed" }), TypeError, "no call waits");
});

Deno.test("ProcedureRun asks a tree by features", () => {
  const FEATURES: readonly (readonly [string, string, unknown, boolean])[] = [
    ["ticket: cancel", "Cancel it", {}, true],
    ["ticket: not now", "cancel, not now", {}, true],
    ["ticket: late", "late", {}, false], // Not in the vocabulary.
    ["input id", "", {}, true],
    ["input id=LEA", "", {}, true],
    ["called order", "", {}, true],
    ["order:error", "", new Error("no"), true],
    ["order:error=False", "", {}, true],
    ["order:Status=Open", "", { status: "open" }, true],
    ["order:id=a1", "", { id: "a1" }, false], // An id is nobody's feature.
    ["order:len(items)=2+", "", { items: [1, 2, 3] }, true],
    ["order:len($)=0", "", [], true],
    ["order:said(items)=1", "a red hat", { items: [{ name: "Red Hat" }, { name: "Bag" }] }, true],
    [
      "order:described(items)=all",
      "hat, bags",
      { items: [{ name: "Red Hat" }, { name: "Bag" }] },
      true,
    ],
    ["order:pay.*.kind=card", "", { pay: { card_111: { kind: "card" } } }, true],
    ["order:state=held", "", "State: held | late", true],
    ["order:says it is gone", "", "it is gone\nbye", true],
  ];
  for (const [feature, ticket, answer, holds] of FEATURES) {
    const of = procedure({
      start: { calls: [['order{"id": "A1"}', 1]] },
      order: { feature, yes: { calls: [["stop", 1]] }, no: { hand_back: "no" } },
      "order!": { feature, yes: { calls: [["stop", 1]] }, no: { hand_back: "no" } },
    }, { vocab: ["cancel", "not now"] });
    const { report } = play(of, { order: answer }, { ...GIVEN, ticket });
    assertEquals([feature, report.verdict], [feature, holds ? "done" : "hand_back"]);
  }
});

Deno.test("ProcedureRun ends, with any answers, and makes each write at most once", () => {
  const tools = ["find", "order", "cancel", "send"];
  const action = fc.constantFrom(
    'find{"id": "@input.id"}',
    'order{"id": "@find$[*]"}',
    'cancel{"id": "@order$.id?said"}',
    'send{"ids": ["@find$[*]?only?all"]}',
    "stop",
  );
  const tree = fc.array(fc.tuple(action, fc.constant(1)), { minLength: 1, maxLength: 4 })
    .map((calls) => ({ calls }));
  const answer = fc.oneof(
    fc.constant(new Error("no")),
    fc.constant(["A1", "A2"]),
    fc.constant({ id: "A1" }),
    fc.constant("text"),
  );
  fc.assert(fc.property(
    fc.record(Object.fromEntries(["start", ...tools].map((site) => [site, tree]))),
    fc.record(Object.fromEntries(tools.map((tool) => [tool, answer]))),
    (trees, world) => {
      let of;
      try {
        of = procedure(trees);
      } catch {
        return; // A tool that is named and never called.
      }
      const { calls, report } = play(of, world, { inputs: { id: "x" }, ticket: "A1" });
      const writes = calls.filter((call) => !/^(?:find|order) /.test(call));
      assertEquals(new Set(writes).size, writes.length);
      assertEquals(report.calls.length, calls.length);
    },
  ));
});
