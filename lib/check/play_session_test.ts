import { assertEquals } from "@std/assert";
import type { JsonObject } from "../json/json.ts";
import type { StartLiveServer } from "./live_server.ts";
import { answer, call, scriptLog } from "../../tests/util/script_log.ts";
import { checkHtml, checkJunit, checkReport, checkSarif } from "./check_report.ts";
import type { CheckKind } from "./compare_answers.ts";
import { type CheckOptions, playSession } from "./play_session.ts";
import { recordedSession } from "./recorded_session.ts";
import { NO_MASKS } from "./test_settings.ts";

const request = (id: number, method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const response = (id: unknown, result: object) => ({ jsonrpc: "2.0", id, result });

/** A session: a list in two pages, a read, a write, a tool that is gone, a sampling in between. */
const LOG = scriptLog([
  [0, "client", request(0, "initialize", { protocolVersion: "2025-06-18" })],
  [1, "server", response(0, { protocolVersion: "2025-06-18" })],
  [2, "client", request(1, "tools/list", { cursor: "old" })],
  [3, "server", response(1, { tools: [] })],
  [4, "client", call(2, "read")],
  [5, "server", request(9, "sampling/createMessage")],
  [6, "client", response(9, { role: "assistant" })],
  [7, "server", answer(2, "found")],
  [8, "client", call(3, "write")],
  [9, "server", answer(3, "written")],
  [10, "client", call(4, "gone")],
  [11, "server", answer(4, "here")],
  [12, "client", request(5, "tasks/list")],
  [13, "client", call(6, "read")],
]);

const TOOLS = [{ name: "read", annotations: { readOnlyHint: true } }, { name: "write" }];

/** A server that asks its host before it answers, and keeps what it was asked. */
function scripted(asked: string[], found: (tool: string) => string): StartLiveServer {
  return (_command, answer) => ({
    request(method: string, params: JsonObject) {
      asked.push(`${method} ${params.name ?? ""}`.trim());
      const said = method === "tools/call" ? answer("sampling/createMessage") : undefined;
      if (said !== undefined) asked.push(JSON.stringify(said));
      const result: JsonObject = method === "tools/list"
        ? { tools: TOOLS }
        : { content: [{ type: "text", text: found(String(params.name)) }] };
      return Promise.resolve({ result, error: undefined });
    },
    notify: (method) => void asked.push(method),
    close: () => Promise.resolve(void asked.push("close")),
  });
}

const OPTIONS: CheckOptions = { command: ["s"], settings: NO_MASKS, writes: false, reads: [] };

Deno.test("playSession() plays what reads, with the host's own answers, and says why not the rest", async () => {
  const asked: string[] = [];
  const rows = await playSession(recordedSession(LOG), scripted(asked, () => "found"), OPTIONS);
  assertEquals(rows.map(({ line, method, tool, kind }) => [line, tool ?? method, kind]), [
    [4, "tools/list", "changed"],
    [6, "read", "equal"],
    [10, "write", "skipped"],
    [12, "gone", "missing"],
    [14, "tasks/list", "skipped"],
    [15, "read", "skipped"],
  ]);
  assertEquals(asked, [
    "initialize",
    "notifications/initialized",
    "tools/list",
    "tools/list",
    "tools/call read",
    '{"role":"assistant"}',
    "close",
  ]);
});

Deno.test("playSession() calls writes where it is told to, and ends the server after a fault", async () => {
  const asked: string[] = [];
  const options = { ...OPTIONS, writes: true };
  const rows = await playSession(recordedSession(LOG), scripted(asked, (tool) => tool), options);
  assertEquals(rows.filter(({ tool }) => tool === "write").map(({ kind }) => kind), ["changed"]);
  const broken: StartLiveServer = (command, host) => ({
    ...scripted(asked, () => "")(command, host),
    request: () => Promise.reject(new Error("gone")),
  });
  const why = await playSession(recordedSession(LOG), broken, OPTIONS).then(() => "", String);
  assertEquals([why, asked.at(-1)], ["Error: gone", "close"]);
});

Deno.test("the reports of a check hold each fault, and nothing that is markup", async () => {
  const rows = await playSession(
    recordedSession(LOG),
    scripted([], () => "<b>&'\"\u0007"),
    OPTIONS,
  );
  const failing = new Set<CheckKind>(["changed", "missing"]);
  const sessions = [{ file: "a b.jsonl", rows, fault: undefined }, {
    file: "c.jsonl",
    rows: [],
    fault: "<fault>",
  }];
  const text = checkReport(sessions, failing);
  assertEquals(text.split("\n").at(-1), "2 sessions: 0 equal, 3 skipped, 2 changed, 1 missing");
  assertEquals(text.includes("a b.jsonl:6: changed: tools/call read"), true);
  const junit = checkJunit(sessions, failing);
  assertEquals(/tests="6" failures="3" errors="0" skipped="3"/.test(junit), true, junit);
  assertEquals(/errors="1"/.test(junit), true);
  for (const page of [junit, checkHtml(sessions, failing)]) {
    for (const mark of ["<b>", "<fault>", "\u0007"]) assertEquals(page.includes(mark), false);
  }
  const sarif = JSON.parse(JSON.stringify(checkSarif(sessions, failing, "1")));
  const [run] = sarif.runs;
  assertEquals(run.results.map((one: { ruleId: string }) => one.ruleId), [
    "changed",
    "changed",
    "missing",
    "session",
  ]);
  const [{ physicalLocation }] = run.results[1].locations;
  assertEquals([physicalLocation.artifactLocation.uri, physicalLocation.region.startLine], [
    "a%20b.jsonl",
    6,
  ]);
});
