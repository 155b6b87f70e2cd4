/** hoist-procedure against real servers: what it prints, how it ends, and that it calls once. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readLog } from "../../lib/disk/read_log.ts";
import { episode } from "../../lib/trace/log_episode.ts";
import { executable, ROOT, util } from "../util/executables.ts";
import type { Fault } from "../util/faulty_server.ts";
import { atTerminal, hasTerminal } from "../util/terminal.ts";

const decoder = new TextDecoder();

interface Outcome {
  readonly code: number;
  // deno-lint-ignore no-explicit-any
  readonly run: any;
  readonly err: string;
}

async function run(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Outcome> {
  const [program = "", ...first] = executable("hoist-procedure");
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...first, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...(options.env === undefined ? {} : { env: { ...options.env } }),
  }).output();
  const out = decoder.decode(stdout);
  return { code, run: out === "" ? undefined : JSON.parse(out), err: decoder.decode(stderr) };
}

const inFolder = async (body: (dir: string) => Promise<void>) => {
  const dir = await Deno.makeTempDir();
  try {
    await body(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
};

const TOOL = { inputSchema: { type: "object", properties: { id: { type: "string" } } } };
const TOOLS = ["find_order", "read_order", "cancel_order"].map((name) => ({ name, ...TOOL }));

/** Three calls, one after the other; a write that fails is answered with a read. */
const PROCEDURE = {
  hoist_procedure: 1,
  domain: "shop",
  provenance: { sources: ["a test"], training_tasks: 0 },
  inputs: { id: { type: "string", description: "The order's number." } },
  contracts: { cancel_order: "id:string" },
  reads: ["find_order", "read_order"],
  trees: {
    start: { calls: [['find_order{"id": "@input.id"}', 1]] },
    find_order: { calls: [['read_order{"id": "@input.id"}', 1]] },
    read_order: {
      feature: "called cancel_order",
      yes: { hand_back: "the order could not be cancelled" },
      no: { calls: [['cancel_order{"id": "@input.id"}', 1]] },
    },
    cancel_order: { calls: [["stop", 1]] },
    "cancel_order!": { calls: [['read_order{"id": "@input.id"}', 1]] },
  },
  fallback: { hand_back: "a step failed" },
};

async function against(
  dir: string,
  calls: readonly Fault[],
  flags: readonly string[] = [],
  tools: readonly unknown[] = TOOLS,
): Promise<Outcome & { readonly called: string[] }> {
  await Deno.writeTextFile(`${dir}/plan.json`, JSON.stringify({ tools, calls }));
  await Deno.writeTextFile(`${dir}/p.json`, JSON.stringify(PROCEDURE));
  const outcome = await run([
    ...["--procedure", `${dir}/p.json`, "--input", "id=A1", ...flags, "--"],
    ...util("faulty_server"),
    dir,
  ]);
  const called = await Deno.readTextFile(`${dir}/calls`).catch(() => "");
  return { ...outcome, called: called.split("\n").filter((name) => name !== "") };
}

Deno.test("hoist-procedure runs to its stop and exits with 0", () =>
  inFolder(async (dir) => {
    const { code, run, called } = await against(dir, []);
    assertEquals(code, 0);
    assertEquals(called, ["find_order", "read_order", "cancel_order"]);
    assertEquals(run, {
      hoist_procedure_run: 1,
      domain: "shop",
      dry_run: false,
      calls: called.map((tool) => ({
        tool,
        arguments: { id: "A1" },
        error: false,
        result: tool,
      })),
      not_made: [],
      check: null,
      verdict: "done",
      reason: null,
      ended_at: { site: "cancel_order", path: [] },
    });
  }));

const FAULTS: readonly (readonly [string, Fault, number, string])[] = [
  ["the server is killed", { do: "die" }, 1, "the server ended with status 137"],
  ["a call is never answered", { do: "hang" }, 1, "Request timed out"],
  ["the server babbles", { do: "babble" }, 1, "Request timed out"],
  ["a call fails", { do: "fail" }, 3, ""],
  ["a call is refused", { do: "refuse" }, 3, ""],
];
for (const [what, fault, status, reason] of FAULTS) {
  for (const n of [0, 1, 2]) {
    Deno.test(`hoist-procedure prints a whole run when ${what} at call ${n + 1}`, () =>
      inFolder(async (dir) => {
        const before: Fault[] = Array.from({ length: n }, () => ({ do: "answer" }));
        const { code, run, called } = await against(dir, [...before, fault], [
          "--call-timeout",
          "3",
        ]);
        assertEquals(code, status);
        assertEquals(run.verdict, status === 1 ? "failed" : "hand_back");
        assertStringIncludes(run.reason, reason);
        // Each call once, and the run names them all: the fallen one too. A write that failed is
        // followed by the read that its tree asks for.
        const expected = ["find_order", "read_order", "cancel_order"].slice(0, n + 1);
        if (status === 3 && n === 2) expected.push("read_order");
        assertEquals(called, expected);
        assertEquals(run.calls.map((call: { tool: string }) => call.tool), expected);
        const fallen = run.calls[n];
        assertEquals(fallen.error, true);
        assertEquals(fallen.result === null, status === 1);
      }));
  }
}

Deno.test("hoist-procedure waits for a slow answer", () =>
  inFolder(async (dir) => {
    const { code, called } = await against(dir, [{ do: "answer", afterMs: 700 }]);
    assertEquals([code, called.length], [0, 3]);
  }));

Deno.test("hoist-procedure --dry-run reads, and shows the write it would make", () =>
  inFolder(async (dir) => {
    const { code, run, called } = await against(dir, [], ["--dry-run"]);
    assertEquals([code, run.verdict, run.dry_run], [0, "done", true]);
    assertEquals(called, ["find_order", "read_order"]);
    assertEquals(run.not_made, [
      { tool: "cancel_order", arguments: { id: "A1" }, why: "dry_run", reason: null },
    ]);
  }));

Deno.test("hoist-procedure --out writes the run to a file, with no permission left for it", () =>
  inFolder(async (dir) => {
    const done = await against(dir, [], ["--out", `${dir}/run.json`]);
    assertEquals([done.code, done.run], [0, undefined]);
    const run = JSON.parse(await Deno.readTextFile(`${dir}/run.json`));
    assertEquals([run.hoist_procedure_run, run.verdict], [1, "done"]);
    await Deno.remove(`${dir}/calls`);
    const refused = await against(dir, [], ["--out", `${dir}/none/run.json`]);
    assertEquals([refused.code, refused.called], [2, []]);
  }));

Deno.test("hoist-procedure --guard-rules refuses a write and hands back", () =>
  inFolder(async (dir) => {
    const rules = {
      hoist_guards: 1,
      rules: [{
        id: "shop.no_a1",
        for: ["cancel_order"],
        mode: "enforce",
        refuse: 'args.id == "A1"',
        because: "A1 is sacred",
      }],
    };
    await Deno.writeTextFile(`${dir}/rules.json`, JSON.stringify(rules));
    const { code, run, called } = await against(dir, [], ["--guard-rules", `${dir}/rules.json`]);
    assertEquals([code, run.verdict], [3, "hand_back"]);
    assertEquals(called, ["find_order", "read_order"]);
    assertEquals(run.not_made[0].why, "refused");
    assertStringIncludes(run.reason, "A1 is sacred (policy check shop.no_a1).");
  }));

Deno.test("hoist-procedure calls nothing of a server that does not fit", () =>
  inFolder(async (dir) => {
    const other = { name: "cancel_order", inputSchema: { type: "object", properties: {} } };
    const { code, run, called } = await against(dir, [], [], [TOOLS[0], other]);
    assertEquals([code, run.verdict, called], [1, "failed", []]);
    assertStringIncludes(run.reason, 'the server lists no tool "read_order"');
    assertStringIncludes(
      run.reason,
      'the contract of "cancel_order" changed: it was "id:string", the server has ""',
    );
  }));

Deno.test("hoist-procedure ends with the server's end before it can connect", () =>
  inFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/p.json`, JSON.stringify(PROCEDURE));
    const args = ["--procedure", `${dir}/p.json`, "--input", "id=A1", "--", "sh", "-c", "exit 7"];
    const { code, run: printed } = await run(args);
    assertEquals([code, printed.verdict, printed.calls], [1, "failed", []]);
    assertStringIncludes(printed.reason, "status 7");
  }));

const USAGE: readonly (readonly [string, readonly string[], string])[] = [
  ["no procedure", ["--", "true"], "Missing --procedure"],
  ["no server", ["--procedure", "p"], "The server is missing"],
  ["an input without a value", ["--procedure", "p", "--input", "x", "--", "true"], "NAME=VALUE"],
  ["a file that is not there", ["--procedure", "none.json", "--", "true"], "none.json"],
  [
    "an input that is missing",
    ["--procedure", "testdata/procedures/cancel_order.procedure.json", "--", "true"],
    'Missing input "email"',
  ],
  [
    "an input that there is not",
    [
      ...["--procedure", "testdata/procedures/cancel_order.procedure.json"],
      ...["--input", "mail=x", "--", "true"],
    ],
    'no input "mail"; it has email, reason',
  ],
  [
    "no ticket",
    [
      ...["--procedure", "testdata/procedures/cancel_order.procedure.json"],
      ...["--input", "email=x", "--input", "reason=y", "--", "true"],
    ],
    "give --ticket TEXT or --ticket-file FILE",
  ],
  [
    "a confirmation without a terminal",
    ["--procedure", "p", "--confirm-writes", "--", "true"],
    "--confirm-writes asks at the terminal",
  ],
  [
    "shipped rules of a domain without any",
    [
      ...["--procedure", "testdata/procedures/archive_note.procedure.json", "--guards"],
      ...["--ticket", "x", "--input", "note=a", "--input", "archive=b", "--", "true"],
    ],
    'of domain "files"',
  ],
];
Deno.test("hoist-procedure refuses wrong usage with 2, and starts no server", async () => {
  for (const [why, args, message] of USAGE) {
    const { code, run: printed, err } = await run(args);
    assertEquals([why, code, printed], [why, 2, undefined]);
    assertStringIncludes(err, message);
  }
});

Deno.test("hoist-procedure --record writes a session log that reads as an episode", () =>
  inFolder(async (dir) => {
    await against(dir, [], ["--record", `${dir}/logs`]);
    const [log] = [...Deno.readDirSync(`${dir}/logs`)];
    assert(log !== undefined);
    const { mode } = await Deno.stat(`${dir}/logs/${log.name}`);
    assertEquals((mode ?? 0) & 0o777, 0o600);
    const { events, domain, agent_model } = episode(await readLog(`${dir}/logs/${log.name}`));
    assertEquals([domain, agent_model], ["shop", "hoist-procedure"]);
    assertEquals(
      events.flatMap((e) => e.kind === "assistant" ? e.calls.map((c) => c.name) : []),
      ["find_order", "read_order", "cancel_order"],
    );
  }));

Deno.test("hoist-procedure gives up its permissions before the first call", () =>
  inFolder(async (dir) => {
    await Deno.writeTextFile(`${dir}/plan.json`, JSON.stringify({ tools: TOOLS, calls: [] }));
    await Deno.writeTextFile(`${dir}/p.json`, JSON.stringify(PROCEDURE));
    const { err } = await run([
      ...["--procedure", `${dir}/p.json`, "--input", "id=A1", "--"],
      ...util("faulty_server"),
      dir,
    ], { env: { HOIST_DEBUG: "permissions" } });
    for (const kind of ["run", "read", "write", "net", "env"]) {
      assertMatch(err, new RegExp(`permission ${kind}: (not granted|denied)`));
    }
  }));

Deno.test("hoist-procedure --upstream runs over HTTP, recorded, with net alone left", () =>
  inFolder(async (dir) => {
    const [program = "", ...first] = executable("hoist-mcp-demo");
    const server = new Deno.Command(program, {
      args: [...first, "--world", "retail", "--http", "127.0.0.1:0"],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    try {
      const reader = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
      const url = ((await reader.read()).value ?? "").trim();
      const { code, run: printed, err } = await run([
        ...["--procedure", `${ROOT}/testdata/procedures/cancel_order.procedure.json`],
        ...["--input", "email=c7@example.com", "--input", "reason=no longer needed"],
        ...["--ticket", "Please cancel my desk lamp.", "--record", dir, "--upstream", url],
      ], { env: { HOIST_DEBUG: "permissions" } });
      assertEquals([code, printed.verdict], [0, "done"]);
      assertEquals(printed.calls.at(-1).arguments.order_id, "#W7a");
      assertMatch(err, /permission net: granted/);
      assertMatch(err, /permission run: (not granted|denied)/);
      const [log] = [...Deno.readDirSync(dir)];
      const { events } = episode(await readLog(`${dir}/${log?.name}`));
      assertEquals(events.filter((e) => e.kind === "tool_result").length, 5);
      await reader.cancel();
    } finally {
      server.kill("SIGTERM");
      await server.status;
    }
  }));

/** Runs `--confirm-writes` at a terminal of its own, and answers its question, or signals it. */
async function confirmed(dir: string, answer: string): Promise<{ code: number; out: string }> {
  await Deno.writeTextFile(`${dir}/plan.json`, JSON.stringify({ tools: TOOLS, calls: [] }));
  await Deno.writeTextFile(`${dir}/p.json`, JSON.stringify(PROCEDURE));
  const line = [
    ...executable("hoist-procedure"),
    ...["--procedure", `${dir}/p.json`, "--input", "id=A1", "--confirm-writes", "--"],
    ...util("faulty_server"),
    dir,
  ].map((word) => `'${word}'`).join(" ");
  return await atTerminal(line, { after: "[y/N]", type: answer });
}

for (
  const [what, answer, status, calls] of [
    ["yes", "y\n", 0, 3],
    ["no", "n\n", 3, 2],
    ["Ctrl-C", "\x03", 1, 2],
  ] as const
) {
  Deno.test({
    name: `hoist-procedure --confirm-writes asks at the terminal: ${what}`,
    ignore: !hasTerminal,
    fn: () =>
      inFolder(async (dir) => {
        const { code, out } = await confirmed(dir, answer);
        assertEquals(code, status, out);
        assertStringIncludes(out, 'Call cancel_order {"id":"A1"}? [y/N]');
        assertStringIncludes(out, 'read  find_order {"id":"A1"}');
        const called = (await Deno.readTextFile(`${dir}/calls`)).trim().split("\n");
        assertEquals(called.length, calls);
      }),
  });
}
