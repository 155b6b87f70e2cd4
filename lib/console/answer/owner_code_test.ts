import { assertEquals } from "@std/assert";
import { OwnerCode } from "./owner_code.ts";

function codes(): { code: OwnerCode; shown: string[] } {
  const shown: string[] = [];
  let n = 0;
  const code = new OwnerCode((below) => n++ % below, (text) => shown.push(text));
  return { code, shown };
}

Deno.test("OwnerCode takes the code it has shown, in any case and with any separators", () => {
  const { code, shown } = codes();
  assertEquals(shown, ["ABCD-EFGH"]);
  for (const typed of ["ABCD-EFGH", "abcdefgh", " AB CD EF GH "]) {
    assertEquals(code.isRight(typed), true, typed);
  }
  for (const typed of ["", "ABCD-EFG"]) assertEquals(code.isRight(typed), false, typed);
});

Deno.test("OwnerCode makes another code after three wrong ones in a row", () => {
  const { code, shown } = codes();
  code.isRight("x");
  code.isRight("x");
  assertEquals(code.isRight("ABCDEFGH"), true);
  for (let i = 0; i < 3; i++) code.isRight("x");
  assertEquals(shown.length, 2);
  assertEquals(code.isRight("ABCDEFGH"), false);
  assertEquals(code.isRight(shown[1] ?? ""), true);
});
