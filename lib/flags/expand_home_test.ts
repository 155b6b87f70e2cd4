import { assertEquals } from "@std/assert";
import { expandHome } from "./expand_home.ts";

for (
  const [path, home, expected] of [
    ["~/logs", "/home/me", "/home/me/logs"],
    ["~", "/home/me", "/home/me"],
    ["~\\logs", "C:\\Users\\me", "C:\\Users\\me\\logs"],
    ["~other/logs", "/home/me", "~other/logs"],
    ["logs/~", "/home/me", "logs/~"],
    ["logs", undefined, "logs"],
    ["~/logs", undefined, null],
  ] as const
) {
  Deno.test(`expandHome() makes ${expected} of ${path} at ${home}`, () => {
    assertEquals(expandHome(path, home), expected);
  });
}
