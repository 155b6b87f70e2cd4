import { assertEquals } from "@std/assert";
import { lenientParser } from "./lenient.ts";

for (
  const [why, text, wanted] of [
    ["JSON", '{"a": [1]}', { a: [1] }],
    ["plain words", "held", "held"],
    ["lines", "one\ntwo", ["one", "two"]],
    ["YAML", "id: P-7\nstops:\n  - A\n  - B", { id: "P-7", stops: ["A", "B"] }],
    ["a Python literal", "{'id': 'P-7', 'late': True, 'by': None}", {
      id: "P-7",
      late: true,
      by: null,
    }],
    ["a Markdown table", "| id | status |\n|---|---|\n| P-7 | held |", [{
      id: "P-7",
      status: "held",
    }]],
    ["a Markdown list", "- P-7\n- P-8", ["P-7", "P-8"]],
    ["JSON before words", '{"a": 1}\nand this is all', { a: 1 }],
    ["JSON over lines between words", 'Found:\n{\n "a": "}"\n} \n[image]', { a: "}" }],
    ["several JSON values", '{"a": 1}\n{"a": 2}', [{ a: 1 }, { a: 2 }]],
    ["JSON in a fence", 'Here:\n```json\n{"a": 1}\n```', { a: 1 }],
  ] as const
) {
  Deno.test(`lenientParser() reads ${why}`, async () => {
    assertEquals((await lenientParser())(text), wanted);
  });
}
