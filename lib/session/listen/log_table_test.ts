import { assertEquals } from "@std/assert";
import { endsSession, LogTable } from "./log_table.ts";

/** A table of logs that are names; the logs that were closed. */
function table() {
  let opened = 0;
  const closed: string[] = [];
  const logs = new LogTable<string>({
    open: (hostSession) => `${hostSession ?? "log"} ${++opened}`,
    close: (log) => Promise.resolve(void closed.push(log)),
  });
  const of = (session?: string, isOpening = false) =>
    logs.of({ session, hostSession: undefined, isOpening }) ?? "none";
  /** Opens a session; its log, which is not in use. */
  const begin = (given: string) => {
    const log = of(undefined, true);
    logs.opened(log, { named: undefined, given });
    logs.release(log);
    return log;
  };
  return { logs, closed, of, begin };
}

Deno.test("LogTable gives each session a log, and everything else one more", () => {
  const { of, begin } = table();
  const [a, b] = [begin("a"), begin("b")];
  assertEquals([a, b, of("a"), of("b")], ["log 1", "log 2", "log 1", "log 2"]);
  assertEquals([of(), of("unknown"), of()], ["log 3", "log 3", "log 3"]);
});

Deno.test("LogTable keeps the log of an initialize without a session for everything else", () => {
  const { logs, of } = table();
  const log = of(undefined, true);
  logs.opened(log, { named: undefined, given: undefined });
  assertEquals([log, of()], ["log 1", "log 1"]);
});

Deno.test("LogTable names a log after its host session", () => {
  const { logs } = table();
  assertEquals(logs.of({ session: undefined, hostSession: "h", isOpening: true }), "h 1");
});

Deno.test("LogTable closes the log of an ended session after its last exchange", () => {
  const { logs, closed, of, begin } = table();
  begin("a");
  const [first, second] = [of("a"), of("a")];
  logs.ended("a");
  logs.release(first);
  assertEquals(closed, []);
  logs.release(second);
  assertEquals(closed, ["log 1"]);
  begin("b");
  logs.ended("b");
  assertEquals(closed, ["log 1", "log 2"], "no exchange was under way");
});

Deno.test("LogTable closes the least recently used of more than 256 logs", () => {
  const { closed, of, begin, logs } = table();
  for (let n = 0; n < 256; n++) begin(`s${n}`);
  logs.release(of("s0"));
  begin("one more");
  assertEquals(closed, ["log 2"]);
});

Deno.test("LogTable.close() closes every log once", async () => {
  const { logs, closed, of, begin } = table();
  begin("a");
  of("a");
  of();
  of(undefined, true);
  await logs.close();
  assertEquals(closed.sort(), ["log 1", "log 2", "log 3"]);
});

Deno.test("endsSession() is a DELETE that succeeds, and 404", () => {
  const rows: [string, number, boolean][] = [
    ["DELETE", 200, true],
    ["DELETE", 405, false],
    ["POST", 404, true],
    ["GET", 200, false],
  ];
  for (const [method, status, ends] of rows) assertEquals(endsSession(method, status), ends);
});
