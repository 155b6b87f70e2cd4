import { assertEquals } from "@std/assert";
import { fewWords } from "./learned.ts";

Deno.test("fewWords() says what is missing and what was done about it", () => {
  assertEquals(
    fewWords({ solved: 4, tasks: 3, isPicked: true }),
    "too little to learn well from: 4 solved sessions of 20, so the others count too; " +
      "3 tasks of 10, so the threshold is the default",
  );
  assertEquals(
    fewWords({ solved: 30, tasks: 3, isPicked: true }),
    "too little to learn well from: 3 tasks of 10, so the threshold is the default",
  );
  assertEquals(fewWords({ solved: 30, tasks: 3, isPicked: false }), undefined);
  assertEquals(fewWords({ solved: 20, tasks: 10, isPicked: true }), undefined);
});
