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
  scriptedTerminal,
} from "../../../tests/util/hai_home.ts";
import { diagnose } from "../../commands/hai/hai_repair_command.ts";
import { runHai } from "../../commands/hai/hai_commands.ts";
import { recordHash } from "../state/hashes.ts";
import { decide, openChallenges, type OwnerDecision } from "../owner/owner_desk.ts";
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
    id: "session of another agent used",
    async play(hai) {
      const { session_id, session_token } = await hai.authorize((await hai.open()).mission_id);
      const check = { session_id, activity_step: "s", criterion_id: "dc-1" };
      const thief = hai.newShell({}, "another agent");
      for (const name of ["hai_check_activity", "hai_drift_check", "hai_get_contract"]) {
        const args = name === "hai_get_contract" ? { session_id } : check;
        assertRefused(await thief.call(name, args), "session_token_required", "pause");
        assertEquals((await thief.call(name, { ...args, session_token })).ok, true);
        assertEquals((await hai.call(name, args)).ok, true);
      }
      const wrong = { ...check, session_token: `T-${"0".repeat(32)}` };
      assertRefused(await hai.call("hai_check_activity", wrong), "session_token_required");
      const shown = JSON.stringify([
        await hai.call("hai_list_sessions"),
        await hai.call("hai_get_mission"),
        await hai.call("hai_list_audit"),
      ]);
      assertEquals(/T-[0-9a-f]{32}|token_hash|holder_hash/.test(shown), false);
      const open = hai.newShell({ HAI_SESSION_TOKENS: "optional" }, "a caller over HTTP");
      assertEquals((await open.call("hai_check_activity", check)).ok, true);
    },
  },
  {
    id: "session renewed without end",
    async play(hai) {
      const { mission_id } = await hai.open();
      const { session_id } = await hai.authorize(mission_id);
      const renew = { session_id, duration_minutes: 1440 };
      const thief = hai.newShell({}, "another agent");
      assertRefused(
        await thief.call("hai_renew_session", renew) as Answer,
        "session_token_required",
      );
      for (let day = 0; day < 7; day++) {
        assertEquals((await hai.call("hai_renew_session", renew)).ok, true);
        hai.pass(86_000);
      }
      hai.pass(86_400);
      assertRefused(await hai.call("hai_renew_session", renew), "lease_expired");
    },
  },
  {
    id: "session of another agent ended",
    async play(hai) {
      const { session_id } = await hai.authorize((await hai.open()).mission_id);
      const thief = hai.newShell({}, "another agent");
      const asked: Answer = await thief.call("hai_release_session", { session_id, reason: "gone" });
      assertRefused(asked, "owner_gate_required", "release_session");
      assertEquals((await hai.call("hai_list_sessions")).active_count, 1);
      const owner_code = hai.code(asked.challenge_id);
      const args = { session_id, owner_code };
      assertEquals((await thief.call("hai_release_session", args)).status, "released");
    },
  },
  {
    id: "requests forgotten",
    async play(hai) {
      const ids: string[] = [];
      for (let i = 0; i < 10; i++) {
        const { challenge_id } = await accept(hai, `# flood ${i}`);
        ids.push(challenge_id);
        Deno.removeSync(`${hai.home}/owner/challenges/${challenge_id}.json`);
      }
      const last = await accept(hai, "# one more");
      assertEquals([last.detail, new Set(ids).size], ["too_many_challenges", 10]);
    },
  },
  {
    id: "denial forgotten",
    async play(hai) {
      const { challenge_id } = await accept(hai);
      await decideFirst(hai, "denied");
      Deno.removeSync(`${hai.home}/owner/challenges/${challenge_id}.json`);
      const again = await accept(hai, "# do the thing", { reason: "please" });
      assertEquals([again.detail, again.challenge_id], ["owner_denied", challenge_id]);
    },
  },
  {
    id: "approval taken back, record put back",
    async play(hai) {
      const { challenge_id } = await accept(hai);
      const record = `home/owner/challenges/${challenge_id}.json`;
      await decideFirst(hai, "approved");
      const approved = hai.read(record);
      await decideFirst(hai, "pending");
      hai.write(record, approved);
      assertEquals((await accept(hai)).status, "pending_owner_code");
    },
  },
  {
    id: "a wider mission after the last one",
    async play(hai) {
      const { mission_id } = await hai.open();
      hai.write("project/tests/log", "ok");
      const done = await hai.call("hai_close_mission", {
        ...{ mission_id, contract_version: 1, closure: "completed", outcome_summary: "s" },
        evidence: { "dc-1": { path: "tests/log", stale_reason: "made for it" } },
      });
      assertEquals(done.closed, true);
      const agreed = { project_path: hai.project(), allowed_paths: ["src/", "tests/"] };
      for (
        const more of [
          { allowed_paths: [] },
          { allowed_paths: ["src", "docs"] },
          { capabilities: ["read", "push"] },
          { max_parallel_sessions: 2 },
          { project_path: hai.project("other") },
          { project_path: null, project_id: "x-1", device_id: "desk" },
        ]
      ) {
        const place = more.project_path === null ? { project_path: hai.project() } : {};
        const constraints = { ...agreed, ...more, ...place };
        const asked = await hai.open({ constraints });
        assertRefused(asked, "owner_gate_required");
        assertEquals(asked.action, "open_mission", JSON.stringify(more));
      }
      const narrower = { ...agreed, allowed_paths: ["./src/a"], capabilities: ["read"] };
      assertEquals((await hai.open({ constraints: narrower })).ok, true);
    },
  },
  {
    id: "ten planted challenges",
    async play(hai) {
      const { challenge_id } = await accept(hai, "# first");
      const real = hai.json(`home/owner/challenges/${challenge_id}.json`);
      for (let i = 0; i < 10; i++) {
        const id = `C-20260901T08000${i}-0000000${i}`;
        const planted = { ...real, challenge_id: id, status: "cancelled" };
        hai.write(`home/owner/challenges/${id}.json`, JSON.stringify(planted));
      }
      assertEquals((await accept(hai, "# legitimate")).status, "pending_owner_code");
    },
  },
  {
    id: "journal planted",
    async play(hai) {
      const { challenge_id } = await accept(hai, "# first");
      const target = `${hai.root}/elsewhere/NEXT_STEP.md`;
      hai.write("elsewhere/NEXT_STEP.md", "mine");
      const tally = `${hai.ownerHome}/tally/${challenge_id}.json`;
      for (const [area, path] of [["project", target], ["owner", tally]]) {
        const changes = [{ area, path, text: "{}" }, { area, path, text: "{}" }];
        hai.write("home/.journal.json", JSON.stringify({ changes }));
        const before = [hai.read("elsewhere/NEXT_STEP.md"), Deno.readTextFileSync(tally)];
        assertRefused(await hai.call("hai_status"), "state_corrupt", "did not seal");
        assertEquals([hai.read("elsewhere/NEXT_STEP.md"), Deno.readTextFileSync(tally)], before);
        Deno.removeSync(`${hai.home}/.journal.json`);
      }
    },
  },
  {
    id: "clock set back",
    async play(hai) {
      const constraints = { project_path: hai.project(), time_limit_hours: 2 };
      const { mission_id } = await hai.open({ constraints });
      hai.pass(2 * 3600 + 60);
      await hai.call("hai_stop", { day: "d", loop_closed: true, clearer: "", agency_gained: "" });
      hai.pass(-2 * 3600);
      for (const start of [() => {}, () => hai.restart()]) {
        start();
        assertRefused(await hai.authorize(mission_id), "time_limit_exceeded");
      }
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

/** The owner decides the one open request. */
async function decideFirst(hai: HaiHome, verdict: OwnerDecision["verdict"]): Promise<void> {
  const isDone = await hai.shell.hold((ctx, owner) => {
    const key = owner.existingKey();
    assert(key !== undefined);
    const [open] = openChallenges(ctx, key);
    assert(open !== undefined);
    const { challenge_id: challengeId, fingerprint } = open;
    return decide(ctx, key, { challengeId, fingerprint, verdict });
  });
  assertEquals(isDone, true);
}

async function repair(hai: HaiHome): Promise<number> {
  const lines: string[] = [];
  const runtime = {
    ...denoRuntime("hai-mcp"),
    env: (name: string) => ({ HAI_HOME: hai.home, HAI_OWNER_HOME: hai.ownerHome })[name],
    unixMs: () => hai.unixMs,
    print: (line: string) => void lines.push(line),
    say: (line: string) => void lines.push(line),
  };
  return await runHai(["repair", "--yes"], runtime, scriptedTerminal([], false));
}

Deno.test("passGate() gives the agent one sentence for its person, without the code", async () => {
  const hai = new HaiHome();
  try {
    const asked = await accept(hai);
    assertStringIncludes(asked.tell_owner, `hai-mcp owner approve ${asked.challenge_id}`);
    assertEquals(asked.tell_owner.includes(hai.code(asked.challenge_id)), false);
  } finally {
    hai.remove();
  }
});
