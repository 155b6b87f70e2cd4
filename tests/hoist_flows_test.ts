/** `hoist` on a folder of sessions, as a user calls it: what is learned, staged, measured and said. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { main } from "../cmd/hoist.ts";
import { printFlow } from "../lib/flow/file/print_flow.ts";
import { readFlow } from "../lib/flow/file/read_flow.ts";
import type { Runtime } from "../lib/ports/runtime.ts";
import { writeOrderSessions } from "./util/order_sessions.ts";

/** Runs `hoist ARGS`, a command line with blanks between; `~` is the home directory. */
async function hoist(home: string | undefined, line: string) {
  let [out, err] = ["", ""];
  const runtime: Runtime = {
    say: (text) => err += `${text}\n`,
    print: (text) => out += `${text}\n`,
    env: (name) => name === "HOME" ? home : name === "HOIST_REDACT_SALT" ? "salt" : undefined,
    unixMs: () => 1794480000000,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
  const status = await main(line.split(" "), runtime);
  return { status, out, err };
}

/** A home with twenty sessions in `logs`, and what runs in it. */
async function inHome(
  body: (dir: string, run: (line: string) => ReturnType<typeof hoist>) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await writeOrderSessions(`${dir}/logs`, 20);
    await body(dir, (line) => hoist(dir, line));
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** Runs what must go well. */
async function well(run: ReturnType<typeof hoist>) {
  const { status, out, err } = await run;
  assertEquals(status, 0, err);
  return { out, err };
}

async function flowAt(path: string) {
  const text = await Deno.readTextFile(path);
  return { flow: readFlow(text, path), json: JSON.parse(text) };
}

Deno.test("hoist learn stores constants, forgets by half-life, and learns a gate", () =>
  inHome(async (dir, run) => {
    const flags = "--constants --half-life 5 --surprise 0.9 --surprise-window 3";
    const { out, err } = await well(run(`learn --sessions ~/logs ${flags} --out ~/f.flow.json`));
    assertEquals(out, "");
    assertStringIncludes(err, "and wrote ~/f.flow.json");
    const { json } = await flowAt(`${dir}/f.flow.json`);
    assertEquals(json.bindings.constants, [[["search", "limit"], 20]]);
    const [, first] = json.habit.base.levels[0][0];
    assert(first.total > 40 && first.total < 60, String(first.total)); // Of 165 steps.
    assertEquals([json.surprise.window, json.surprise.quantile], [3, 0.9]);
    assert(json.surprise.threshold > 0);
    await well(run("learn --sessions ~/logs --out ~/plain.flow.json"));
    const plain = await flowAt(`${dir}/plain.flow.json`);
    assertEquals([plain.json.bindings.constants, plain.json.surprise], [undefined, undefined]);
    assertEquals([plain.json.sites.feeds, plain.json.sites.every_read], [{}, undefined]);
    assertEquals(plain.json.manifest.docs, undefined);
  }));

Deno.test("hoist compile tells the oracle of tools, hints and every read", () =>
  inHome(async (dir, run) => {
    const flags = "--oracle mock --manifest-options --dataflow-hints --oracle-dump ~/asked.jsonl";
    await well(run(`compile --sessions ~/logs ${flags} --out ~/f.flow.json`));
    const { json } = await flowAt(`${dir}/f.flow.json`);
    assertEquals(json.sites.every_read, true);
    assertEquals(json.sites.feeds, { get_order: [[["cancel", "order_id"], 20]] });
    assertEquals(json.manifest.docs.get_claim.summary, "Does get_claim.");
    const asked = (await Deno.readTextFile(`${dir}/asked.jsonl`)).trimEnd().split("\n")
      .map((line) => JSON.parse(line).request.questions.next.criteria);
    // Once an order was read, a claim can be looked up by its order's id, though nobody did.
    const all = asked.find((options) => options.get_claim !== undefined);
    assertEquals(all?.get_claim, "Does get_claim.");
    assertEquals(
      asked.find((options) => options.get_order)?.get_order,
      "Does get_order. Its results most often gave order_id of cancel.",
    );
    const { out } = await well(
      run("replay --flow ~/f.flow.json --decider arbiter --oracle mock --sessions ~/logs"),
    );
    assertStringIncludes(out, "Decider arbiter");
    // Unless told, hoist-mcp would decide by the arbiter.
    const served = "--flow ~/f.flow.json --sessions ~/logs --oracle mock --oracle-cache ~/cache";
    assertStringIncludes((await well(run(`replay ${served}`))).out, "Decider arbiter");
    assertStringIncludes((await well(run(`audit ${served}`))).out, "decides by arbiter");
    await well(run(`promote --out ~/p.flow.json ${served}`));
  }));

Deno.test("flags of learning that do nothing, or not together, are refused", () =>
  inHome(async (_dir, run) => {
    for (
      const [flags, words] of [
        ["--sessions ~/logs --surprise-window 3", "--surprise-window needs --surprise"],
        ["--sessions ~/logs --surprise 1.1", "--surprise needs a number, 0 to 1"],
        ["--results r --manifest m --half-life 3", "--half-life needs --sessions"],
        ["--sessions ~/logs --half-life 0", "--half-life needs a number"],
        ["--sessions ~/logs --manifest-options", "--manifest-options needs --oracle"],
        ["--sessions ~/logs --dataflow-hints", "--dataflow-hints needs --oracle"],
        [
          "--sessions ~/logs --habit-only --dataflow-hints",
          "--habit-only and --dataflow-hints exclude each other",
        ],
      ]
    ) {
      const { status, err } = await run(`learn ${flags} --out ~/x`);
      assertEquals([status, err.includes(words ?? "")], [2, true], err);
    }
    const late = await run("learn --sessions ~/logs --surprise 0.9 --surprise-window 30 --out ~/x");
    assertEquals([late.status, late.err.includes("--surprise-window")], [1, true], late.err);
  }));

Deno.test("hoist replay and promote have the gate that will be served", () =>
  inHome(async (dir, run) => {
    await well(run("learn --sessions ~/logs --out ~/f.flow.json"));
    const { flow } = await flowAt(`${dir}/f.flow.json`);
    const gated = { ...flow, surprise: { window: 1, threshold: 0 } };
    await Deno.writeTextFile(`${dir}/g.flow.json`, printFlow(gated));
    const lookups = async (line: string) => {
      await well(
        run(
          `replay --flow ~/${line} --threshold 0.3 --per-call 1 --sessions ~/logs --json ~/r.json`,
        ),
      );
      const { all, hand_backs: why } = JSON.parse(await Deno.readTextFile(`${dir}/r.json`));
      return [all.lookups, why["the session surprised the flow"] ?? 0];
    };
    const free = await lookups("f.flow.json");
    const shut = await lookups("g.flow.json");
    assert((shut[0] ?? 0) < (free[0] ?? 0) && (shut[1] ?? 0) > 0, `${shut} and ${free}`);
    assertEquals(await lookups("g.flow.json --surprise off"), free);
    assertEquals(await lookups("g.flow.json --surprise 50"), free);
    const refused = await run("replay --flow ~/f.flow.json --sessions ~/logs --surprise much");
    assertEquals(refused.status, 2);
  }));

Deno.test("sessions of another server are left out and said, but for drift", () =>
  inHome(async (dir, run) => {
    await well(run("learn --sessions ~/logs --out ~/f.flow.json"));
    const [other = ""] = await writeOrderSessions(`${dir}/logs`, 1, { from: 30, prefix: "x_" });
    const id = other.slice(other.lastIndexOf("/") + 1, -".jsonl".length);
    const words = `1 session calls no tool that the flow knows, left out: ${id}\n`;
    for (const command of ["replay", "audit", "promote"]) {
      const out = command === "promote" ? " --out ~/p.flow.json" : "";
      const { err } = await well(run(`${command} --flow ~/f.flow.json --sessions ~/logs${out}`));
      assertEquals(err, words);
    }
    const { out, err } = await well(run("drift --flow ~/f.flow.json --sessions ~/logs"));
    assertEquals(err, "");
    assertStringIncludes(out, "Tools that training never saw: x_cancel");
    await writeOrderSessions(`${dir}/others`, 2, { prefix: "x_" });
    const none = await run("audit --flow ~/f.flow.json --sessions ~/others");
    assertEquals([none.status, none.err.split("\n")[1]], [
      1,
      "Cannot audit: no session is left to score",
    ]);
  }));

Deno.test("hoist stage carries the arbiter and what a person set, and learns the rest anew", () =>
  inHome(async (dir, run) => {
    const stage = "stage --flow ~/f.flow.json --sessions ~/logs";
    const first = await well(run(`${stage} --constants`));
    assertStringIncludes(first.out, "No flow is committed yet");
    assertEquals((await flowAt(`${dir}/f.staged.flow.json`)).flow.bindings.constants.size, 1);
    const asking = "--oracle mock --dataflow-hints --manifest-options";
    const flags = `${asking} --surprise 0.9 --surprise-window 3`;
    await well(run(`compile --sessions ~/logs ${flags} --out ~/f.flow.json`));
    const { flow: committed, json } = await flowAt(`${dir}/f.flow.json`);
    await writeOrderSessions(`${dir}/logs`, 4, { from: 20 });
    await well(run(`${stage} --decider arbiter --oracle mock`));
    const staged = await flowAt(`${dir}/f.staged.flow.json`);
    assertEquals(staged.json.folds, json.folds);
    assertEquals(staged.json.provenance.arbiter_cases, json.provenance.arbiter_cases);
    assertEquals(staged.json.manifest.docs, json.manifest.docs);
    assertEquals(staged.json.sites.feeds, { get_order: [[["cancel", "order_id"], 24]] });
    assertEquals([staged.flow.everyRead, staged.flow.surprise?.quantile], [true, 0.9]);
    const byHand = { window: 7, threshold: 1.5 };
    await Deno.writeTextFile(`${dir}/f.flow.json`, printFlow({ ...committed, surprise: byHand }));
    await writeOrderSessions(`${dir}/logs`, 2, { from: 24 });
    const { out } = await well(run(`${stage} --decider arbiter --oracle mock --json ~/s.json`));
    assertStringIncludes(out, "compared on the last 2 sessions");
    assertEquals((await flowAt(`${dir}/f.staged.flow.json`)).flow.surprise, byHand);
    assertEquals(JSON.parse(await Deno.readTextFile(`${dir}/s.json`)).carried, [
      "arbiter",
      "surprise gate",
    ]);
  }));

Deno.test("hoist stage refuses another domain, and a decider that a flow does not have", () =>
  inHome(async (dir, run) => {
    await well(run("learn --sessions ~/logs --domain shop --out ~/f.flow.json"));
    const other = await run("stage --flow ~/f.flow.json --sessions ~/logs --domain other");
    assertEquals([other.status, other.err.split("\n")[0]], [
      2,
      '--domain other: the committed flow is of "shop"',
    ]);
    const arbiter = await run("stage --flow ~/f.flow.json --sessions ~/logs --decider arbiter");
    assertEquals(arbiter.status, 2);
    await well(run("stage --flow ~/f.flow.json --sessions ~/logs"));
    assertEquals((await flowAt(`${dir}/f.staged.flow.json`)).flow.manifest.domain, "shop");
  }));

Deno.test("a ~ in a path is the home directory, and without HOME that is said", () =>
  inHome(async (dir, run) => {
    const missing = await run("learn --results l=~/r.json --manifest ~/m.json --out ~/x");
    assertStringIncludes(missing.err, `Cannot read "${dir}/m.json"`);
    await well(run("learn --sessions ~/logs --out ~/f.flow.json"));
    await well(run("flow-show ~/f.flow.json --out ~/shown/f.md"));
    await well(run("redact --sessions ~/logs --out ~/red"));
    assert(Deno.statSync(`${dir}/shown/f.md`).isFile);
    assertEquals([...Deno.readDirSync(`${dir}/red`)].length, 20);
    const homeless = await hoist(undefined, "learn --sessions ~/logs --out x");
    assertEquals([homeless.status, homeless.err], [
      1,
      'Cannot find "~/logs": HOME is not set\n',
    ]);
  }));

Deno.test("--rewards for a session that is not there is said", () =>
  inHome(async (dir, run) => {
    await Deno.writeTextFile(`${dir}/rewards.json`, '{"nobody": 0, "noone": 1}');
    const { err } = await well(
      run("learn --sessions ~/logs --rewards ~/rewards.json --out ~/f.flow.json"),
    );
    assertStringIncludes(
      err,
      "--rewards names 2 sessions that the folder does not hold: first nobody\n",
    );
  }));

Deno.test("hoist redact reads everything before it writes, and takes a log that a crash cut", () =>
  inHome(async (dir, run) => {
    const [log = ""] = await writeOrderSessions(`${dir}/logs`, 1);
    const beside = log.replace(/\.jsonl$/, ".flow.jsonl");
    await Deno.writeTextFile(beside, '{"arguments":{"id":"#W50000"},"after":7}\n{"argum');
    const { err } = await well(run("redact --sessions ~/logs --out ~/red"));
    assertStringIncludes(err, "wrote 20 sessions and 1 logs beside them");
    const copy = await Deno.readTextFile(beside.replace("/logs/", "/red/"));
    assert(/^\{"arguments":\{"id":"h_[0-9a-f]{12}"\},"after":7\}\n$/.test(copy), copy);
    await Deno.writeTextFile(beside, '{"argum\n{"after":7}\n');
    const broken = await run("redact --sessions ~/logs --out ~/red2");
    assertEquals([broken.status, broken.err], [
      1,
      `Cannot read "${beside}": line 1 is not JSON\n`,
    ]);
    await Deno.remove(beside);
    await Deno.mkdir(beside);
    assertEquals((await run("redact --sessions ~/logs --out ~/red2")).status, 1);
    assertEquals(await Deno.stat(`${dir}/red2`).then(() => true, () => false), false);
  }));

Deno.test("hoist redact says what it hid and kept by field, and what looks like an id", () =>
  inHome(async (dir, run) => {
    const { err } = await well(run("redact --sessions ~/logs --out ~/red --keep-shared 1"));
    assertStringIncludes(err, "order_id 0 and 30");
    assertStringIncludes(err, "but they look like ids: orders (40)");
    const hidden = await well(
      run("redact --sessions ~/logs --out ~/red2 --hash-field limit,status"),
    );
    assertStringIncludes(hidden.err, "limit 1 and 0");
    assertStringIncludes(hidden.err, "status 3 and 0");
    for (const { name } of Deno.readDirSync(`${dir}/red2`)) {
      const text = await Deno.readTextFile(`${dir}/red2/${name}`);
      assertEquals(/"limit":20|pending/.test(text), false, name);
    }
  }));

Deno.test("a file that is not JSON is named, whichever it is", () =>
  inHome(async (dir, run) => {
    for (const folder of ["tau2", "world"]) await Deno.mkdir(`${dir}/${folder}`);
    for (const path of ["tau2/MANIFEST.json", "world/orders-db.json", "f.stage.json", "q.json"]) {
      await Deno.writeTextFile(`${dir}/${path}`, "{");
    }
    await well(run("learn --sessions ~/logs --out ~/f.flow.json"));
    for (
      const [line, path] of [
        ["learn --tau2 ~/tau2 --domain orders --out ~/x", "tau2/MANIFEST.json"],
        ["replay --flow ~/f.flow.json --sessions ~/logs --world ~/world", "world/orders-db.json"],
        ["stage --flow ~/f.flow.json --sessions ~/logs", "f.stage.json"],
        ["learn --sessions ~/logs --oracle mock --predicates ~/q.json --out ~/x", "q.json"],
      ]
    ) {
      const { status, err } = await run(line ?? "");
      assertEquals(status, 1);
      assert(/^Cannot read ".*": it is not JSON\n$/.test(err) && err.includes(path ?? ""), err);
    }
  }));

Deno.test("hoist replay --explore writes decisions that evaluate finds the rule's own worth in", () =>
  inHome(async (dir, run) => {
    const replay =
      "replay --flow ~/f.flow.json --sessions ~/logs --decisions ~/d.jsonl --out ~/r.md";
    await well(run("learn --sessions ~/logs --out ~/f.flow.json"));
    const decisions = async (flags: string) => {
      await well(run(`${replay}${flags}`));
      const text = await Deno.readTextFile(`${dir}/d.jsonl`);
      return text.trimEnd().split("\n").map((line) => JSON.parse(line));
    };
    const plain = await decisions("");
    assert(plain.every(({ policy }) => policy.epsilon === 0 && policy.propensity === 1));
    const half = await decisions(" --explore 0.5");
    assertEquals(half, await decisions(" --explore 0.5 --explore-seed 0"));
    assertStringIncludes(await Deno.readTextFile(`${dir}/r.md`), ", explored with ε 0.5, lookups");
    const explored = half.filter(({ policy, tool }) => (tool ?? null) !== policy.greedy);
    assert(explored.length > 0, "nothing was explored");
    for (const { policy, tool, prob } of explored) {
      const option = policy.options.find((o: { tool: string }) => o.tool === tool);
      assertEquals([option.p, policy.propensity < 0.51], [prob, true]);
    }
    const { out } = await well(run("evaluate --decisions ~/d.jsonl --target logged@0.3"));
    assertStringIncludes(out, "## logged@0.3");
    const seedless = await run(`${replay} --explore-seed 1`);
    assertEquals([seedless.status, (await run(`${replay} --explore 2`)).status], [2, 2]);
  }));

Deno.test("hoist prove says what a flow would save, what rules would refuse, and how to switch it on", () =>
  inHome(async (dir, run) => {
    await Deno.writeTextFile(
      `${dir}/rules.yaml`,
      "hoist_guards: 1\nrules:\n  - id: no-cancelling\n    for: [cancel]\n    refuse: 'true'\n    because: no\n    mode: log\n",
    );
    const flags = "--guards ~/rules.yaml --json ~/p.json --html ~/p.html";
    const { out } = await well(run(`prove ~/logs ${flags}`));
    assertStringIncludes(out, "A flow would save ");
    assertStringIncludes(out, "20 sessions with calls and 0 without");
    assertStringIncludes(out, "| no-cancelling | 20 |");
    assertStringIncludes(out, "hoist learn --sessions ~/logs --out flow.json");
    const { flow, lookups } = JSON.parse(await Deno.readTextFile(`${dir}/p.json`));
    assert(flow.net > 0 && lookups.length > 0);
    assertStringIncludes(await Deno.readTextFile(`${dir}/p.html`), "no-cancelling");
  }));
