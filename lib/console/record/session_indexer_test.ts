import { assertEquals } from "@std/assert";
import { answer, call, says, type ScriptLine, scriptLog } from "../../../tests/util/script_log.ts";
import { SessionIndexer } from "./session_indexer.ts";
import type { SessionRow } from "./session_row.ts";

function indexed(lines: readonly ScriptLine[]): { indexer: SessionIndexer; rows: SessionRow[] } {
  const log = scriptLog(lines);
  const indexer = new SessionIndexer();
  log.lines.forEach((line, i) => indexer.take(line, { at: 100 * i, length: 90 }));
  return { indexer, rows: indexer.changedRows() };
}

const seen = ({ name, by, outcome }: SessionRow) => [name, by, outcome];

Deno.test("SessionIndexer tells answers, errors, refusals, cancellations and open calls apart", () => {
  const cancelled = { method: "notifications/cancelled", params: { requestId: 4 } };
  const { indexer, rows } = indexed([
    [0, "client", call(1, "read", { id: "A-1" })],
    [5, "server", answer(1, "done")],
    [6, "client", call(2, "write")],
    [7, "server", answer(2, "no such id", true)],
    [8, "client", call(3, "write")],
    [9, "proxy", answer(3, "Refused by the policy check", true)],
    [10, "client", call(4, "slow")],
    [11, "client", { jsonrpc: "2.0", ...cancelled }],
    [12, "client", call(5, "slow")],
  ]);
  assertEquals(rows.map(seen), [
    ["read", "agent", "ok"],
    ["write", "agent", "error"],
    ["write", "agent", "refused"],
    ["slow", "agent", "cancelled"],
    ["slow", "agent", "open"],
  ]);
  const { calls, errors, refused } = indexer.facts(undefined);
  assertEquals([calls, errors, refused], [5, 2, 1]);
  assertEquals([...indexer.newTools()], [["read", 1], ["write", 2], ["slow", 2]]);
});

Deno.test("SessionIndexer keeps where each answer lies: the server's, and what the agent got", () => {
  const { rows } = indexed([
    [0, "client", call(7, "find")],
    [4, "server", answer(7, "S-20")],
    [5, "proxy", call("hoist-1", "get")],
    [8, "server", answer("hoist-1", "more")],
    [9, "proxy", answer(7, "S-20 and more")],
  ]);
  const [find, get] = rows;
  assertEquals(find?.answers.map(({ at, from }) => [at, from]), [[100, "server"], [400, "proxy"]]);
  assertEquals([find?.outcome, find?.endMs, find?.reply], ["ok", 4, "S-20"]);
  assertEquals(get && seen(get), ["get", "flow", "ok"]);
});

Deno.test("SessionIndexer counts progress with its call, and shows what was said", () => {
  const { rows } = indexed([
    [0, "context", says("user", "Where is it?")],
    [1, "client", call(1, "walk", {}, { _meta: { progressToken: "p" } })],
    [2, "server", { method: "notifications/progress", params: { progressToken: "p" } }],
    [3, "server", { method: "notifications/progress", params: { progressToken: "p" } }],
    [4, "server", "warming up"],
    [5, "server", { method: "notifications/progress", params: { progressToken: "unknown" } }],
  ]);
  assertEquals(rows.map((row) => [row.kind, row.by, row.progress]), [
    ["spoken", "user", 0],
    ["call", "agent", 2],
    ["noise", "server", 0],
    ["notice", "server", 0],
  ]);
});

Deno.test("SessionIndexer counts the turn that goes on, and gives changed rows once", () => {
  const { indexer } = indexed([[0, "client", call(1, "a")]]);
  assertEquals(indexer.facts(undefined).turns, 1);
  assertEquals(indexer.newTurns(), [0]);
  assertEquals(indexer.changedRows(), []);
});

Deno.test("SessionIndexer shows a line that is too long, with its sender and its place", () => {
  const indexer = new SessionIndexer();
  indexer.takeLong(2, '{"t_ms":40,"from":"server","message":{"x":"', { at: 7, length: 50_000_000 });
  const [row] = indexer.changedRows();
  assertEquals([row?.by, row?.tMs, row?.place.at, row?.brief], [
    "server",
    40,
    7,
    "a line of 50.0 MB, too long to be shown",
  ]);
  assertEquals(indexer.facts(undefined).rawLines, 0);
});
