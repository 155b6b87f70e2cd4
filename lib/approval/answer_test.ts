import { assert, assertEquals } from "@std/assert";
import { canonicalArguments } from "./arguments.ts";
import { countedAnswer, printAnswer } from "./answer.ts";
import { fingerprintOf, type HeldCall, printHeld, readHeld } from "./held_call.ts";
import { heldLine, heldLines } from "./shown.ts";

const NOW = 1_800_000_000_000;
const KEY = "ab".repeat(32);

const CALL: HeldCall = {
  hoist_approval: 1,
  id: "0123456789ab",
  server: "shop",
  session: "s-1",
  tool: "refund",
  arguments: '{"amount":250,"order":"#W7"}',
  by: "agent",
  why: [{ rule: "shop.big", reason: "250 is much" }],
  known: [{ rule: "shop.seen", verdict: "allow" }],
  said: { user: "yes", agent: "refund 250?" },
  rules: { file: "r.yaml", sha256: "00ff" },
  asked_unix_ms: NOW,
  expires_unix_ms: NOW + 625_000,
};

const read = (text: string, changes: { key?: string; nowUnixMs?: number; call?: HeldCall } = {}) =>
  countedAnswer(text, { call: CALL, key: KEY, nowUnixMs: NOW + 1_000, ...changes });
const yes = (call: HeldCall = CALL, key = KEY, at = NOW + 500) =>
  printAnswer({ call, key, nowUnixMs: at }, "approved");

Deno.test("countedAnswer() takes a yes and a no to the call that was shown, for ten minutes", () => {
  assertEquals(read(yes()), { verdict: "approved", leftMs: 599_500 });
  const no = printAnswer({ call: CALL, key: KEY, nowUnixMs: NOW }, "denied");
  assertEquals(read(no), { verdict: "denied", leftMs: 599_000 });
  assertEquals(read(yes(), { nowUnixMs: NOW + 600_499 }), { verdict: "approved", leftMs: 1 });
});

/** Ways to tamper with what a person is shown: each shows another call. */
const SHOWN: Readonly<Record<string, Partial<HeldCall>>> = {
  "another tool": { tool: "refunds" },
  "a tool in other case": { tool: "Refund" },
  "a tool with a space": { tool: "refund " },
  "a smaller amount": { arguments: '{"amount":25,"order":"#W7"}' },
  "another order": { arguments: '{"amount":250,"order":"#W8"}' },
  "an argument less": { arguments: '{"amount":250}' },
  "an argument more": { arguments: '{"amount":250,"note":"","order":"#W7"}' },
  "a number as text": { arguments: '{"amount":"250","order":"#W7"}' },
  "a look-alike letter": { arguments: '{"amount":250,"order":"#Ԝ7"}' },
  "another server": { server: "shop-test" },
  "another session": { session: "s-2" },
  "another reason": { why: [{ rule: "shop.big", reason: "25 is little" }] },
  "another rule": { why: [{ rule: "shop.small", reason: "250 is much" }] },
  "no reason": { why: [] },
  "what is known left out": { known: [] },
  "another conversation": { said: { user: "yes, all of it", agent: "refund 250?" } },
  "another maker": { by: "commit" },
  "another rule file": { rules: { file: "s.yaml", sha256: "00ff" } },
  "another version of the rules": { rules: { file: "r.yaml", sha256: "00fe" } },
  "an earlier question": { asked_unix_ms: NOW - 1 },
  "a later end": { expires_unix_ms: NOW + 9_000_000 },
  "another id": { id: "0123456789ac" },
};

for (const [what, changes] of Object.entries(SHOWN)) {
  Deno.test(`countedAnswer() refuses a yes to ${what}`, () => {
    assert("fault" in read(yes({ ...CALL, ...changes })));
  });
}

/** Changes an answer's text. */
const edited = (changes: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ ...JSON.parse(yes()), ...changes });
const NO = printAnswer({ call: CALL, key: KEY, nowUnixMs: NOW }, "denied");

/** Ways to tamper with an answer. */
const ANSWERS: Readonly<Record<string, string>> = {
  "an empty file": "",
  "half an answer": yes().slice(0, 90),
  "two answers": yes() + yes(),
  "the word yes": "yes",
  "null": "null",
  "a list": `[${yes()}]`,
  "a no made a yes": NO.replace("denied", "approved"),
  "the verdict true": edited({ verdict: true }),
  "the verdict yes": edited({ verdict: "yes" }),
  "the verdict Approved": edited({ verdict: "Approved" }),
  "no verdict": edited({ verdict: undefined }),
  "no seal": edited({ seal: undefined }),
  "an empty seal": edited({ seal: "" }),
  "a seal cut short": edited({ seal: JSON.parse(yes()).seal.slice(0, 32) }),
  "a seal made longer": edited({ seal: JSON.parse(yes()).seal + "00" }),
  "a seal in capitals": edited({ seal: JSON.parse(yes()).seal.toUpperCase() }),
  "the seal of a no": edited({ seal: JSON.parse(NO).seal }),
  "a list as seal": edited({ seal: [JSON.parse(yes()).seal] }),
  "the seal of another key": yes(CALL, "cd".repeat(32)),
  "the seal of no key": yes(CALL, ""),
  "another version": edited({ hoist_approval_answer: 2 }),
  "a member more": edited({ also: 1 }),
  "another id": edited({ id: "0123456789ac" }),
  "another fingerprint": edited({ fingerprint: "00" }),
  "a time moved on": edited({ answered_unix_ms: NOW + 900 }),
  "a time before the question": yes(CALL, KEY, NOW - 60_000),
  "a time to come": yes(CALL, KEY, NOW + 60_000),
  "a time after the end": yes(CALL, KEY, NOW + 700_000),
  "a prototype": yes().replace('"id"', '"__proto__":{"verdict":"approved"},"id"'),
};

for (const [what, text] of Object.entries(ANSWERS)) {
  Deno.test(`countedAnswer() refuses ${what}`, () => {
    assert("fault" in read(text));
    const late = { nowUnixMs: NOW + 800_000 };
    assert("fault" in read(text, late));
  });
}

Deno.test("the ways to tamper with an approval are fifty", () => {
  assert(Object.keys(SHOWN).length + Object.keys(ANSWERS).length >= 50);
});

Deno.test("countedAnswer() refuses an answer after ten minutes", () => {
  assert("fault" in read(yes(), { nowUnixMs: NOW + 600_500 }));
});

Deno.test("readHeld() gives what printHeld() printed, the key apart, and nothing else", () => {
  const text = printHeld({ ...CALL, key: KEY });
  assertEquals(readHeld(text), { call: CALL, key: KEY });
  const { said: _, ...silent } = CALL;
  assertEquals(readHeld(printHeld({ ...silent, key: KEY }))?.call, silent);
  for (
    const odd of [
      "",
      "{}",
      "null",
      text.slice(1),
      text.replace(KEY, "AB"),
      text.replace(":1", ":2"),
    ]
  ) assertEquals(readHeld(odd), undefined, odd);
  assertEquals(fingerprintOf(CALL).length, 64);
});

Deno.test.each<{ text: string; canonical: string; why: string }>([
  { text: '{"b":1,"a":[2]}', canonical: '{"a":[2],"b":1}', why: "keys in order" },
  { text: ' { "a" : "x 1.0" } ', canonical: '{"a":"x 1.0"}', why: "digits in a text" },
  { text: '{"n":9007199254740993}', canonical: '{"n":9007199254740993}', why: "no double" },
  { text: '{"b":1.0,"a":2}', canonical: '{"b":1.0,"a":2}', why: "another spelling" },
  { text: "[1, 2]", canonical: "[1,2]", why: "no object" },
])("canonicalArguments() of $text: $why", ({ text, canonical }) => {
  assertEquals(canonicalArguments(text), canonical);
});

Deno.test("heldLines() shows everything, and nothing that a terminal would obey", () => {
  const lines = heldLines({
    ...CALL,
    arguments: canonicalArguments('{"n":1,"a":"x\\u001b[2J\\u202e"}'),
  });
  assertEquals(lines.slice(-4), [
    "  {",
    '    "a": "x\\u001b[2J<U+202E>",',
    '    "n": 1',
    "  }",
  ]);
  for (const part of ["0123456789ab", "refund", "shop", "s-1", "250 is much", "refund 250?"]) {
    assert(lines.some((line) => line.includes(part)), part);
  }
  const tool = heldLine({ ...CALL, tool: "a\nb\x1b" });
  assertEquals([tool.includes("\n"), tool.includes("\x1b")], [false, false]);
});

Deno.test("heldLines() shows numbers as they were written, and deep arguments on one line", () => {
  const exact = heldLines({ ...CALL, arguments: '{"n":9007199254740993}' });
  assertEquals(exact.at(-1), '  {"n":9007199254740993}');
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  assertEquals(heldLines({ ...CALL, arguments: deep }).at(-1), `  ${deep}`);
});
