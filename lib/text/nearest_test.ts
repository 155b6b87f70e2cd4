import { assertEquals } from "@std/assert";
import { nearest } from "./nearest.ts";

Deno.test("nearest finds what a slip of the finger meant, and nothing far away", () => {
  const names = ["record", "retain-days", "domain", "listen", "listen-idle", "upstream"];
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["recrod", "record"],
    ["recor", "record"],
    ["rec", "record"],
    ["retain-day", "retain-days"],
    ["lisetn", "listen"],
    ["upstraem", "upstream"],
    ["dormain", "domain"],
    ["liste", "listen"],
    ["re", undefined],
    ["verbose", undefined],
    ["x", undefined],
  ];
  for (const [given, meant] of rows) assertEquals(nearest(given, names), meant, given);
  assertEquals(nearest("ab", ["aa", "bb"]), undefined, "two as near");
});
