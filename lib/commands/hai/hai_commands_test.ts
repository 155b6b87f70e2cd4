/**
 * The owner's commands: the desk, doctor, repair, recall, limits.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type Answer,
  assertRefused,
  haiCase,
  type HaiHome,
  scriptedTerminal,
} from "../../../tests/util/hai_home.ts";
import { commandRuntime } from "../../../tests/util/command_runtime.ts";
import { recordHash } from "../../hai/state/hashes.ts";
import { runHai } from "./hai_commands.ts";

/** Runs a command as a person at a terminal would, or a program without one. */
async function run(
  hai: HaiHome,
  args: readonly string[],
  options: {
    readonly answers?: readonly string[];
    readonly isTerminal?: boolean;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
) {
  const isTerminal = options.isTerminal ?? true;
  const { runtime, out, said } = commandRuntime(hai, { isTerminal, env: options.env });
  const terminal = scriptedTerminal(options.answers, isTerminal);
  const status = await runHai(args, runtime, terminal);
  return { status, out: out.join("\n"), said: said.join("\n") };
}

function accept(hai: HaiHome, more: Record<string, unknown> = {}): Promise<Answer> {
  return hai.call("hai_accept_next_step", {
    project_path: hai.project(),
    content: "# new\nsame",
    reason: "agreed",
    ...more,
  });
}

haiCase(
  "hai-mcp owner",
  "shows the exact change as a diff; approving counts as the code, once",
  async (hai) => {
    hai.write(
      "project/Projek-Managment/NEXT_STEP.md",
      "# old\nsame\n\n---\n_Accepted via hai-mcp_\n- at: x\n",
    );
    const asked = await accept(hai);
    const list = await run(hai, ["owner"]);
    assertStringIncludes(list.out, asked.challenge_id);
    const shown = await run(hai, ["owner", "show"]);
    assertStringIncludes(shown.out, "reason:    agreed");
    assertStringIncludes(shown.out, "- # old\n+ # new\n  same");
    assertEquals(shown.out.includes(hai.code(asked.challenge_id)), false);
    const hesitant = await run(hai, ["owner", "approve"], { answers: ["yes"] });
    assertEquals(hesitant.status, 1);
    assertRefused(await accept(hai), "owner_gate_required");
    const approved = await run(hai, ["owner", "approve", asked.challenge_id], {
      answers: ["approve"],
    });
    assertEquals([approved.status, approved.said], [0, ""]);
    assertEquals(
      (await hai.call("hai_list_audit", { event_type: "owner_challenge_approved" })).events.length,
      1,
    );
    assertRefused(await accept(hai, { content: "# other" }), "owner_gate_required");
    assertEquals((await accept(hai, { reason: undefined })).reason, "agreed");
    assertRefused(await accept(hai), "owner_gate_required");
  },
);

haiCase("hai-mcp owner", "a denial holds until it lapses", async (hai) => {
  const asked = await accept(hai);
  assertEquals((await run(hai, ["owner", "deny"], { answers: ["deny"] })).status, 0);
  assertEquals((await accept(hai)).detail, "owner_denied");
  const code = { owner_code: hai.code(asked.challenge_id) };
  assertEquals((await accept(hai, code)).detail, "owner_denied");
  assertEquals((await accept(hai, { reason: "please" })).detail, "owner_denied");
  hai.pass(600);
  assertEquals((await accept(hai)).status, "pending_owner_code");
});

haiCase("hai-mcp owner", "needs a terminal and the key of the owner's folder", async (hai) => {
  assertStringIncludes((await run(hai, ["owner"])).said, "holds no key");
  await accept(hai);
  const piped = await run(hai, ["owner", "approve"], { isTerminal: false, answers: ["approve"] });
  assertEquals(piped.status, 1);
  assertStringIncludes(piped.said, "terminal");
  Deno.removeSync(`${hai.ownerHome}/owner.key`);
  assertEquals((await run(hai, ["owner", "approve"], { answers: ["approve"] })).status, 1);
});

haiCase(
  "hai-mcp owner",
  "shows only what the server itself asked, safe for a terminal",
  async (hai) => {
    const asked = await accept(hai, { content: "x\u001b[2J\u202ey" });
    const shown = await run(hai, ["owner", "show"]);
    assertStringIncludes(shown.out, "<U+001B>[2J<U+202E>y");
    hai.edit(
      `home/owner/challenges/${asked.challenge_id}.json`,
      (r) => r.preview.body = "harmless",
    );
    assertStringIncludes((await run(hai, ["owner"])).out, "Nothing waits");
    const forged = await run(hai, ["owner", "approve", asked.challenge_id], {
      answers: ["approve"],
    });
    assertEquals(forged.status, 1);
  },
);

haiCase(
  "hai-mcp owner",
  "with two waiting the challenge must be named; one may lapse meanwhile",
  async (hai) => {
    const { mission_id } = await hai.open();
    await accept(hai);
    const change = {
      mission_id,
      contract_version: 1,
      reason: "r",
      changes: { constraints: { allowed_paths: ["src/"] } },
    };
    const asked = await hai.call("hai_recontract", change);
    assertStringIncludes((await run(hai, ["owner", "approve"])).said, "2 wait");
    const shown = await run(hai, ["owner", "show", asked.challenge_id]);
    assertStringIncludes(shown.out, '-     "tests/"');
    hai.pass(600);
    assertStringIncludes((await run(hai, ["owner", "show", asked.challenge_id])).said, "No such");
  },
);

/** A state with a bit of everything. */
async function busy(hai: HaiHome): Promise<{ mission_id: string; session_id: string }> {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  await hai.call("hai_intake", { raw: "x" });
  await hai.call("hai_set_focus", { focus_id: "eval" });
  await hai.call("hai_checkpoint", {});
  await accept(hai);
  return { mission_id, session_id };
}

haiCase("hai-mcp doctor", "names the owner's folder when it is missing", async (hai) => {
  assertEquals((await hai.open()).ok, true);
  Deno.renameSync(hai.ownerHome, `${hai.root}/moved`);
  const sick = await run(hai, ["doctor"]);
  assertEquals(sick.status, 1);
  assertStringIncludes(sick.out, `error: ${hai.ownerHome}: the owner's folder is missing`);
  Deno.renameSync(`${hai.root}/moved`, hai.ownerHome);
  assertEquals((await run(hai, ["doctor"])).status, 0);
});

haiCase("hai-mcp doctor", "finds nothing in a good state and creates nothing", async (hai) => {
  const fresh = await run(hai, ["doctor"]);
  assertEquals([fresh.status, fresh.out], [0, `${hai.home}: there is no state yet.`]);
  assertEquals(hai.has("home"), false);
  await busy(hai);
  const before = hai.files("home");
  const good = await run(hai, ["doctor"]);
  assertEquals([good.status, good.out], [0, `${hai.home}: nothing is wrong.`]);
  assertEquals(hai.files("home"), before);
  assertEquals(JSON.parse((await run(hai, ["doctor", "--json"])).out).findings, []);
});

const SPOILS: [name: string, spoil: (hai: HaiHome, ids: Ids) => void, works: boolean][] = [
  ["lanes", (hai) => void hai.write("home/ACTIVE_CONTEXT.json", "{"), true],
  ["an intake", (hai) => {
    const [name] = hai.names("home/intake");
    hai.write(`home/intake/${name}`, "[]");
  }, true],
  ["the pointer", (hai) => void hai.write("home/missions/active_mission.json", "no"), true],
  ["the mission", (hai, { mission_id }) => {
    hai.write(`home/missions/${mission_id}/mission.json`, "{}");
  }, true],
  ["the contract", (hai, { mission_id }) => {
    hai.edit(`home/missions/${mission_id}/contracts/v1.json`, (c) => c.objective = "wider");
  }, false],
  ["a contract written anew with its hash", (hai, { mission_id }) => {
    hai.edit(`home/missions/${mission_id}/contracts/v1.json`, (contract) => {
      contract.constraints.allowed_paths = [];
      contract.contract_hash = recordHash(contract, "contract_hash");
    });
  }, false],
  ["a session", (hai, { mission_id, session_id }) => {
    hai.write(`home/missions/${mission_id}/sessions/${session_id}.json`, "");
  }, true],
  ["a challenge", (hai) => {
    const [name] = hai.names("home/owner/challenges");
    hai.write(`home/owner/challenges/${name}`, "{");
  }, true],
  ["an audit event", (hai) => {
    hai.edit(`home/audit/${hai.events()[1].event_id}.json`, (event) => event.at = "x");
  }, true],
  ["the end of the chain", (hai) => Deno.removeSync(`${hai.home}/audit/HEAD.json`), true],
  ["a journal", (hai) => void hai.write("home/.journal.json", '{"changes":[{}]}'), true],
];

interface Ids {
  readonly mission_id: string;
  readonly session_id: string;
}

for (const [name, spoil, keepsMission] of SPOILS) {
  haiCase("hai-mcp repair", `mends ${name} after a backup`, async (hai) => {
    const ids = await busy(hai);
    spoil(hai, ids);
    hai.restart();
    const sick = await run(hai, ["doctor", "--full"]);
    assertEquals(sick.status, 1);
    const before = hai.files("home");
    assertEquals((await run(hai, ["repair"], { isTerminal: false })).status, 1);
    assertEquals((await run(hai, ["repair"], { answers: ["no"] })).status, 1);
    assertEquals(hai.files("home"), before, "nothing is changed without a yes");
    const repaired = await run(hai, ["repair"], { answers: ["repair"] });
    assertEquals(repaired.status, 0, repaired.out + repaired.said);
    const [stamp] = hai.names("home/backups");
    for (const [path, text] of before) {
      if (path.endsWith(".lock")) continue;
      assertEquals(hai.read(path.replace("home/", `home/backups/${stamp}/`)), text);
    }
    assertEquals((await run(hai, ["doctor"])).status, 0);
    const mission = await hai.call("hai_get_mission");
    assertEquals(mission.mission_id, keepsMission ? ids.mission_id : null);
    assertEquals((await hai.call("hai_health")).audit.ok, true);
    if (keepsMission) return;
    // What was agreed last is gone, so the owner has to see what comes next.
    const asked = await hai.open();
    assertRefused(asked, "owner_gate_required");
    assertEquals((await hai.open({ owner_code: hai.code(asked.challenge_id) })).ok, true);
  });
}

haiCase("hai-mcp repair", "needs --yes without a terminal, and takes rights back", async (hai) => {
  await busy(hai);
  Deno.chmodSync(`${hai.home}/audit/HEAD.json`, 0o644);
  hai.write("home/audit/.HEAD.json.12345678.tmp", "half");
  const sick = await run(hai, ["doctor"]);
  assertStringIncludes(sick.out, "mode 644");
  assertStringIncludes(sick.out, "left it behind");
  assertEquals((await run(hai, ["repair", "--yes"], { isTerminal: false })).status, 0);
  assertEquals((Deno.statSync(`${hai.home}/audit/HEAD.json`).mode ?? 0) & 0o777, 0o600);
  assertEquals((await run(hai, ["doctor"])).status, 0);
});

haiCase("hai-mcp recall", "shows and resolves", async (hai) => {
  const { intake_id } = await hai.call("hai_intake", { raw: "move\nhosts" });
  const shown = await run(hai, ["recall"]);
  assertStringIncludes(shown.out, `${intake_id}  0 d  move hosts`);
  assertEquals(JSON.parse((await run(hai, ["recall", "show", "--json"])).out).open_total, 1);
  const args = ["recall", "resolve", intake_id, "--as", "dropped"];
  assertEquals((await run(hai, args)).status, 1);
  assertEquals((await run(hai, [...args, "--why", "done"])).status, 0);
  assertStringIncludes((await run(hai, ["recall"])).out, "0 open");
  assertEquals((await run(hai, ["recall", "--limit", "0"])).status, 2);
  hai.write(`home/intake/${intake_id}.json`, "{");
  const broken = await run(hai, ["recall"]);
  assertEquals([broken.status, JSON.parse(broken.out).error], [1, "state_corrupt"]);
});

haiCase("hai-mcp limits", "shows capacity and credits", async (hai) => {
  const shown = await run(hai, ["limits"]);
  assertStringIncludes(shown.out, "workers: 1\ncredits: 0");
  assertEquals(JSON.parse((await run(hai, ["limits", "--json"])).out).worker_capacity, 1);
});

haiCase("hai-mcp", "--help names every variable, --version the version", async (hai) => {
  const help = await run(hai, ["--help"]);
  assert(help.out.includes("HAI_OWNER_POLICY") && help.out.includes("owner|doctor|repair"));
  assertEquals((await run(hai, ["--version"])).out, "hai-mcp 0.1.0");
  for (const command of ["owner", "doctor", "repair", "recall", "limits"]) {
    assertEquals((await run(hai, [command, "--help"])).status, 0);
  }
});

haiCase("hai-mcp", "does not start without a folder to keep its state in", async (hai) => {
  for (const env of [{}, { HAI_HOME: hai.home }, { HAI_OWNER_HOME: hai.ownerHome }]) {
    const missing = "HAI_HOME" in env ? "HAI_OWNER_HOME" : "HAI_HOME";
    const { status, said } = await run(hai, ["limits"], { env });
    assertEquals([status, said.split(":")[0]], [2, `Neither ${missing} nor HOME is set`]);
  }
  const both = { HAI_HOME: hai.home, HAI_OWNER_HOME: hai.ownerHome };
  assertEquals((await run(hai, ["limits"], { env: both })).status, 0);
});

haiCase("hai-mcp owner", "approve says when nothing waits, and when several do", async (hai) => {
  const asked = await accept(hai);
  assertEquals((await run(hai, ["owner", "deny"], { answers: ["deny"] })).status, 0);
  const none = await run(hai, ["owner", "approve"]);
  assertEquals([none.status, none.said], [1, "Nothing waits for you"]);
  for (const content of ["# one", "# two"]) await accept(hai, { content });
  const two = await run(hai, ["owner", "approve"]);
  assertEquals([two.status, two.said], [1, "Name the challenge: 2 wait"]);
  const other = await run(hai, ["owner", "show", asked.challenge_id]);
  assertEquals([other.status, other.said], [1, "No such challenge waits for you"]);
});

haiCase("hai-mcp owner undo", "takes back an approval that was not used", async (hai) => {
  const asked = await accept(hai);
  const tag = asked.challenge_id.slice(-4);
  assertEquals((await run(hai, ["owner", "undo", tag])).status, 1);
  await run(hai, ["owner", "approve", tag], { answers: ["approve"] });
  const record = `home/owner/challenges/${asked.challenge_id}.json`;
  const approved = hai.read(record);
  assertStringIncludes((await run(hai, ["owner"])).out, "approved, unused");
  assertEquals((await run(hai, ["owner", "undo"])).status, 0);
  assertEquals((await accept(hai)).status, "pending_owner_code");
  hai.write(record, approved);
  assertEquals((await accept(hai)).status, "pending_owner_code", "the old record approves nothing");
  await run(hai, ["owner", "approve", tag], { answers: ["approve"] });
  assertEquals((await accept(hai)).ok, true);
  assertEquals((await run(hai, ["owner", "undo", tag])).status, 1, "it was used");
});

haiCase("hai-mcp owner deny", "a denial outlives a record that is put back", async (hai) => {
  const asked = await accept(hai);
  const record = `home/owner/challenges/${asked.challenge_id}.json`;
  const pending = hai.read(record);
  assertEquals((await run(hai, ["owner", "deny"])).status, 0);
  hai.write(record, pending);
  assertEquals((await run(hai, ["owner", "approve"], { answers: ["approve"] })).status, 1);
  assertEquals((await accept(hai)).detail, "owner_denied");
});

haiCase("hai-mcp owner approve", "takes several ids, each shown and asked for", async (hai) => {
  const first = await accept(hai, { content: "# one" });
  const second = await accept(hai, { content: "# two" });
  const ids = [first.challenge_id, second.challenge_id.slice(-8)];
  const done = await run(hai, ["owner", "approve", ...ids], { answers: ["approve", "no"] });
  assertEquals([done.status, done.said], [1, "Nothing was decided"]);
  assertEquals((await accept(hai, { content: "# two" })).status, "pending_owner_code");
  assertEquals((await accept(hai, { content: "# one" })).ok, true);
  assertEquals((await run(hai, ["owner", "aprove"])).status, 2);
  assertStringIncludes((await run(hai, ["owner", "aprove"])).said, "did you mean approve?");
  assertEquals((await run(hai, ["owner", "list", "--notify"])).status, 2);
});
