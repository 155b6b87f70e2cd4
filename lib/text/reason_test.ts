import { assertEquals } from "@std/assert";
import { reasonOf } from "./reason.ts";

Deno.test("reasonOf() leaves out the number, call and path that Deno appends", () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [
      new Error("No such file or directory (os error 2): readfile 'it's.json'"),
      "No such file or directory",
    ],
    [new Error("No space left on device (os error 28)"), "No space left on device"],
    [new Error("(os error 2) stands in a text"), "(os error 2) stands in a text"],
    [new Error("it is not JSON"), "it is not JSON"],
    ["a text", "a text"],
  ];
  for (const [error, reason] of rows) assertEquals(reasonOf(error), reason);
});

Deno.test("reasonOf() leaves the path out of the message of this Deno for a missing file", () => {
  let reason = "";
  try {
    Deno.readTextFileSync("no/such/file");
  } catch (error) {
    reason = reasonOf(error);
  }
  assertEquals(/no\/such\/file|os error/.test(reason), false, reason);
});
