/**
 * The hai documentation: its reference is made from the table of tools, its snippets parse.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { VARIABLES } from "../lib/hai/state/config.ts";
import { ERROR_CODES } from "../lib/hai/state/refusal.ts";
import { toolReference } from "../lib/hai/tools/tool_reference.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const MARK = "## Reference\n\n";

Deno.test("docs/hai_tool_contract.md ends with the reference made from the tools", () => {
  const path = `${ROOT}docs/hai_tool_contract.md`;
  const text = Deno.readTextFileSync(path);
  const cut = text.indexOf(MARK) + MARK.length;
  assert(cut > MARK.length, "the heading of the reference is missing");
  const expected = `${text.slice(0, cut)}${toolReference()}\n`;
  if (Deno.env.get("HOIST_GOLDEN") === "write") Deno.writeTextFileSync(path, expected);
  else assertEquals(text, expected, "HOIST_GOLDEN=write rewrites it");
  for (const code of ERROR_CODES) assertStringIncludes(text, `\`${code}\``);
});

Deno.test("docs/hai.md names every variable", () => {
  const text = Deno.readTextFileSync(`${ROOT}docs/hai.md`);
  for (const name of Object.keys(VARIABLES)) assertStringIncludes(text, `\`${name}\``);
});

Deno.test("docs/hai.md has snippets that parse, each with the permissions that are tested", () => {
  const text = Deno.readTextFileSync(`${ROOT}docs/hai.md`);
  const blocks = [...text.matchAll(/```json\n([^]*?)```/g)].map((match) => match[1] ?? "");
  assertEquals(blocks.length, 6);
  for (const block of blocks) JSON.parse(block);
  const withDeno = blocks.filter((block) => block.includes('"deno"'));
  assertEquals(withDeno.length, 3);
  for (const block of withDeno) {
    assert(!/allow-(run|net|all|ffi)|"-A"/.test(block), block);
    for (const part of ["--no-prompt", "--allow-env", "--allow-read=", "/Projek-Managment"]) {
      assertStringIncludes(block, part);
    }
  }
});
