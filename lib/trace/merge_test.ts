import { assertEquals } from "@std/assert";
import { answer, call, says, scriptLog } from "../../tests/util/script_log.ts";
import type { LogFile, SessionLog } from "../log/log.ts";
import { courseOf } from "./course.ts";
import { episodeOf } from "./episode.ts";
import { manifestOf } from "./manifest.ts";
import { mergedSessions } from "./merge.ts";
import { session } from "./session.ts";

const START = 1794471303000;

const LOGS: Readonly<Record<string, SessionLog>> = {
  a: scriptLog([
    [0, "context", says("user", "Where is it?")],
    [1, "client", call(1, "find")],
    [2, "server", answer(1, "S-1")],
  ], { session: "a", started_unix_ms: START, host_session: "h", server_name: "mail" }),
  b: scriptLog([
    [1, "context", says("user", "Where is it?")],
    [2, "context", says("assistant", "One moment.")],
    [4000, "client", call(1, "find")],
    [4001, "server", answer(1, "P-7")],
  ], { session: "b", started_unix_ms: START + 1, host_session: "h", server_name: "post" }),
  c: scriptLog([[0, "client", call(1, "find")], [1, "server", answer(1, "x")]], {
    session: "c",
    started_unix_ms: START + 9,
    host_session: "other",
    server_name: "post",
  }),
};

const files: LogFile[] = Object.entries(LOGS).map(([path, { header }]) => ({ path, header }));

Deno.test("mergedSessions() joins the servers of one host session, and names their tools", async () => {
  const groups = mergedSessions(files);
  assertEquals(groups.map((group) => group.logs.map((log) => log.path)), [["a", "b"], ["c"]]);
  const read = (path: string) => Promise.resolve(LOGS[path] ?? scriptLog([]));
  const log = await groups[0]?.read(read, true) ?? scriptLog([]);
  const seen = session(log);
  assertEquals(manifestOf(seen, "").tools, { "mail::find": "generic", "post::find": "generic" });
  const course = courseOf(episodeOf(seen, log.header));
  assertEquals([course.id, course.turns], ["h", 2]);
  assertEquals(course.calls.map((c) => [c.tool, c.answer?.content]), [
    ["mail::find", "S-1"],
    ["post::find", "P-7"],
  ]);
  assertEquals(course.events.filter((event) => event.kind === "heard").length, 1);
  const alone = await groups[1]?.read(read, true);
  assertEquals(courseOf(episodeOf(session(alone ?? log), log.header)).calls[0]?.tool, "post::find");
});

Deno.test("mergedSessions() keeps logs apart whose servers share a name, or that are far apart", () => {
  const twin = { path: "d", header: LOGS.a?.header };
  assertEquals(mergedSessions([...files, twin]).length, 3);
  const header = LOGS.b?.header;
  const late = header && { ...header, server_name: "late", started_unix_ms: START + 7 * 3_600_000 };
  assertEquals(mergedSessions([files[0] ?? twin, { path: "e", header: late }]).length, 2);
});
