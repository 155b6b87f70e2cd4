import { assertEquals } from "@std/assert";
import type { SessionLog } from "../log/log.ts";
import { parseLog } from "../log/parse_log.ts";
import { OverviewReader } from "../timeline/overview.ts";
import { answer, call, scriptLog } from "../../tests/util/script_log.ts";
import { SessionRows } from "./session_rows.ts";
import type { TableName, TableRow } from "./tables.ts";

function rowsOf(log: SessionLog, withValues = false): Record<TableName, TableRow[]> {
  const found: Record<TableName, TableRow[]> = {
    sessions: [],
    calls: [],
    turns: [],
    lookups: [],
    refusals: [],
  };
  const glance = new OverviewReader();
  log.lines.forEach((line) => glance.take(line));
  const options = { hash: (text: string) => `#${text}`, withValues, file: "f" };
  const rows = new SessionRows(
    log.header,
    glance.end(log.header),
    (table, row) => found[table].push(row),
    options,
  );
  log.lines.forEach((line) => rows.take(line));
  rows.end();
  return found;
}

Deno.test("SessionRows gives each call its turn, its caller and its end", () => {
  const log = scriptLog([
    [0, "client", call(1, "find")],
    [5, "server", answer(1, "found")],
    [6, "proxy", call("hoist-1", "details")],
    [9, "server", answer("hoist-1", "more")],
    [2000, "client", call(2, "details")],
    [
      2001,
      "proxy",
      answer(
        2,
        "Refused by the policy check, so details was not run and nothing changed: no (policy check a.b, c).",
        true,
      ),
    ],
    [4000, "client", call(3, "late")],
  ]);
  const { calls, turns, lookups, refusals, sessions } = rowsOf(log);
  assertEquals(
    calls.map((row) => [row.number, row.turn, row.caller, row.tool, row.outcome, row.duration_ms]),
    [
      [0, 0, "agent", "find", "done", 5],
      [1, 0, "flow", "details", "done", 3],
      [2, 1, "agent", "details", "refused", 1],
      [3, 2, "agent", "late", "unanswered", null],
    ],
  );
  assertEquals(turns.map((row) => [row.turn, row.calls, row.first_tool]), [
    [0, 1, "find"],
    [1, 1, "details"],
    [2, 1, "late"],
  ]);
  assertEquals(lookups.map((row) => [row.call, row.called_again]), [["hoist-1", true]]);
  assertEquals(refusals.map((row) => [row.tool, row.checks, row.reason]), [
    ["details", "a.b, c", null],
  ]);
  assertEquals(sessions.map((row) => [row.turns, row.lookups, row.lines]), [[3, 1, 7]]);
});

Deno.test("SessionRows holds values only where they are asked for", async () => {
  const log = parseLog(await Deno.readTextFile("testdata/sessions/v2/parcels.jsonl"));
  const secret = "lea@post.example";
  assertEquals(JSON.stringify(rowsOf(log, true)).includes(secret), true);
  const { calls } = rowsOf(log);
  assertEquals(calls.map((row) => [row.arguments, row.result]), calls.map(() => [null, null]));
});
