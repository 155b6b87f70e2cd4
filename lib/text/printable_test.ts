import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { excerpt, printable } from "./printable.ts";

for (
  const [why, text, expected] of [
    ["a colour code", "\u001b[31mred", "\\e[31mred"],
    ["a one-byte control sequence", "\u009b2J", "\\u{9b}2J"],
    ["a title that ends in BEL", "\u001b]0;x\u0007", "\\e]0;x\\u{7}"],
    ["line ends", "a\r\nb\u2028c\td", "a\\r\\nb\\u{2028}c\\td"],
    ["a direction override", "\u202egpj.exe", "\\u{202e}gpj.exe"],
    ["half a surrogate pair", "\ud83d!", "\\u{d83d}!"],
    ["a tag character", "\u{e0041}", "\\u{e0041}"],
  ] as const
) {
  Deno.test(`printable() shows ${why}`, () => assertEquals(printable(text), expected));
}

Deno.test("printable() leaves letters, accents and emoji alone", () => {
  assertEquals(printable("Zoë, 東京 👩🏽 \\ é"), "Zoë, 東京 👩🏽 \\ é");
});

Deno.test("printable() leaves no control character in any text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    // deno-lint-ignore no-control-regex
    assert(!/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.test(printable(text)));
  }));
});

Deno.test("excerpt() counts characters, not units, and says that it cut", () => {
  assertEquals(excerpt("👩👩👩", 3), "👩👩👩");
  assertEquals(excerpt("👩👩👩👩", 3), "👩👩👩…");
  assertEquals(excerpt("abcdefgh", 3), "abc…");
  assertEquals(excerpt("a\nb", 3), "a\\nb");
  assertEquals(excerpt("", 3), "");
});
