import { assertEquals } from "@std/assert";
import { globPattern } from "./glob.ts";

Deno.test("globPattern() takes * and ? alone as special", () => {
  const rows = [
    ["get_*", "get_order", true],
    ["get_*", "forget_it", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["*", "any\nthing", true],
    ["[ab]{1}(x)|.+", "[ab]{1}(x)|.+", true],
    ["[ab]", "a", false],
    ["a.c", "abc", false],
  ] as const;
  for (const [glob, name, fits] of rows) {
    assertEquals(globPattern(glob).test(name), fits, `${glob} ${name}`);
  }
});
