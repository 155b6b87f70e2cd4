import { assertEquals, assertStringIncludes } from "@std/assert";
import { proofHtml, proofMarkdown, proofVerdict, type SavingsProof } from "./prove_report.ts";

const estimate = (value: number, low: number, high: number) => ({ value, low, high });

const PROOF: SavingsProof = {
  dir: "lo|gs",
  sessions: 40,
  empty: 2,
  turns: 400,
  bound: 90,
  flow: { saved: estimate(0.1, 0.05, 0.15), detours: estimate(0.4, 0.2, 0.6), net: 30 },
  lookups: [{ tool: "a|<b>", used: 9, tooLongForUnknown: 2, tooLongForAll: 1 }],
  guards: { rules: "r.yaml", calls: 80, refused: [{ rule: "no-<i>", calls: 3 }] },
  commands: ["hoist learn"],
};

Deno.test("proofVerdict() promises nothing where nothing is sure to be gained", () => {
  const { flow } = PROOF;
  if (flow === undefined) throw new TypeError("no flow");
  const rows = [
    [PROOF, "A flow would save 10.0 % (5.0 to 15.0)"],
    [{ ...PROOF, flow: undefined, sessions: 9 }, "Too few sessions to say: 9"],
    [{ ...PROOF, flow: { ...flow, saved: estimate(0.1, 0, 0.2) } }, "Nothing to gain here"],
    [{ ...PROOF, flow: { ...flow, net: -1 } }, "Nothing to gain here"],
  ] as const;
  for (const [proof, words] of rows) {
    assertStringIncludes(proofVerdict(proof), words);
    const pays = words.startsWith("A flow");
    assertEquals(proofMarkdown(proof).includes("To switch it on"), pays);
    assertEquals(proofHtml(proof).includes("To switch it on"), pays);
  }
});

Deno.test("the pages of a proof print names safely, and every number", () => {
  const text = proofMarkdown(PROOF);
  assertStringIncludes(text, "| a\\|<b> | 9 | 2 | 1 |");
  assertStringIncludes(text, "| no-<i> | 3 |");
  assertStringIncludes(text, "40 sessions with calls and 2 without, 400 turns");
  const html = proofHtml(PROOF);
  assertEquals(/<b>|<i>/.test(html), false);
  assertStringIncludes(html, "a|&lt;b&gt;");
});
