import { assertEquals } from "@std/assert";
import { call, scriptLog } from "../../../tests/util/script_log.ts";
import { type ComparedLine, compareSessions } from "./compare_sessions.ts";
import { SessionIndexer } from "./session_indexer.ts";
import type { SessionRow } from "./session_row.ts";

/** Calls such as `find:1`, a tool and its argument. */
function calls(...words: string[]): SessionRow[] {
  const indexer = new SessionIndexer();
  scriptLog(words.map((word, i) => {
    const [name = "", id] = word.split(":");
    return [i, "client", call(i, name, { id })] as const;
  })).lines.forEach((line) => indexer.take(line, { at: 0, length: 0 }));
  return indexer.changedRows();
}

const seen = (line: ComparedLine) =>
  `${line.kind} ${"a" in line ? line.a.name : "-"} ${"b" in line ? line.b.name : "-"}`;

for (
  const [why, a, b, lines] of [
    ["the same calls", ["x:1", "y:2"], ["x:1", "y:2"], ["same x x", "same y y"]],
    ["other arguments", ["x:1", "y:2"], ["x:1", "y:3"], ["same x x", "changed y y"]],
    ["a call more", ["x:1"], ["w:1", "x:1"], ["onlyB - w", "same x x"]],
    ["a call less", ["x:1", "y:1"], ["x:1"], ["same x x", "onlyA y -"]],
    ["another tool", ["x:1", "y:1", "z:1"], ["x:1", "w:1", "z:1"], [
      "same x x",
      "onlyA y -",
      "onlyB - w",
      "same z z",
    ]],
    ["nothing", [], [], []],
    ["one empty session", [], ["x:1"], ["onlyB - x"]],
  ] as const
) {
  Deno.test(`compareSessions() shows ${why}`, () => {
    assertEquals(compareSessions(calls(...a), calls(...b)).map(seen), [...lines]);
  });
}
