import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ValueSet } from "./value_set.ts";

Deno.test("ValueSet knows what a Set knows", () => {
  const texts = fc.array(fc.string({ maxLength: 6 }), { maxLength: 60 });
  fc.assert(fc.property(texts, texts, (added, asked) => {
    const [set, wanted] = [new ValueSet(), new Set(added)];
    for (const text of added) set.add(text);
    assertEquals(asked.map((text) => set.has(text)), asked.map((text) => wanted.has(text)));
  }));
});

Deno.test("ValueSet grows without losing a text, and clear() empties it", () => {
  const set = new ValueSet();
  for (let i = 0; i < 50_000; i++) set.add(`value ${i}`);
  for (let i = 0; i < 50_000; i++) assert(set.has(`value ${i}`) && !set.has(`other ${i}`));
  set.clear();
  assertEquals(set.has("value 1"), false);
});

Deno.test("ValueSet with a limit knows at least the newest half", () => {
  const set = new ValueSet(2000);
  for (let i = 0; i < 10_000; i++) set.add(`value ${i}`);
  for (let i = 9000; i < 10_000; i++) assert(set.has(`value ${i}`));
  assertEquals(set.has("value 1"), false);
});
