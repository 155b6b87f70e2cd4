/**
 * What a dishonest agent tries with the tools and with files it may write, and
 * what an unlucky operator runs into. Each test names the way in.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Answer, assertRefused, haiCase, type HaiHome } from "../../../tests/util/hai_home.ts";
import { stateDisk } from "./state_disk.ts";
import { isAllowed } from "../mission/activity.ts";
import type { Disk } from "../state/disk_port.ts";
import { Hashing } from "../mission/proof.ts";

function accept(hai: HaiHome, more: Record<string, unknown> = {}): Promise<Answer> {
  return hai.call("hai_accept_next_step", {
    project_path: hai.project(),
    content: "# do the thing",
    ...more,
  });
}

const challengePath = (id: string) => `home/owner/challenges/${id}.json`;

haiCase("carryOut()", "a change that cannot be carried out leaves the rest undone", async (hai) => {
  hai.write("project/Projek-Managment/history", "a file where a folder is needed");
  const asked = await accept(hai);
  const owner_code = hai.code(asked.challenge_id);
  const before = hai.files("home");
  const refused = await accept(hai, { owner_code });
  assertRefused(refused, "state_unavailable", "history");
  hai.faults.length = 0;
  assertEquals(hai.files("home"), before);
  assertEquals((await hai.call("hai_status")).ok, true);
  assertEquals(hai.names("project/Projek-Managment"), ["history"]);
  Deno.removeSync(`${hai.project()}/Projek-Managment/history`);
  assertEquals((await accept(hai, { owner_code })).canonical, true);
});

haiCase("finishJournal()", "a journal somebody planted revives no approval", async (hai) => {
  const asked = await accept(hai);
  const owner_code = hai.code(asked.challenge_id);
  const pending = hai.read(challengePath(asked.challenge_id));
  assertEquals((await accept(hai, { owner_code })).ok, true);
  const tally = `${hai.ownerHome}/tally/${asked.challenge_id}.json`;
  for (const text of ['{"attempts":0,"over":false}', null]) {
    hai.write(
      "home/.journal.json",
      JSON.stringify({
        changes: [{ area: "owner", path: tally, text }, {
          area: "home",
          path: `${hai.root}/${challengePath(asked.challenge_id)}`,
          text: pending,
        }],
      }),
    );
    const again = await accept(hai, { owner_code });
    assertEquals(again.ok, false, JSON.stringify(again));
    if (hai.has("home/.journal.json")) Deno.removeSync(`${hai.home}/.journal.json`);
  }
});

haiCase("readArtifact()", "the owner's folder is read for nobody", async (hai) => {
  hai.restart({ HAI_OWNER_HOME: `${hai.project()}/.hai-owner` });
  const asked = await accept(hai);
  const dir = `${hai.project()}/Projek-Managment`;
  Deno.mkdirSync(dir);
  const owner = `${hai.project()}/.hai-owner`;
  Deno.symlinkSync(`${owner}/owner.key`, `${dir}/NEXT_STEP.md`);
  Deno.symlinkSync(`${owner}/${asked.challenge_id}.txt`, `${dir}/BRIEFING.md`);
  const project_path = hai.project();
  assertRefused(await hai.call("hai_get_next_step", { project_path }), "path_outside_root");
  assertEquals((await hai.call("hai_read_artifacts", { project_path })).present, []);
  const saved = await hai.call("hai_checkpoint", { project_path });
  assertEquals(saved.meta.artifacts, {});
});

haiCase("listRecords()", "a link in the inbox is not followed", async (hai) => {
  await accept(hai);
  await hai.call("hai_park", { text: "a thought" });
  Deno.symlinkSync(`${hai.ownerHome}/owner.key`, `${hai.home}/inbox/park_x.md`);
  const { records } = await hai.call("hai_list_records", { kind: "inbox" });
  const key = hai.read("owner/owner.key").trim();
  assert(!JSON.stringify(records).includes(key), "the owner's key was handed out");
  assertEquals(records.length, 1);
});

haiCase("judgePaths()", "a backslash is a letter and ~user somebody else's home", async (hai) => {
  const constraints = { project_path: hai.project(), allowed_paths: [] };
  const { mission_id } = await hai.open({ constraints });
  const { session_id } = await hai.authorize(mission_id);
  for (
    const path of [
      `${hai.project()}\\evil/x`,
      "../project\\x",
      "~root/.ssh/id",
      "~nobody",
      "src/../../x",
      "/",
      "//etc/passwd",
      `${hai.project()}/../other`,
    ]
  ) {
    const verdict = await hai.call("hai_check_activity", {
      session_id,
      activity_step: "s",
      criterion_id: "dc-1",
      affected_paths: [path],
    });
    assertEquals(verdict.classification, "drift", path);
  }
});

haiCase("readArtifact()", "neither a pipe nor a huge file keeps anybody waiting", async (hai) => {
  const dir = `${hai.project()}/Projek-Managment`;
  Deno.mkdirSync(dir);
  const made = await new Deno.Command("mkfifo", { args: [`${dir}/NEXT_STEP.md`] }).output();
  assertEquals(made.code, 0);
  Deno.writeTextFileSync(`${dir}/BRIEFING.md`, "x");
  Deno.truncateSync(`${dir}/BRIEFING.md`, 2 ** 34);
  const project_path = hai.project();
  const refused = await hai.call("hai_get_next_step", { project_path });
  assertRefused(refused, "invalid_args", "no regular file");
  assertEquals((await hai.call("hai_read_artifacts", { project_path })).present, []);
});

haiCase("judgeEvidence()", "sixteen gibibytes are not hashed", async (hai) => {
  const { mission_id } = await hai.open();
  hai.write("project/log", "x");
  Deno.truncateSync(`${hai.project()}/log`, 2 ** 34);
  const reply = await hai.call("hai_proof", {
    mission_id,
    contract_version: 1,
    outcome_summary: "s",
    evidence: { "dc-1": { path: "log" } },
  });
  assertEquals(reply.closed, false);
  assertStringIncludes(reply.invalid_evidence[0].message, "1 GiB");
});

haiCase("studyPath()", "the owner's folder is no evidence of learning", async (hai) => {
  // The hash of a text that is known but for its code would give the code away.
  hai.restart({ HAI_LEARNING_EVIDENCE_ROOT: hai.root });
  const { challenge_id } = await accept(hai);
  const { block_id } = await hai.call("hai_learning_start", {
    topic: "t",
    intended_output_path: "a.md",
  });
  hai.pass(1500);
  const refused = await hai.call("hai_learning_complete", {
    block_id,
    own_activity: "o",
    learned: "l",
    open_question: "q",
    evidence_paths: [`owner/${challenge_id}.txt`],
    owner_ack: true,
  });
  assertRefused(refused, "invalid_args", "leads out");
});

haiCase("isAllowed()", "a blank entry allows nothing and is not agreed", async (hai) => {
  for (const entry of ["", "  ", " /etc", "~x"]) {
    const constraints = { project_path: hai.project(), allowed_paths: ["src/", entry] };
    assertRefused(await hai.open({ constraints }), "review_required", "allowed_paths");
  }
  assertEquals([isAllowed("lib/x", ["src/", ""]), isAllowed("src/x", ["src/", ""])], [false, true]);
});

haiCase(
  "judgePaths()",
  "letters composed otherwise, or of another case, are another name",
  async (hai) => {
    const constraints = { project_path: hai.project(), allowed_paths: ["caf\u00e9/", "Src"] };
    const opened = await hai.open({ constraints, non_goals: ["Rebuild the CAF\u00c9"] });
    const { session_id } = await hai.authorize(opened.mission_id);
    const check = async (path: string, activity_step = "s") => {
      const affected_paths = [path];
      const given = { session_id, activity_step, criterion_id: "dc-1", affected_paths };
      return (await hai.call("hai_check_activity", given)).classification;
    };
    assertEquals(await check("caf\u00e9/menu"), "in_scope");
    assertEquals(await check("caf\u00e9/menu/"), "in_scope");
    assertEquals(await check("./caf\u00e9//menu/../x"), "in_scope");
    for (
      const path of ["cafe\u0301/menu", "src/x", "Src\u200b/x", "Srcs/x", "Src/../x", "Src\\x"]
    ) {
      assertEquals(await check(path), "drift", path);
    }
    // A text, on the other hand, is the same text however it is composed.
    assertEquals(await check("Src/x", "rebuild the cafe\u0301 now"), "park_candidate");
  },
);

haiCase("checkArgs()", "a call of more than a million characters is refused", async (hai) => {
  const refused = await hai.call("hai_intake", { raw: "x".repeat(1024 * 1024 + 1) });
  assertRefused(refused, "invalid_args", "1048576 characters");
  assertEquals(refused.problem, "out_of_range");
  assertEquals((await hai.call("hai_intake", { raw: "x".repeat(1024 * 1024 - 3) })).ok, true);
});

haiCase(
  "parseRecord()",
  "names the line of a file that is not JSON, and none of its text",
  async (hai) => {
    await hai.call("hai_set_focus", { focus_id: "a" });
    for (
      const [text, place] of [
        ['{\n  "version": 1,\n  "focus_id": s3cret\n}\n', "line 3, column 15"],
        ['{\n  "version": 1,\n', "line 3, column 1"],
        ['{"version": 1}}', "line 1, column 15"],
      ] as const
    ) {
      hai.write("home/ACTIVE_CONTEXT.json", text);
      const refused = await hai.call("hai_status");
      assertRefused(refused, "state_corrupt", `it is not JSON: ${place}`);
      assert(!JSON.stringify(refused).includes("s3cret"));
    }
  },
);

haiCase("texts()", "no list keeps everybody waiting", async (hai) => {
  const { mission_id } = await hai.open();
  const { session_id } = await hai.authorize(mission_id);
  const many = (count: number) => new Array<string>(count).fill("x");
  const { intake_id } = await hai.call("hai_intake", { raw: "x" });
  const rows: [string, Record<string, unknown>, string][] = [
    ["hai_check_activity", {
      session_id,
      activity_step: "s",
      affected_paths: many(10_001),
    }, "affected_paths must have at most 10000 items"],
    [
      "hai_distill",
      { intake_id, decision: "d", next_step: "n", parklist: many(201) },
      "at most 200",
    ],
    ["hai_park", { text: "t", tags: many(1001) }, "at most 1000 items"],
    ["hai_open_mission", {
      ...hai.terms(),
      done_criteria: many(201).map((description) => ({ description })),
    }, "at most 200 items"],
  ];
  for (const [name, args, about] of rows) {
    const refused = await hai.call(name, args);
    assertRefused(refused, "invalid_args", about);
    assertEquals(refused.problem, "out_of_range");
  }
});

Deno.test("Hashing hashes a file once, and so many bytes in all", () => {
  const hashed: string[] = [];
  const disk: Disk = {
    ...stateDisk(),
    size: () => 6,
    kind: () => "file",
    facts(path) {
      hashed.push(path);
      return { sha256: "", bytes: 6, modifiedMs: 0 };
    },
  };
  const hashing = new Hashing(disk, 13);
  const facts = ["/one", "/one", "/two", "/three", "/two"].map((path) => hashing.facts(path));
  assertEquals(facts.map((found) => found === "too much"), [false, false, false, true, false]);
  assertEquals(hashed, ["/one", "/two"]);
});

haiCase("record()", "a link in the state hands out nothing of what it leads to", async (hai) => {
  await accept(hai);
  const { checkpoint_id } = await hai.call("hai_checkpoint");
  hai.write("elsewhere.json", '{"token": "s3cret"}');
  const link = (path: string, to: string) => {
    if (hai.has(path)) Deno.removeSync(`${hai.root}/${path}`);
    Deno.symlinkSync(`${hai.root}/${to}`, `${hai.root}/${path}`);
  };
  link(`home/history/checkpoints/${checkpoint_id}/ACTIVE_CONTEXT.json`, "elsewhere.json");
  const recovered = await hai.call("hai_recover", { checkpoint_id });
  assertRefused(recovered, "state_corrupt", "it is a link");
  // A key that does not start with a digit: the parser would quote it.
  hai.write("owner/owner.key", `${"a5f0552fddd03723".repeat(4)}\n`);
  link("home/.journal.json", "owner/owner.key");
  const stuck = await hai.call("hai_status");
  assertRefused(stuck, "state_corrupt", ".journal.json");
  assert(!JSON.stringify([recovered, stuck]).match(/s3cret|a5f0/));
});
