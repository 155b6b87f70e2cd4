import { assertEquals } from "@std/assert";
import { printFlow } from "../../flow/file/print_flow.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { sourceOf } from "../../learn/episode_source.ts";
import { learnFlow } from "../../learn/learn_flow.ts";
import { flowCommitCommand, flowLogCommand, flowRollbackCommand } from "./flow_version_commands.ts";
import type { FileStore } from "../../ports/files.ts";

/** Files in memory; those that are locked are there and cannot be read. */
function memory(locked = new Set<string>()): FileStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    readText: (path) => {
      const text = texts.get(path);
      if (text !== undefined) return Promise.resolve(text);
      const code = locked.has(path) ? "EACCES" : "ENOENT";
      return Promise.reject(new Error(`no ${path}`, { cause: { code } }));
    },
    replace: (path, text) => Promise.resolve(void texts.set(path, text)),
    listLogs: () => Promise.resolve([]),
    readLog: (path) => Promise.reject(new Error(`no ${path}`)),
  };
}

function fakeRuntime(out: string[]): Runtime {
  return {
    say: (line) => out.push(line),
    print: (text) => out.push(text),
    env: () => undefined,
    unixMs: () => 1794480000000,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
}

async function flowText(threshold: number): Promise<string> {
  const flow = await learnFlow(sourceOf([]), {
    manifest: { domain: "shop", tools: { get: "read" } },
    read: resultReader((text) => text),
    provenance: { hoist: "0", compiled_unix_ms: 0 },
  });
  return printFlow({ ...flow, threshold });
}

Deno.test("flow-commit keeps every version, flow-rollback restores one, flow-log tells", async () => {
  const files = memory();
  const out: string[] = [];
  const args = ["--flow", "x.flow.json"];
  const commit = async (threshold: number) => {
    files.texts.set("x.staged.flow.json", await flowText(threshold));
    return await flowCommitCommand(args, fakeRuntime(out), { files });
  };
  assertEquals([await commit(0.3), await commit(0.5)], [0, 0]);
  files.texts.set("x.flow.json", await flowText(0.9));
  assertEquals(await flowRollbackCommand([...args, "--to", "1"], fakeRuntime(out), { files }), 0);
  assertEquals(files.texts.get("x.flow.json"), await flowText(0.3));
  assertEquals(files.texts.get("x.history/3.flow.json"), await flowText(0.9));
  assertEquals(JSON.parse(files.texts.get("x.history/4.json") ?? ""), {
    version: 4,
    kind: "rollback",
    unix_ms: 1794480000000,
    restored: 1,
    changes: ["threshold 0.9 becomes 0.3"],
  });
  assertEquals(await flowLogCommand(args, fakeRuntime(out), { files }), 0);
  assertEquals(out.at(-1)?.split("\n").filter((line) => line.startsWith("## ")), [
    "## 4: rolled back to 1, 2026-11-12 10:40:00 UTC",
    "## 3: found changed, 2026-11-12 10:40:00 UTC",
    "## 2: committed, 2026-11-12 10:40:00 UTC",
    "## 1: committed, 2026-11-12 10:40:00 UTC",
  ]);
});

Deno.test("flow-rollback writes nothing when there is no such version", async () => {
  const files = memory();
  const out: string[] = [];
  assertEquals(
    await flowRollbackCommand(["--flow", "x.flow.json"], fakeRuntime(out), { files }),
    1,
  );
  assertEquals([files.texts.size, out], [0, ['Cannot roll back: "x.history" has no version 0']]);
});

Deno.test("flow-commit writes over nothing that it cannot read", async () => {
  for (const path of ["x.flow.json", "x.history/1.json", "x.stage.json"]) {
    const files = memory(new Set([path]));
    const out: string[] = [];
    files.texts.set("x.staged.flow.json", await flowText(0.5));
    assertEquals(
      await flowCommitCommand(["--flow", "x.flow.json"], fakeRuntime(out), { files }),
      1,
    );
    assertEquals([[...files.texts.keys()], out], [["x.staged.flow.json"], [`no ${path}`]]);
  }
});
