import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { slices } from "./slices.ts";

const encode = (text: string) => [...new TextEncoder().encode(text)];

Deno.test("slices() never cuts a character", () => {
  assertEquals([...slices("a😀b😀", 2)], ["a", "😀", "b", "😀"]);
  assertEquals([...slices("", 2)], []);
});

Deno.test("slices() give the bytes of the whole text, lone surrogates too", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 5 }), (text, length) => {
      const parts = [...slices(text, length)];
      assert(parts.every((part) => part.length <= length));
      if (length > 1) assertEquals(parts.flatMap(encode), encode(text));
      assertEquals(parts.join(""), text);
    }),
  );
});
