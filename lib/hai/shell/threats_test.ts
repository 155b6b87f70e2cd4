/**
 * The threat table of docs/hai_owner_gate.md, a test a row: what somebody with the tools and with
 * write access to HAI_HOME tries, and what the owner's server answers.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type Answer,
  assertRefused,
  HaiHome,
  type HomeOptions,
} from "../../../tests/util/hai_home.ts";
import { diagnose } from "../../commands/hai/hai_repair_command.ts";
import { runHai } from "../../commands/hai/hai_commands.ts";
import { recordHash } from "../state/hashes.ts";
import { denoRuntime } from "../../runtime/deno_runtime.ts";

interface Threat {
  /** Its name in the first column of the table. */
  readonly id: string;
  /** Plays the attack and asserts that it fails. */
  readonly play: (hai: HaiHome) => Promise<void>;
  readonly options?: HomeOptions;
}

const LEGACY_ENV = { HAI_OWNER_GATE: "ack_legacy" };
const WIDER = { objective: "Anything", constraints: { allowed_paths: [], capabilities: ["push"] } };

/** Calls a tool of another server on the same state. */
function other(hai: HaiHome, env: Readonly<Record<string, string>>) {
  const shell = hai.newShell(env);
  return (name: string, args: Record<string, unknown>): Promise<Answer> => shell.call(name, args);
}

function widen(mission_id: string) {
  return { mission_id, contract_version: 1, reason: "r", changes: WIDER, owner_ack: true };
}

/** A server that seals nothing changes the contract, as a program with write access could. */
async function forgeRecontract(hai: HaiHome, mission_id: string): Promise<void> {
  Deno.removeSync(`${hai.home}/owner/pin.json`);
  const call = other(hai, { ...LEGACY_ENV, HAI_OWNER_HOME: `${hai.root}/nowhere` });
  assertEquals((await call("hai_recontract", widen(mission_id))).contract_version, 2);
}

function accept(hai: HaiHome, content = "# do the thing", more: Record<string, unknown> = {}) {
  return hai.call("hai_accept_next_step", { project_path: hai.project(), content, ...more });
}

const THREATS: readonly Threat[] = [
  {
    id: "second server, weaker gate",
    async play(hai) {
      const { mission_id } = await hai.open();
      const call = other(hai, LEGACY_ENV);
      assertRefused(await call("hai_recontract", widen(mission_id)), "weaker_gate", "ack_legacy");
      assertEquals((await hai.call("hai_get_mission")).contract_version, 1);
    },
  },
  {
    id: "second server, weaker policy",
    options: { env: { HAI_OWNER_POLICY: "strict" } },
    async play(hai) {
      const asked = await hai.open();
      const { mission_id } = await hai.open({ owner_code: hai.code(asked.challenge_id) });
      const call = other(hai, { HAI_OWNER_POLICY: "standard" });
      const done = await call("hai_close_mission", {
        ...{ mission_id, contract_version: 1, closure: "completed", outcome_summary: "s" },
        evidence: {},
      });
      assertRefused(done, "weaker_gate", "strict");
    },
  },
  {
    id: "second server, own owner folder",
    async play(hai) {
      const { mission_id } = await hai.open();
      const call = other(hai, { HAI_OWNER_HOME: `${hai.root}/mine` });
      assertRefused(
        await call("hai_recontract", widen(mission_id)),
        "weaker_gate",
        "HAI_OWNER_HOME",
      );
      assertEquals((await hai.call("hai_get_mission")).contract_version, 1);
    },
  },
  {
    id: "unsealed contract",
    async play(hai) {
      const { mission_id } = await hai.open();
      const { session_id } = await hai.authorize(mission_id);
      await forgeRecontract(hai, mission_id);
      for (const start of [() => {}, () => hai.restart()]) {
        start();
        const lease = await hai.authorize(mission_id, { contract_version: 2 });
        assertRefused(lease, "mission_unverified", "mission_recontracted");
        const check = { session_id, activity_step: "s", criterion_id: "dc-1" };
        assertRefused(await hai.call("hai_check_activity", check), "mission_unverified", "pause");
        assertRefused(await hai.call("hai_get_mission"), "mission_unverified");
      }
      const [finding] = diagnose(hai.config()).findings.filter(({ kind }) => kind === "seal");
      assertStringIncludes(finding?.problem ?? "", "mission_recontracted");
      assertEquals(await repair(hai), 0);
      hai.restart();
      assertEquals((await hai.call("hai_get_mission")).contract_version, 1);
      assertEquals((await hai.authorize(mission_id)).ok, true);
    },
  },
  {
    id: "unsealed lease",
    async play(hai) {
      const { mission_id } = await hai.open();
      Deno.removeSync(`${hai.home}/owner/pin.json`);
      const shell = hai.newShell({ ...LEGACY_ENV, HAI_OWNER_HOME: `${hai.root}/nowhere` });
      const owned = hai.shell;
      hai.shell = shell;
      const { session_id } = await hai.authorize(mission_id);
      hai.shell = owned;
      const check = { session_id, activity_step: "s", criterion_id: "dc-1" };
      assertRefused(await hai.call("hai_check_activity", check), "mission_unverified");
      assertEquals(await repair(hai), 0);
    },
  },
  {
    id: "copied seal",
    async play(hai) {
      const { mission_id } = await hai.open();
      const [opened] = hai.events();
      await forgeRecontract(hai, mission_id);
      const forged = hai.events().at(-1);
      const event = { ...forged, seal: opened.seal };
      const event_hash = recordHash(event, "event_hash");
      hai.write(`home/audit/${forged.event_id}.json`, JSON.stringify({ ...event, event_hash }));
      hai.edit("home/audit/HEAD.json", (head) => head.event_hash = event_hash);
      hai.restart();
      assertRefused(await hai.authorize(mission_id), "mission_unverified");
    },
  },
  {
    id: "audit trail removed",
    async play(hai) {
      const { mission_id } = await hai.open();
      Deno.removeSync(`${hai.home}/audit`, { recursive: true });
      hai.restart();
      assertRefused(await hai.authorize(mission_id), "state_corrupt", "there were audit events");
    },
  },
  {
    id: "audit trail cut back",
    async play(hai) {
      const { mission_id } = await hai.open();
      const before = hai.files("home");
      await hai.authorize(mission_id);
      for (const name of hai.names("home/audit")) Deno.removeSync(`${hai.home}/audit/${name}`);
      for (const [path, text] of before) hai.write(path, text);
      hai.restart();
      assertRefused(await hai.authorize(mission_id), "state_corrupt", "went back");
      assertEquals(await repair(hai), 0);
      hai.restart();
      assertEquals((await hai.call("hai_set_focus", { focus_id: "on" })).ok, true);
    },
  },
  {
    id: "next step written by hand",
    async play(hai) {
      const path = "project/Projek-Managment/NEXT_STEP.md";
      hai.write(path, "evil\n");
      const ask = () => hai.call("hai_get_next_step", { project_path: hai.project() });
      assertEquals([(await ask()).source, (await ask()).verified], ["unverified", false]);
      const { challenge_id } = await accept(hai);
      await accept(hai, "# do the thing", { owner_code: hai.code(challenge_id) });
      assertEquals([(await ask()).source, (await ask()).verified], ["canonical", true]);
      hai.write(path, hai.read(path).replace("do the thing", "do another"));
      assertEquals((await ask()).source, "unverified");
    },
  },
  {
    id: "mount table edited",
    async play(hai) {
      const constraints = { project_id: "eval", device_id: "desk", project_path: hai.project() };
      const { mission_id } = await hai.open({ constraints });
      hai.edit(
        "home/core/projects.json",
        ({ projects }) => projects.eval.mounts.desk.path = "/etc",
      );
      assertRefused(
        await hai.authorize(mission_id, { device_id: "desk" }),
        "state_corrupt",
        "/etc",
      );
    },
  },
  {
    id: "broken challenge file",
    async play(hai) {
      const { challenge_id } = await accept(hai);
      for (const text of ["{", "", "[]", "null", '{"version": 2}']) {
        hai.write("home/owner/challenges/C-20260901T080000-0000000a.json", text);
        const code = hai.code(challenge_id);
        const id = (await accept(hai, `# other ${text.length}`)).challenge_id;
        assert(id !== undefined && code !== undefined, text);
      }
      const found = diagnose(hai.config()).findings;
      assert(found.some(({ file }) => file.endsWith("0000000a.json")));
    },
  },
];

for (const { id, play, options } of THREATS) {
  Deno.test(`threat: ${id}`, async () => {
    const hai = new HaiHome(options);
    try {
      await play(hai);
    } finally {
      hai.remove();
    }
  });
}

Deno.test("the threat table of the owner gate's page has a test a row", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/hai_owner_gate.md", import.meta.url));
  const [, table = ""] = /\n## Threats\n[^]*?\n\|---[^\n]*\n([^]*?)\n\n/.exec(page) ?? [];
  const rows = table.split("\n").map((row) => row.split("|")[1]?.trim());
  assertEquals(rows, THREATS.map(({ id }) => id));
});

async function repair(hai: HaiHome): Promise<number> {
  const lines: string[] = [];
  const runtime = {
    ...denoRuntime("hai-mcp"),
    env: (name: string) => ({ HAI_HOME: hai.home, HAI_OWNER_HOME: hai.ownerHome })[name],
    unixMs: () => hai.unixMs,
    print: (line: string) => void lines.push(line),
    say: (line: string) => void lines.push(line),
  };
  return await runHai(["repair", "--yes"], runtime, { isPresent: false, ask: () => undefined });
}
