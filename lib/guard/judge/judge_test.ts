import { assertEquals } from "@std/assert";
import { mockOracle } from "../../oracle/mock.ts";
import type { KnownAnswers, Oracle } from "../../oracle/oracle.ts";
import { cacheKey } from "../../oracle/question.ts";
import { Asker, type AskerOptions } from "./asker.ts";
import { agreementQuestion, type ProposedWrite, secondQuestion } from "./confirm_question.ts";
import { ConfirmJudge, type JudgeOptions } from "./judge.ts";
import { judged, judgeRefusal, type JudgeRule } from "./judge_verdict.ts";

const WRITE: ProposedWrite = {
  tool: "cancel_pending_order",
  arguments: { order_id: "#W1", reason: "no longer needed" },
  proposal: "Shall I cancel #W1?",
  reply: "Yes",
};
const RULE: JudgeRule = { threshold: 0.5 };
const BOTH: JudgeRule = { threshold: 0.5, second: { wording: "proposed", isShadow: false } };
const SHADOW: JudgeRule = { threshold: 0.5, second: { wording: "proposed", isShadow: true } };
const BESIDE = { wordList: true, otherChoices: [] };
const NOBODY: KnownAnswers = { find: () => undefined };

/** An oracle that answers a question by its id, and counts. */
function scripted(yes: Readonly<Record<string, number>>) {
  const asked: string[] = [];
  const mock = mockOracle((id) => ({ type: "noul", noul: yes[id] ?? 0.5 }));
  const oracle: Oracle = {
    ask: (request) => {
      asked.push(...Object.keys(request.questions));
      return mock.ask(request);
    },
  };
  return { asked, oracle };
}

function judge(
  { threshold, second, isEnforced, ...more }: Partial<JudgeOptions & AskerOptions> = {},
): ConfirmJudge {
  let clock = 0;
  return new ConfirmJudge({
    threshold: threshold ?? RULE.threshold,
    ...(second === undefined ? {} : { second }),
    isEnforced: isEnforced ?? true,
    asker: new Asker({ model: "jev-latest", known: NOBODY, maxQuestions: 100, ...more }),
    monotonicMs: () => clock += 206,
  });
}

Deno.test("agreementQuestion() shows the call whole, the proposal's end and the reply's start", () => {
  const proposal = "😀" + "x".repeat(1_500);
  const { model, state, questions } = agreementQuestion("jev-latest", {
    ...WRITE,
    proposal,
    reply: "y".repeat(601),
  });
  assertEquals([model, Object.keys(questions)], ["jev-latest", ["agreed"]]);
  assertEquals(state, {
    agent_said_last: "…" + "x".repeat(1_499),
    customer_replied: "y".repeat(599) + "…",
    call: { tool: WRITE.tool, arguments: WRITE.arguments },
  });
  const whole = agreementQuestion("m", { ...WRITE, proposal: "😀".repeat(1_500) });
  assertEquals(whole.state.agent_said_last, "😀".repeat(1_500));
});

Deno.test("the questions' keys are frozen: cached answers outlive a release", () => {
  assertEquals(
    [
      agreementQuestion("jev-latest", WRITE),
      secondQuestion("jev-latest", WRITE, "proposed"),
      secondQuestion("jev-latest", WRITE, "described"),
    ].map((request) => cacheKey(request).slice(0, 16)),
    ["ab455ff7c595e5c0", "85e0fe982b6e5a15", "a092b946430cb490"],
  );
});

Deno.test.each<{ first: number | null; second: number | null; rule: JudgeRule; says: string }>([
  { first: 0.5, second: null, rule: RULE, says: "passes" },
  { first: 0.49, second: null, rule: RULE, says: "fails" },
  { first: null, second: null, rule: RULE, says: "abstains" },
  { first: 0.9, second: 0.1, rule: BOTH, says: "fails" },
  { first: 0.1, second: 0.9, rule: BOTH, says: "fails" },
  { first: 0.9, second: 0.9, rule: BOTH, says: "passes" },
  { first: 0.9, second: null, rule: BOTH, says: "abstains" },
  { first: null, second: 0.1, rule: BOTH, says: "fails" },
  { first: 0.1, second: null, rule: BOTH, says: "fails" },
  { first: 0.9, second: 0.1, rule: SHADOW, says: "passes" },
  { first: null, second: 0.1, rule: SHADOW, says: "abstains" },
  { first: 0.6, second: null, rule: { threshold: 0.7 }, says: "fails" },
])("judged() says $says of $first and $second", ({ first, second, rule, says }) => {
  assertEquals(judged({ first, second }, rule), says);
});

Deno.test("judgeRefusal() says why, with the probability", () => {
  assertEquals(
    judgeRefusal("cancel_pending_order", { first: 0.15, second: 0.1 }, BOTH),
    "Refused by the policy check, so cancel_pending_order was not run and nothing changed: the customer has not explicitly agreed to this exact change (confirmation judge: p_yes 0.15); describe the change and ask the customer to confirm it first.",
  );
  assertEquals(
    judgeRefusal("cancel_pending_order", { first: 0.9, second: 0.1 }, BOTH),
    "Refused by the policy check, so cancel_pending_order was not run and nothing changed: this exact change was not put to the customer before the reply (confirmation judge: p_second 0.10); describe the change and ask the customer to confirm it first.",
  );
});

Deno.test("ConfirmJudge asks, refuses what fails, and says all of it", async () => {
  const { asked, oracle } = scripted({ agreed: 0.15, proposed: 0.91 });
  const { entry, refusal } = await judge({ ...SHADOW, live: oracle }).judge(WRITE, {
    wordList: false,
    otherChoices: [{ argument: "order_id", value: "#W1" }],
  });
  assertEquals(asked, ["agreed", "proposed"]);
  assertEquals(entry, {
    tool: WRITE.tool,
    arguments: WRITE.arguments,
    word_list: false,
    p_yes: 0.15,
    p_second: 0.91,
    second: "proposed",
    second_key: cacheKey(secondQuestion("jev-latest", WRITE, "proposed")),
    second_shadow: true,
    fails: true,
    enforced: true,
    unknown: false,
    key: cacheKey(agreementQuestion("jev-latest", WRITE)),
    ms: 206,
    proposal_check: [{ argument: "order_id", value: "#W1" }],
  });
  assertEquals(refusal, judgeRefusal(WRITE.tool, { first: 0.15, second: null }, RULE));
});

Deno.test("ConfirmJudge only logs where it is not enforced", async () => {
  const { oracle } = scripted({ agreed: 0.15 });
  const { entry, refusal } = await judge({ isEnforced: false, live: oracle }).judge(WRITE, BESIDE);
  assertEquals([entry.fails, entry.enforced, refusal], [true, false, undefined]);
});

Deno.test("ConfirmJudge takes known answers first, and they cost nothing", async () => {
  const { asked, oracle } = scripted({});
  const known = mockOracle(() => ({ type: "noul", noul: 0.97 }));
  const { entry } = await judge({ known, live: oracle, maxQuestions: 0 }).judge(WRITE, BESIDE);
  assertEquals([entry.p_yes, entry.fails, asked], [0.97, false, []]);
});

Deno.test("ConfirmJudge refuses nothing when nobody answers, and says why", async () => {
  const miss = await judge().judge(WRITE, BESIDE);
  assertEquals([miss.entry.error, miss.entry.unknown, miss.refusal], ["miss", true, undefined]);
  const broken: Oracle = { ask: () => Promise.resolve({ unavailable: "http_429" }) };
  const { entry, refusal } = await judge({ ...BOTH, live: broken }).judge(WRITE, BESIDE);
  assertEquals([entry.error, entry.unknown, entry.fails, refusal], [
    "http_429",
    true,
    false,
    undefined,
  ]);
});

Deno.test("ConfirmJudge asks nothing where the conversation is not known", async () => {
  const { asked, oracle } = scripted({ agreed: 0.1 });
  const quiet = await judge({ live: oracle }).judge({ ...WRITE, proposal: "", reply: "" }, BESIDE);
  assertEquals([asked, quiet.entry.error, quiet.entry.unknown, quiet.refusal], [
    [],
    "no_conversation",
    true,
    undefined,
  ]);
  const silent = await judge({ live: oracle }).judge({ ...WRITE, reply: "" }, BESIDE);
  assertEquals([asked, silent.entry.fails], [["agreed"], true]);
});

Deno.test("ConfirmJudge stops asking when its questions are spent", async () => {
  const { asked, oracle } = scripted({ agreed: 0.9, proposed: 0.1 });
  const capped = judge({ ...BOTH, live: oracle, maxQuestions: 3 });
  const refusals = [];
  for (let i = 0; i < 3; i++) refusals.push((await capped.judge(WRITE, BESIDE)).refusal);
  assertEquals([asked.length, refusals.map((r) => r !== undefined)], [3, [true, false, false]]);
  const { entry } = await capped.judge(WRITE, BESIDE);
  assertEquals([entry.skipped, entry.error, entry.unknown], [
    "the session's question budget is spent",
    undefined,
    true,
  ]);
});
