/** Every promise of the specifications is held by a test that cites it. */

import { assert, assertEquals } from "@std/assert";
import { REQUIREMENTS } from "./requirements.ts";
import { ROOT } from "./util/executables.ts";
import { codeOf, filesUnder } from "./util/sources.ts";

/** `(R07, S8)` at the end of a name, and `HAI-147` anywhere in code. */
const CITED = /(?<=\((?:[A-Z]+\d+, )*)[CPRS]\d{1,2}(?=(?:, [A-Z]+\d+)*\)["`])|\bHAI-\d+\b/g;

async function citedIds(): Promise<Map<string, string>> {
  const paths = (await Promise.all(["lib", "tests"].map(filesUnder))).flat();
  const found = new Map<string, string>();
  for (const path of paths.filter((name) => name.endsWith("_test.ts"))) {
    const text = codeOf(await Deno.readTextFile(`${ROOT}/${path}`));
    for (const [id] of text.matchAll(CITED)) found.set(id, path);
  }
  return found;
}

Deno.test("a promise has an id and a text, and there are as many as the specifications have", () => {
  for (const [id, text] of REQUIREMENTS) assert(/^(?:HAI-\d{3}|[CPRS]\d{1,2})$/.test(id) && text);
  const count = (start: string) =>
    [...REQUIREMENTS.keys()].filter((id) => id.startsWith(start)).length;
  assertEquals(["C", "S", "R", "P", "HAI-"].map(count), [26, 26, 19, 7, 156]);
});

Deno.test("every promise is cited by a test", async () => {
  const cited = await citedIds();
  const missing = [...REQUIREMENTS].filter(([id]) => !cited.has(id));
  assertEquals(missing.map(([id, text]) => `${id}: ${text}`), []);
});

Deno.test("a test cites no promise that is not listed", async () => {
  const unknown = [...await citedIds()].filter(([id]) => !REQUIREMENTS.has(id));
  assertEquals(unknown, []);
});
