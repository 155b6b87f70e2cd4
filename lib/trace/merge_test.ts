import { assertEquals } from "@std/assert";
import { answer, call, says, scriptLog } from "../../tests/util/script_log.ts";
import type { ListedLog, SessionLog } from "../log/log.ts";
import { episodeOf } from "./log_episode.ts";
import { manifestOf } from "./manifest.ts";
import { groupLogs } from "./merge.ts";
import { traceOf } from "./trace.ts";

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

function filesOf(logs: Readonly<Record<string, SessionLog>>): ListedLog[] {
  return Object.entries(logs).map(([path, { header }]) => ({ path, header }));
}

/** The paths of each session's logs. */
async function grouped(logs: Readonly<Record<string, SessionLog>>) {
  const groups = await groupLogs(filesOf(logs), readerOf(logs));
  return groups.map((group) => group.logs.map((log) => log.path).join("+"));
}

function readerOf(logs: Readonly<Record<string, SessionLog>>) {
  return (path: string) => Promise.resolve(logs[path] ?? scriptLog([]));
}

/** A log of host session `h`, from one time to another, of one call. */
function spanned(name: string, from: number, to: number): SessionLog {
  return scriptLog([[0, "client", call(1, "find")], [to - from, "server", answer(1, name)]], {
    session: `${name}-${from}`,
    started_unix_ms: START + from,
    host_session: "h",
    server_name: name,
  });
}

Deno.test("groupLogs() joins the servers of one host session, and names their tools", async () => {
  const read = readerOf(LOGS);
  const groups = await groupLogs(filesOf(LOGS), read);
  assertEquals(groups.map((group) => group.logs.map((log) => log.path)), [["a", "b"], ["c"]]);
  const log = await groups[0]?.read(read, true) ?? scriptLog([]);
  const seen = traceOf(log);
  assertEquals(manifestOf(seen, "").tools, { "mail::find": "generic", "post::find": "generic" });
  const episode = episodeOf(seen, log.header);
  assertEquals([episode.id, episode.turns], ["h", 2]);
  assertEquals(episode.calls.map((c) => [c.name, c.answer?.content]), [
    ["mail::find", "S-1"],
    ["post::find", "P-7"],
  ]);
  assertEquals(episode.events.filter((event) => event.kind === "user").length, 1);
  const alone = await groups[1]?.read(read, true);
  assertEquals(episodeOf(traceOf(alone ?? log), log.header).calls[0]?.name, "post::find");
});

Deno.test("groupLogs() joins logs that overlap one with the next, and no others", async () => {
  const logs = {
    a: spanned("mail", 0, 100),
    b: spanned("post", 90, 300),
    c: spanned("mail", 250, 400),
    d: spanned("post", 500, 600),
    e: spanned("mail", 600, 700),
    f: spanned("mail", 9000, 9100),
  };
  assertEquals(await grouped(logs), ["a+b+c", "d+e", "f"]);
  const groups = await groupLogs(filesOf(logs), readerOf(logs));
  const read = await Promise.all(groups.map((group) => group.read(readerOf(logs), true)));
  assertEquals(read.map((log) => log.header.session), ["h", "h#2", "mail-9000"]);
});

Deno.test("groupLogs() keeps the logs of a run apart when two servers share a name at once", async () => {
  const logs = {
    a: spanned("mail", 0, 100),
    b: spanned("post", 50, 90),
    c: spanned("mail", 80, 99),
  };
  assertEquals(await grouped(logs), ["a", "b", "c"]);
  const groups = await groupLogs(filesOf(logs), readerOf(logs));
  assertEquals(groups.map((group) => group.note !== undefined), [true, false, false]);
});

Deno.test("a server without a given name has the one it calls itself", async () => {
  const hello = { jsonrpc: "2.0", id: 0, method: "initialize", params: {} };
  const back = { jsonrpc: "2.0", id: 0, result: { serverInfo: { name: "depot", version: "1" } } };
  const depot = scriptLog([
    [0, "client", hello],
    [1, "server", back],
    [2, "client", call(1, "find")],
    [3, "server", answer(1, "x")],
  ], { session: "d", started_unix_ms: START, host_session: "h" });
  const logs = { a: spanned("mail", 0, 100), depot };
  const [group] = await groupLogs(filesOf(logs), readerOf(logs));
  const log = await group?.read(readerOf(logs), true) ?? depot;
  assertEquals(episodeOf(traceOf(log), log.header).calls.map((c) => c.name), [
    "mail::find",
    "depot::find",
  ]);
});

Deno.test("a call that a log leaves open ends with the log, and holds no other server's turn", async () => {
  const open = scriptLog([[0, "client", call(1, "find")], [10, "server", "a line of noise"]], {
    session: "o",
    started_unix_ms: START,
    host_session: "h",
    server_name: "mail",
  });
  const busy = scriptLog([
    [5, "client", call(1, "get")],
    [6, "server", answer(1, "x")],
    [5000, "client", call(2, "get")],
    [5001, "server", answer(2, "y")],
    [9000, "client", call(3, "get")],
    [9001, "server", answer(3, "z")],
  ], { session: "b", started_unix_ms: START, host_session: "h", server_name: "post" });
  const logs = { open, busy };
  const [group] = await groupLogs(filesOf(logs), readerOf(logs));
  const log = await group?.read(readerOf(logs), true) ?? open;
  assertEquals(episodeOf(traceOf(log), log.header).calls.map((c) => c.turn), [
    0,
    0,
    1,
    2,
  ]);
});
