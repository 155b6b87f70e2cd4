/**
 * Hosts and servers that do what they should not: a session that is acted on passes it on
 * as one that is not, and lives.
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { bytesOf, ChainRig, parcelsAnswer, settled } from "../../../tests/util/chain_rig.ts";
import { canonicalJson } from "../../json/canonical_json.ts";
import { commitInterceptor } from "../commit/commit.ts";
import { type InterceptorFactory, PASS, type Verdict } from "./interceptor.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

/** Deeper than calls can be nested. */
const DEEP = "[".repeat(50_000) + "]".repeat(50_000);

/** Takes its time over calls and refuses nothing; `fault` is what goes wrong in it. */
function slow(fault?: string): InterceptorFactory {
  return () => ({
    name: "slow",
    onMessage: (crossing) =>
      crossing.kind !== "request" || crossing.call === undefined
        ? PASS
        : fault === undefined
        ? Promise.resolve(PASS)
        : Promise.reject(new Error(fault)),
  });
}

Deno.test("canonicalJson() spells values however deep", () => {
  assertEquals(canonicalJson(JSON.parse(`{"b":[],"a":{"c":[1,{}]}}`)), '{"a":{"c":[1,{}]},"b":[]}');
  assertEquals(canonicalJson(JSON.parse(DEEP)), DEEP);
});

Deno.test("a call with arguments nested too deep for calls goes through a slow guard and its flow", async () => {
  const rig = new ChainRig({}, { guard: slow() });
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_sender",` +
    `"arguments":{"email":"a","x":${DEEP}}}}`;
  rig.fromHost(call);
  await settled();
  assertEquals([rig.server.length, rig.server[0] === call], [1, true]);
  rig.answer(1, "S-20");
  await rig.serve();
  assertEquals([rig.host.length, rig.said], [1, []]);
});

/** Verdicts that fit no message, by the message they are given on. */
const UNFIT: readonly (readonly [why: string, on: string, verdict: Verdict, said: string])[] = [
  [
    "a line that holds no message",
    "answer",
    { kind: "replace", line: bytesOf("{") },
    "a changed line is no line of messages",
  ],
  [
    "a request replaced",
    "request",
    { kind: "replace", line: bytesOf("{}") },
    "only an answer can be replaced",
  ],
  [
    "an answer answered",
    "answer",
    { kind: "answer", answer: { text: "x", isError: true } },
    "only a request can be answered",
  ],
  [
    "a notification answered",
    "note",
    { kind: "answer", answer: { text: "x", isError: true } },
    "only a request can be answered",
  ],
];

for (const [why, on, verdict, said] of UNFIT) {
  for (const isLate of [false, true]) {
    Deno.test(`an unfit verdict is a fault, and the message passes: ${why}, late ${isLate}`, async () => {
      const unfit: InterceptorFactory = () => ({
        name: "unfit",
        onMessage: ({ kind }) => {
          const given = kind === on ? verdict : PASS;
          return isLate ? Promise.resolve(given) : given;
        },
      });
      const rig = new ChainRig(null, { guard: unfit });
      rig.fromHost('{"method":"notifications/x"}');
      rig.call(1, "get_parcel", {});
      await settled();
      rig.answer(1, "yes");
      await settled();
      assertEquals([rig.server.length, rig.texts()], [2, ["yes"]]);
      assertEquals(
        new Set(rig.said),
        new Set([`unfit: a fault, the message passes as it is: ${said}`]),
      );
    });
  }
}

Deno.test("an answer that fails later is an error for the host, and the session goes on", async () => {
  const failing: InterceptorFactory = () => ({
    name: "failing",
    onMessage: ({ kind }) =>
      kind === "request" ? { kind: "answer", answer: Promise.reject(new Error("boom")) } : PASS,
  });
  const rig = new ChainRig(null, { guard: failing });
  rig.call(1, "get_parcel", {});
  await settled();
  assertEquals([rig.server.length, rig.texts()], [0, ["Error: failing stopped: boom"]]);
  assertEquals(rig.said, ["failing: a fault, the message is answered with an error: boom"]);
  assertEquals(rig.session.holds("1"), false);
});

Deno.test("a fault of an interceptor that refuses nothing does not cost the call", async () => {
  const rig = new ChainRig({}, { guard: slow("boom") });
  rig.call(1, "find_sender", { email: "a" });
  await settled();
  assertEquals(rig.server.length, 1);
  assertEquals(rig.said, ["slow: a fault, the message passes as it is: boom"]);
});

Deno.test("a list that no contract can be read of is a list all the same", async () => {
  const rig = new ChainRig();
  rig.call(1, "find_sender", { email: "a" });
  const { id } = await rig.next();
  const schema = (properties: string) => `{"type":"object","properties":${properties}}`;
  const tools = [
    `{"name":"a","inputSchema":${schema(`{"x":{"type":${DEEP}}}`)}}`,
    `{"name":"b","inputSchema":${schema("7")}}`,
    "null",
  ];
  rig.fromServer(`{"jsonrpc":"2.0","id":"${id}","result":{"tools":[${tools.join(",")}]}}`);
  rig.answer(1, "S-20");
  await rig.serve();
  assertEquals(rig.host.length, 1);
});

/** Lines that say little, or the wrong thing. */
const ODD: readonly (string | Uint8Array)[] = [
  "",
  " ",
  "\r",
  "not json",
  "[]",
  "{}",
  "null",
  '"text"',
  "[[]]",
  "[1,null]",
  '{"jsonrpc":"2.0","id":null,"result":{"content":[]}}',
  '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"x"}}',
  '{"jsonrpc":"2.0","id":"hoist-1","result":{"content":[{"type":"text","text":"late"}]}}',
  '{"id":"hoist-1","result":{}}',
  '{"jsonrpc":"2.0","id":"hoist-1","method":"sampling/createMessage","params":{}}',
  '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"hoist-2"}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
  '{"jsonrpc":"2.0","id":1.0,"result":{"content":null}}',
  '{"jsonrpc":"2.0","id":{},"result":{}}',
  '{"__proto__":{"id":1},"result":{"content":[]}}',
  '{"jsonrpc":"2.0","id":9007199254740993,"result":{"content":[]}}',
  new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
  new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
];

type Step =
  | { readonly from: "host" | "server"; readonly line: string | Uint8Array }
  | { readonly call: string; readonly id: number | string; readonly more?: string }
  | { readonly answer: number | string; readonly shape: number }
  | { readonly turn: number; readonly shape: number }
  | { readonly cancel: number | string }
  | { readonly wait: number };

const anyId = fc.constantFrom<number | string>(1, 2, "1", "hoist-1", "hoist-3", "a");
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    from: fc.constantFrom("host" as const, "server" as const),
    line: fc.constantFrom(...ODD),
  }),
  fc.record({
    call: fc.constantFrom("find_sender", "get_sender", "get_parcel", "hold_parcel", "x"),
    id: anyId,
    more: fc.constantFrom("", " ", ',"_meta":{"progressToken":1}'),
  }),
  fc.record({ answer: anyId, shape: fc.nat(6) }),
  fc.record({ turn: fc.nat(9), shape: fc.nat(6) }),
  fc.record({ turn: fc.nat(9), shape: fc.nat(1) }),
  fc.record({ cancel: anyId }),
  fc.record({ wait: fc.constantFrom(1, 9_999, 20_001) }),
);

/** A turn is a call and its answer. */
function stepsOf(step: Step): readonly Step[] {
  if (!("turn" in step)) return [step];
  const id = `t${step.turn}`;
  return [{ call: "find_sender", id, more: "" }, { answer: id, shape: step.shape }];
}

/** How the server answers what the proxy asks. */
type Manner = "well" | "twice" | "never" | "late" | "error" | "asks" | "odd";
const anyManner = fc.constantFrom<Manner>(
  "well",
  "well",
  "twice",
  "never",
  "late",
  "error",
  "asks",
  "odd",
);

function answersTo({ id, method, params }: Json, tools: Json, manner: Manner): string[] {
  const line = (rest: Json) => JSON.stringify({ jsonrpc: "2.0", id, ...rest });
  if (manner === "never") return [];
  if (manner === "error") return [line({ error: { code: -32000, message: "no" } })];
  if (manner === "odd") return [line({ result: 7 }), line({ result: { content: {}, tools: {} } })];
  if (manner === "asks" && method === "tools/call") {
    return [line({ result: { resultType: "input_required", requestState: "s" } })];
  }
  const result = method === "tools/list"
    ? { tools }
    : { content: [{ type: "text", text: parcelsAnswer(params.name, params.arguments) }] };
  return manner === "twice" ? [line({ result }), line({ result })] : [line({ result })];
}

/** The line that a step is, and from whom. */
function lineOf(step: Step): { from: "host" | "server"; line: string | Uint8Array } | undefined {
  if ("from" in step) return step;
  if ("call" in step) {
    const args = { email: "a", sender_id: "S-20", parcel_id: "P-7" };
    const line =
      `{"jsonrpc":"2.0","id":${JSON.stringify(step.id)},"method":"tools/call","params":` +
      `{"name":"${step.call}","arguments":${JSON.stringify(args)}${step.more}}}\r`;
    return { from: "host", line };
  }
  if ("cancel" in step) {
    const params = { requestId: step.cancel };
    return {
      from: "host",
      line: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }),
    };
  }
  if (!("answer" in step)) return undefined;
  const id = JSON.stringify(step.answer);
  const text = (words: string) => `"content": [ {"type":"text","text":${JSON.stringify(words)}} ]`;
  const line = [
    `{"jsonrpc":"2.0","id":${id},"result":{${text("S-20")}}}`,
    `{"result":{"structuredContent":{"a":1},${
      text('{"sender_id":"S-20","parcels":["P-7"]}')
    },"isError":false},"id": ${id} }\r`,
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"no"}}`,
    `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"isError":true}}`,
    `[{"jsonrpc":"2.0","id":${id},"result":{${text("S-20")}}},{"jsonrpc":"2.0","method":"n"}]`,
    `{"jsonrpc":"2.0","id":${id},"result":{"task":{"taskId":"t"}}}`,
    `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"{\\"a\\":\\"{\\\\\\"b\\\\\\":1}\\"}"}],"x":"\\ud800"}}`,
  ][step.shape] ?? "";
  return { from: "server", line };
}

const decoder = new TextDecoder();
/** A line as the rig shows it. */
const shown = (line: string | Uint8Array) => decoder.decode(bytesOf(line));
const ITEM =
  /,?(?:\{"type":"text","text":"(?:[^"\\]|\\.)*","_meta":\{"hoist\/from":"structuredContent"\}\},)?\{"type":"text","text":"\\n--- Also looked up automatically \(current results; (?:[^"\\]|\\.)*"\}/;

/** A line without what an appendix adds to it. */
const plainOf = (line: string) =>
  line.replace(ITEM, "").replace('"hoist/structuredContent"', '"structuredContent"');

/** An answer to a request of ours, in a batch. */
const OWN_ANSWER = /\{"jsonrpc":"2\.0","id":"hoist-\d+","result":\{"content": \[ \{[^}]*\} \]\}\},/;

/** A chain with a flow; a slow one has a guard that takes its time, and `hoist_commit`. */
function oddRig(isSlow: boolean): ChainRig {
  return new ChainRig({}, isSlow ? { guard: slow(), commit: commitInterceptor } : {});
}

Deno.test("whatever both sides send, each line arrives once, and changed by no more than the item", async () => {
  let [appended, own] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyStep, anyManner), { maxLength: 25 }),
      fc.boolean(),
      async (plan, isSlow) => {
        const rig = oddRig(isSlow);
        const sent = { host: [] as string[], server: [] as string[] };
        let late: string[] = [];
        const serve = async (manner: Manner) => {
          for (const line of late.splice(0)) rig.fromServer(line);
          for (await settled(); rig.own.length > 0; await settled()) {
            const message = JSON.parse(rig.own.shift() ?? "");
            if (message.id === undefined) continue;
            own++;
            const answers = answersTo(message, rig.tools, manner);
            if (manner === "late") late = [...late, ...answers];
            else for (const line of answers) rig.fromServer(line);
          }
        };
        const steps = plan.flatMap(([step, manner]) =>
          stepsOf(step).map((one) => [one, manner] as const)
        );
        for (const [step, manner] of steps) {
          const one = lineOf(step);
          if (one === undefined) await rig.tick("wait" in step ? step.wait : 0);
          else if (one.from === "host") {
            sent.host.push(shown(one.line));
            rig.fromHost(one.line);
          } else {
            sent.server.push(shown(one.line));
            rig.fromServer(one.line);
          }
          await serve(manner);
        }
        await rig.session.close();
        await settled();
        appended += rig.host.filter((line) => ITEM.test(line)).length;
        // The server gets what the host wrote, but for the cancelling of what it never saw.
        assertEquals(rig.server.filter((line) => !sent.host.includes(line)), []);
        // The host gets what the server wrote: late answers to requests of ours are nobody's, and
        // of a result that the host gave up while it was held nothing comes.
        const plain = rig.host.map(plainOf);
        const left = [...sent.server];
        for (const line of plain) {
          const at = left.findIndex((was) => was === line || was.replace(OWN_ANSWER, "") === line);
          assertEquals(at >= 0, true, `${line}\nis none of\n${left.join("\n")}`);
          left.splice(at, 1);
        }
        const isOwn = (line: string) => /"id": ?"hoist-\d+"/.test(line) && !line.includes("method");
        const cancels = steps.some(([step]) => "cancel" in step);
        assertEquals(cancels ? [] : left.filter((line) => !isOwn(line)), []);
        assertEquals(rig.said.filter((line) => line.includes("as it is")), []);
      },
    ),
    { numRuns: 400 },
  );
  assertEquals([appended > 10, own > 100], [true, true], `${appended} appended, ${own} own`);
});
