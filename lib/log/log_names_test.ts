import { assertEquals } from "@std/assert";
import {
  eachLogOnce,
  isFlowLogName,
  isSessionLogName,
  logStem,
  plainLogName,
} from "./log_names.ts";

Deno.test("a packed session log is a session log, flow and confirm logs are not", () => {
  const names = ["a.jsonl", "a.jsonl.gz", "a.flow.jsonl", "a.flow.jsonl.gz", "a.confirm.jsonl.gz"];
  assertEquals(names.filter(isSessionLogName), ["a.jsonl", "a.jsonl.gz"]);
  assertEquals(names.filter(isFlowLogName), ["a.flow.jsonl", "a.flow.jsonl.gz"]);
  assertEquals(["a.gz", "a.jsonl.zst", "a.jsonl.gz.tmp"].filter(isSessionLogName), []);
});

Deno.test("a session's log and its flow log have one stem, packed or not", () => {
  const names = ["d/a.jsonl", "d/a.jsonl.gz", "d/a.flow.jsonl", "d/a.flow.jsonl.gz"];
  assertEquals(names.map(logStem), ["d/a", "d/a", "d/a", "d/a"]);
  assertEquals(plainLogName("d/a.jsonl.gz"), "d/a.jsonl");
});

Deno.test("a packed log beside its original is left out", () => {
  const names = ["b.jsonl.gz", "a.jsonl.gz", "a.jsonl"];
  assertEquals(eachLogOnce(names), ["b.jsonl.gz", "a.jsonl"]);
});
