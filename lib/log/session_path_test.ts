import { assertEquals } from "@std/assert";
import { sessionPath } from "./session_path.ts";

Deno.test.each<{ session: string; path: string }>([
  { session: "host-870", path: "/c/host-870.jsonl" },
  { session: "20261112T081503.077Z-911", path: "/c/20261112T081503.077Z-911.jsonl" },
  { session: "../../etc/x", path: "/c/__.._etc_x.jsonl" },
  { session: "..", path: "/c/_.jsonl" },
  { session: "a\\b:$& c", path: "/c/a_b____c.jsonl" },
])("sessionPath() makes $path of $session", ({ session, path }) => {
  assertEquals(sessionPath("/c/{session}.jsonl", session), path);
});
