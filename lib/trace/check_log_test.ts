import { assertEquals } from "@std/assert";
import { answer, call, type ScriptLine, scriptLog } from "../../tests/util/script_log.ts";
import { checkLog } from "./check_log.ts";

function check(...lines: readonly ScriptLine[]) {
  return checkLog(scriptLog(lines));
}

Deno.test("checkLog() finds nothing in a session that holds, also where a lookup was appended", () => {
  assertEquals(
    check(
      [0, "client", call(1, "get")],
      [1, "client", call("1", "get")],
      [2, "server", answer(1, "a")],
      [3, "proxy", call("hoist-1", "more")],
      [4, "server", answer("hoist-1", "b")],
      [5, "proxy", answer(1, "a and b")],
      [6, "server", { jsonrpc: "2.0", id: 1, method: "roots/list" }],
      [7, "client", { jsonrpc: "2.0", id: 1, result: {} }],
      [8, "client", call(1, "get")],
      [9, "server", answer(1, "again")],
      [9, "client", call(2, "get")],
      [9, "client", {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 2 },
      }],
    ),
    { faults: [], requests: 6, unanswered: 1 },
  );
});

Deno.test("checkLog() lists each inconsistency with its time", () => {
  const { faults, unanswered } = check(
    [1000, "client", call(1, "get")],
    [900, "client", call(1, "get")],
    [1000, "server", answer(1, "a")],
    [1001, "server", answer(1, "b")],
    [1002, "server", answer(1, "c")],
    [1500, "server", answer(9, "?")],
  );
  assertEquals([faults, unanswered], [[
    "0.900 s: the time goes back from 1.000 s",
    "0.900 s: client asks with id 1, which still waits",
    "1.002 s: server answers 1 again",
    "1.500 s: server answers 9, which has no request",
  ], 0]);
});
