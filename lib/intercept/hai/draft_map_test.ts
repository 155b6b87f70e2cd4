import { assertEquals } from "@std/assert";
import { draftMap } from "./draft_map.ts";
import { readHaiMap } from "./map.ts";

Deno.test("draftMap() drafts a map that can be read, and guesses to what needs more rights", async () => {
  const schema = (...names: string[]) => ({
    properties: Object.fromEntries(names.map((name) => [name, {}])),
  });
  const text = draftMap("my server", [
    { name: "read_file", inputSchema: schema("path", "head"), annotations: { readOnlyHint: true } },
    { name: "move_file", inputSchema: schema("source", "destination") },
    { name: "delete: all", annotations: { readOnlyHint: true } },
    { name: "ping", inputSchema: 7 },
  ]);
  assertEquals(await readHaiMap(text, "m"), {
    hoist_hai_map: 1,
    server: "my server",
    tools: {
      read_file: { action: "read", paths: ["path"], other: ["head"] },
      move_file: { action: "write", paths: ["source", "destination"] },
      "delete: all": { action: "delete" },
      ping: { action: "write" },
    },
  });
  assertEquals((await readHaiMap(draftMap("s", []), "m")).tools, {});
});
