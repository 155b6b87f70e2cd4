import { assertEquals } from "@std/assert";
import { expired } from "./retention.ts";

const DAY = 86_400_000;

Deno.test("expired() chooses our files older than the days given, and no others", () => {
  const now = 100 * DAY;
  const old = now - 8 * DAY;
  const entries = [
    { name: "20260923T212000.123Z-4242.jsonl", mtimeMs: old },
    { name: "20260923T212000.123Z-4242.flow.jsonl", mtimeMs: old },
    { name: "20260923T212000.123Z-4242.confirm.jsonl", mtimeMs: old },
    { name: "20260923T212000.123Z-4242-7.jsonl", mtimeMs: old },
    { name: "20260923T212000.123Z-4243.jsonl", mtimeMs: now - 7 * DAY },
    { name: "notes.jsonl", mtimeMs: 0 },
    { name: "20260923T212000.123Z-4242.jsonl.gz", mtimeMs: 0 },
    { name: "x20260923T212000.123Z-4242.jsonl", mtimeMs: 0 },
  ];
  assertEquals(expired(entries, now, 7), entries.slice(0, 4).map((e) => e.name));
  assertEquals(expired(entries, now, 9), []);
});
