import { assertEquals } from "@std/assert";
import { markup } from "./html.ts";

for (
  const [why, value, printed] of [
    ["markup in a text", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["quotes, as an attribute needs it", `"' onload=x`, "&quot;&#39; onload=x"],
    ["a terminal's escapes", "\u001b[31mred", "\\e[31mred"],
    ["a text that reads backwards", "abc\u202edcba", "abc\\u{202e}dcba"],
    ["half a character", "a\ud800b", "a\\u{d800}b"],
    ["line ends and tabs as they are", "a\n\tb", "a\n\tb"],
    ["nothing for nothing", undefined, ""],
    ["zero", 0, "0"],
    ["each value of a list", ["<", [markup`<b>`, "&"]], "&lt;<b>&amp;"],
  ] as const
) {
  Deno.test(`markup prints ${why}`, () => {
    assertEquals(String(markup`${value}`), printed);
  });
}
