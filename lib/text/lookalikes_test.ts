/** Characters that deceive are named; ordinary text of any script is left alone. */

import { assertEquals } from "@std/assert";
import { lookalikes } from "./lookalikes.ts";

const NAMED: readonly (readonly [line: string, finding: string])[] = [
  ["p\u0430ypal", '"p\u0430ypal": U+0430 (Cyrillic) looks like "a"'],
  [
    "delete \u0455\u0441\u043e\u0440\u0435",
    '"\u0455\u0441\u043e\u0440\u0435": U+0455 (Cyrillic) ' +
    'looks like "s", U+0441 (Cyrillic) looks like "c", U+043E (Cyrillic) looks like "o", ' +
    'U+0440 (Cyrillic) looks like "p", U+0435 (Cyrillic) looks like "e"',
  ],
  ["a\u202eb", "U+202E RIGHT-TO-LEFT OVERRIDE, reverses what follows"],
  ["a\u200bb", "U+200B ZERO WIDTH SPACE, invisible"],
  ["a\u0007", "U+0007 a control character"],
  ["a\u00a0b", "U+00A0 looks like a blank"],
  ["src\u2215evil", 'U+2215 looks like "/"'],
  ["\uff41bc", 'U+FF41 looks like "a"'],
  ["ab\u0436", '"ab\u0436" mixes Latin and Cyrillic'],
  ["e\u0301\u0301\u0301", "three or more marks on one letter"],
];

for (const [line, finding] of NAMED) {
  Deno.test(`lookalikes() names ${JSON.stringify(finding).slice(0, 60)}`, () => {
    assertEquals(lookalikes(line), [finding]);
  });
}

Deno.test("lookalikes() leaves ordinary text alone", () => {
  const lines = [
    "Make the evaluator deterministic",
    "привет, мир",
    "Καλημέρα",
    "café – über 日本",
    "\tx",
  ];
  assertEquals(lines.flatMap(lookalikes), []);
});
