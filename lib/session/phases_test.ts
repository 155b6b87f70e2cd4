import { assertEquals, assertThrows } from "@std/assert";
import { HTTP_SESSION_MOVES } from "./listen/http_session.ts";
import { type Moves, Phases } from "./phases.ts";
import { BRIDGE_MOVES } from "./upstream/bridge.ts";
import { POST_MOVES } from "./upstream/post.ts";

const DOOR: Moves<"open" | "closed", "push" | "pull"> = {
  open: { push: "closed" },
  closed: { pull: "open" },
};

Deno.test("Phases follows its table", () => {
  const door = new Phases(DOOR, "open");
  assertEquals([door.can("push"), door.can("pull")], [true, false]);
  assertEquals([door.move("push"), door.now], ["closed", "closed"]);
});

Deno.test("Phases throws at a move that the table does not list, and stays", () => {
  const door = new Phases(DOOR, "open");
  assertThrows(() => door.move("pull"), RangeError, 'Cannot move: "open" has no "pull"');
  assertEquals(door.now, "open");
});

const TABLES = [
  ["BRIDGE_MOVES", BRIDGE_MOVES, "ended"],
  ["POST_MOVES", POST_MOVES, "ended"],
  ["HTTP_SESSION_MOVES", HTTP_SESSION_MOVES, "over"],
] as const;

for (const [name, moves, end] of TABLES) {
  Deno.test(`${name} reaches "${end}" from every phase`, () => {
    const table: Readonly<Record<string, Readonly<Record<string, string>>>> = moves;
    for (const start of Object.keys(table)) {
      const seen = new Set([start]);
      for (const phase of seen) {
        for (const next of Object.values(table[phase] ?? {})) seen.add(next);
      }
      assertEquals([start, seen.has(end)], [start, true]);
    }
  });
}
