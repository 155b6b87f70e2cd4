import { assertEquals } from "@std/assert";
import { concat } from "./concat.ts";

Deno.test("concat() joins pieces in an array of its own, and none make an empty one", () => {
  const piece = new Uint8Array([1, 2, 3]);
  const joined = concat([piece.subarray(1), new Uint8Array(), piece]);
  piece.fill(9);
  assertEquals([...joined], [2, 3, 1, 2, 3]);
  assertEquals(concat([]).length, 0);
});
