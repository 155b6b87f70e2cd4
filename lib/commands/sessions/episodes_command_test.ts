import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Runtime } from "../../ports/runtime.ts";
import { answer, call, scriptLog } from "../../../tests/util/script_log.ts";
import { episodesCommand } from "./episodes_command.ts";
import type { LogStore } from "../../ports/files.ts";

const LOG = scriptLog([[0, "client", call(1, "t")], [1, "server", answer(1, "x")]]);

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly store?: Partial<LogStore>;
}

async function run(args: readonly string[], { env = {}, isTerminal = false, store }: Surroundings) {
  const out: string[] = [];
  const err: string[] = [];
  const asked: string[] = [];
  const runtime: Runtime = {
    say: (line) => err.push(line),
    print: (text) => out.push(text),
    env: (name) => env[name],
    unixMs: () => 0,
    monotonicMs: () => 0,
    stdoutIsTerminal: isTerminal,
    pid: 1,
    parentPid: undefined,
  };
  const status = await episodesCommand(args, runtime, {
    store: {
      isFolder: (path) => {
        asked.push(path);
        return Promise.resolve(false);
      },
      list: () => Promise.resolve([]),
      read: () => Promise.resolve(LOG),
      scan: (_path, onLine) => {
        LOG.lines.forEach(onLine);
        return Promise.resolve(LOG);
      },
      ...store,
    },
  });
  return { out: out.join("\n"), err: err.join("\n"), asked, status };
}

for (
  const [why, args, surroundings, isColored] of [
    ["on a terminal", [], { isTerminal: true }, true],
    ["into a pipe", [], {}, false],
    ["on a terminal with NO_COLOR", [], { isTerminal: true, env: { NO_COLOR: "1" } }, false],
    ["never, on a terminal", ["--color", "never"], { isTerminal: true }, false],
    ["always, into a pipe", ["--color", "always"], { env: { NO_COLOR: "1" } }, true],
  ] as const
) {
  Deno.test(`episodesCommand() ${isColored ? "colours" : "does not colour"} ${why}`, async () => {
    const { out, status } = await run(["a.jsonl", ...args], surroundings);
    assertEquals([out.includes("\u001b["), status], [isColored, 0]);
  });
}

Deno.test("episodesCommand() expands a leading ~", async () => {
  assertEquals((await run(["~/logs"], { env: { HOME: "/home/me" } })).asked, ["/home/me/logs"]);
  assertEquals((await run(["~/logs"], {})).asked, ["~/logs"]);
});

Deno.test("episodesCommand() says why a file could not be read and goes on with the next", async () => {
  const { out, err, status } = await run(["--json", "logs"], {
    store: {
      isFolder: () => Promise.resolve(true),
      list: () =>
        Promise.resolve([{ path: "a\u001b.jsonl", header: undefined }, {
          path: "b.jsonl",
          header: undefined,
        }]),
      scan: (path, onLine) => {
        if (path !== "b.jsonl") return Promise.reject(new Error("disk\nfailure"));
        LOG.lines.forEach(onLine);
        return Promise.resolve(LOG);
      },
    },
  });
  assertEquals(err, 'Cannot read "a\\e.jsonl": disk\\nfailure');
  assertEquals([JSON.parse(out).episodes.length, status], [1, 1]);
});

Deno.test("episodesCommand() prints what JSON.parse reads, one document", async () => {
  const { out } = await run(["--json", "a.jsonl"], {});
  const [episode] = JSON.parse(out).episodes;
  assertEquals(episode.events.length, 2);
  assertEquals(episode.summary, {
    started_unix_ms: 1794471303077,
    host_session: null,
    server_name: null,
    host: null,
    server: null,
    protocol: null,
    turns: 1,
    calls: 1,
    lookups: 0,
    errors: 0,
    duration_ms: 1,
    lines: 2,
    raw_lines: 0,
  });
  assertEquals(episode.problems, []);
});

Deno.test("episodesCommand() prints help on stdout", async () => {
  const { out, err, status } = await run(["--help"], {});
  assertStringIncludes(out, "Usage: hoist episodes");
  assertEquals([err, status], ["", 0]);
});
