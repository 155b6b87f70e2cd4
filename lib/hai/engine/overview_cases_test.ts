/**
 * Cases HAI-001 to HAI-029: health, status, lanes, inbox, next step, artifacts,
 * checkpoints.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertRefused, haiCase, LEGACY } from "../../../tests/util/hai_home.ts";

haiCase("HAI-001", "health with a valid project", async (hai) => {
  const link = `${hai.root}/link`;
  Deno.symlinkSync(hai.project(), link);
  const health = await hai.call("hai_health", { project_path: link });
  assertEquals(health.ok, true);
  assertEquals(health.model_calls, false);
  assertEquals(health.hai_home_writable, true);
  assertEquals(health.project_path, hai.project());
  assertEquals(health.artifact_dir_exists, false);
});

haiCase(
  "HAI-002",
  "health in nonce mode reports the owner home and does not make it",
  async (hai) => {
    const { owner_gate } = await hai.call("hai_health");
    assertEquals(owner_gate, {
      mode: "nonce",
      max_attempts: 3,
      code_ttl_seconds: 600,
      channel: "file",
      owner_home: hai.ownerHome,
    });
    assertEquals(hai.has("owner"), false);
  },
);

haiCase("HAI-003", "health in legacy mode warns", async (hai) => {
  const { owner_gate } = await hai.call("hai_health");
  assertStringIncludes(owner_gate.warning, "honor system");
  assertEquals(owner_gate.channel, undefined);
}, LEGACY);

haiCase("HAI-004", "health is honest about what it is", async (hai) => {
  const health = await hai.call("hai_health");
  assertEquals(health.kernel, "contract_kernel");
  assertEquals(health.authenticated_owner, false);
  assertEquals(health.semantic_verification, false);
  assertEquals(health.projects, []);
  assertEquals(health.config_warnings, undefined);
});

haiCase(
  "HAI-005",
  "an unknown gate is nonce with a warning; ack is the legacy gate",
  async (hai) => {
    const health = await hai.call("hai_health");
    assertEquals(health.owner_gate.mode, "nonce");
    assertStringIncludes(health.config_warnings.join(), "HAI_OWNER_GATE");
    hai.restart({ HAI_OWNER_GATE: " ACK " });
    assertEquals((await hai.call("hai_health")).owner_gate.mode, "ack_legacy");
  },
  { env: { HAI_OWNER_GATE: "trust-me" } },
);

haiCase(
  "HAI-006",
  "a lifetime that is no number, or too short, is set right with a warning",
  async (hai) => {
    for (const [given, used] of [["abc", 600], ["5", 30], ["-1", 30], ["1.5", 600]] as const) {
      hai.restart({ HAI_OWNER_CODE_TTL: given });
      const health = await hai.call("hai_health");
      assertEquals(health.owner_gate.code_ttl_seconds, used);
      assertStringIncludes(health.config_warnings.join(), "HAI_OWNER_CODE_TTL");
    }
  },
);

haiCase("HAI-007", "an unknown channel is file with a warning", async (hai) => {
  const health = await hai.call("hai_health");
  assertEquals(health.owner_gate.channel, "file");
  assertStringIncludes(health.config_warnings.join(), "HAI_OWNER_CHANNEL");
}, { env: { HAI_OWNER_CHANNEL: "pigeon" } });

haiCase("HAI-008", "a missing or blank project is refused", async (hai) => {
  const missing = await hai.call("hai_health", { project_path: `${hai.root}/nowhere` });
  assertRefused(missing, "missing_project");
  assertRefused(await hai.call("hai_health", { project_path: "  " }), "invalid_args");
  assertRefused(
    await hai.call("hai_health", { project_path: "project" }),
    "invalid_args",
    "absolute",
  );
});

haiCase("HAI-009", "parking leaves the lanes alone", async (hai) => {
  await hai.call("hai_set_focus", { focus_id: "eval" });
  const parked = await hai.call("hai_park", { text: "try property tests", tags: ["idea", " "] });
  assertEquals([parked.active_unchanged, parked.active_count], [true, 1]);
  assertEquals((await hai.call("hai_status")).inbox_count, 1);
  const [name = ""] = hai.names("home/inbox");
  assertMatch(name, /^park_\d{8}T\d{6}_\d+_[0-9a-f]{8}\.md$/);
  const text = hai.read(`home/inbox/${name}`);
  assertMatch(
    text,
    /^# Parked thought\n- created: \S+[+-]\d{4}\n- tags: idea\n\ntry property tests\n$/,
  );
});

haiCase("HAI-010", "a third lane is refused and nothing is written", async (hai) => {
  await hai.call("hai_set_focus", { focus_id: "one" });
  await hai.call("hai_set_focus", { focus_id: "two" });
  const before = hai.read("home/ACTIVE_CONTEXT.json");
  const refused = await hai.call("hai_set_focus", { focus_id: "three" });
  assertRefused(refused, "max_active_lanes");
  assertEquals(refused.active.map((lane: { id: string }) => lane.id), ["one", "two"]);
  assertEquals(hai.read("home/ACTIVE_CONTEXT.json"), before);
});

haiCase("HAI-011", "focusing a lane again updates its label", async (hai) => {
  await hai.call("hai_set_focus", { focus_id: "one" });
  const again = await hai.call("hai_set_focus", { focus_id: " one ", label: "First" });
  assertEquals([again.active_count, again.active[0].label, again.focus_id], [1, "First", "one"]);
});

haiCase("HAI-012", "focus with a bad project writes nothing", async (hai) => {
  await hai.call("hai_status");
  const before = hai.read("home/ACTIVE_CONTEXT.json");
  const refused = await hai.call("hai_set_focus", { focus_id: "x", project_path: "/nowhere/x" });
  assertRefused(refused, "missing_project");
  assertRefused(await hai.call("hai_set_focus", { focus_id: " " }), "invalid_args");
  assertEquals(hai.read("home/ACTIVE_CONTEXT.json"), before);
});

haiCase("HAI-013", "blank thoughts are refused; two in one second are two files", async (hai) => {
  assertRefused(await hai.call("hai_park", { text: " \n" }), "invalid_args");
  await hai.call("hai_park", { text: "a" });
  await hai.call("hai_park", { text: "b" });
  assertEquals(hai.names("home/inbox").length, 2);
});

haiCase("HAI-014", "a server elsewhere leaves ~/.hai alone", async (hai) => {
  await hai.call("hai_health");
  await hai.call("hai_set_focus", { focus_id: "x" });
  assertEquals(hai.names(""), ["home"]); // The test's user home is the folder above.
});

haiCase("HAI-015", "a proposal is not canonical; blank ones are refused", async (hai) => {
  const path = hai.project();
  const proposed = await hai.call("hai_propose_next_step", {
    project_path: path,
    content: "# do the thing",
  });
  assertEquals(proposed.canonical, false);
  const text = hai.read("project/Projek-Managment/NEXT_STEP.proposed.md");
  assertMatch(text, /^<!-- proposed by hai-mcp at \S+; not canonical .*-->\n\n# do the thing\n$/);
  const blank = await hai.call("hai_propose_next_step", { project_path: path, content: " " });
  assertRefused(blank, "invalid_args");
});

haiCase("HAI-016", "legacy: only a literal true acknowledges", async (hai) => {
  const path = hai.project();
  for (const owner_ack of [false, null, 0, 1, "true"]) {
    const refused = await hai.call("hai_accept_next_step", {
      project_path: path,
      content: "x",
      reason: "y",
      owner_ack,
    });
    assertRefused(refused, "owner_gate_required");
    assertEquals(refused.gate, "ack_legacy");
  }
  assertEquals(hai.has("project/Projek-Managment/NEXT_STEP.md"), false);
}, LEGACY);

haiCase("HAI-017", "legacy: a blank reason is refused", async (hai) => {
  const refused = await hai.call("hai_accept_next_step", {
    project_path: hai.project(),
    content: "x",
    reason: " ",
    owner_ack: true,
  });
  assertRefused(refused, "owner_gate_required", "reason");
}, LEGACY);

haiCase(
  "HAI-018",
  "legacy: acknowledged with a reason, the proposal becomes canonical",
  async (hai) => {
    const path = hai.project();
    await hai.call("hai_propose_next_step", { project_path: path, content: "# step" });
    const done = await hai.call("hai_accept_next_step", {
      project_path: path,
      reason: "agreed",
      owner_ack: true,
    });
    assertEquals(done.owner_gate, { gate: "ack_legacy" });
    const canonical = hai.read("project/Projek-Managment/NEXT_STEP.md");
    assertMatch(
      canonical,
      /^# step\n\n---\n_Accepted via hai-mcp_\n- at: \S+\n- reason: agreed\n- gate: ack_legacy\n$/,
    );
    assertEquals(hai.has("project/Projek-Managment/NEXT_STEP.proposed.md"), false);
    const [record = ""] = hai.names("project/Projek-Managment/history");
    assertMatch(record, /^accept_\d{8}T\d{6}\.json$/);
    assertEquals(hai.json(`project/Projek-Managment/history/${record}`).event, "accept_next_step");
  },
  LEGACY,
);

haiCase("HAI-019", "nothing to accept", async (hai) => {
  const refused = await hai.call("hai_accept_next_step", { project_path: hai.project() });
  assertRefused(refused, "no_proposal");
});

haiCase("HAI-020", "get before and after accepting", async (hai) => {
  const path = hai.project();
  const before = await hai.call("hai_get_next_step", { project_path: path });
  assertEquals([before.exists, before.content, before.source], [false, null, "none"]);
  const accept = { project_path: path, content: "x", reason: "r", owner_ack: true };
  await hai.call("hai_accept_next_step", accept);
  const after = await hai.call("hai_get_next_step", { project_path: path });
  assertEquals([after.exists, after.source], [true, "canonical"]);
  assertStringIncludes(after.content, "x\n\n---\n");
}, LEGACY);

haiCase(
  "HAI-021",
  "a second accept keeps the previous canonical, also in one second",
  async (hai) => {
    const path = hai.project();
    const accept = (content: string) =>
      hai.call("hai_accept_next_step", {
        project_path: path,
        content,
        reason: "r",
        owner_ack: true,
      });
    for (const content of ["first", "second", "third"]) await accept(content);
    const kept = hai.names("project/Projek-Managment/history")
      .filter((name) => name.endsWith("_prev.md"))
      .map((name) => hai.read(`project/Projek-Managment/history/${name}`).split("\n")[0]);
    assertEquals(kept.sort(), ["first", "second"]);
  },
  LEGACY,
);

haiCase("HAI-022", "an artifact folder that leads out is refused", async (hai) => {
  const path = hai.project();
  hai.write("outside/NEXT_STEP.md", "secret");
  Deno.symlinkSync(`${hai.root}/outside`, `${path}/Projek-Managment`);
  for (
    const [tool, args] of [
      ["hai_propose_next_step", { project_path: path, content: "x" }],
      ["hai_read_artifacts", { project_path: path }],
      ["hai_get_next_step", { project_path: path }],
      ["hai_accept_next_step", { project_path: path, content: "x" }],
    ] as const
  ) {
    assertRefused(await hai.call(tool, args), "path_outside_root");
  }
  assertEquals(hai.names("outside"), ["NEXT_STEP.md"]);
  assertEquals(hai.read("outside/NEXT_STEP.md"), "secret");
});

haiCase("HAI-023", "an artifact that leads out is refused or left out", async (hai) => {
  const path = hai.project();
  hai.write("outside.md", "secret");
  hai.write("project/Projek-Managment/BRIEFING.md", "ok");
  Deno.symlinkSync(`${hai.root}/outside.md`, `${path}/Projek-Managment/NEXT_STEP.md`);
  assertRefused(await hai.call("hai_get_next_step", { project_path: path }), "path_outside_root");
  assertEquals((await hai.call("hai_read_artifacts", { project_path: path })).present, [
    "BRIEFING.md",
  ]);
  const saved = await hai.call("hai_checkpoint", { project_path: path });
  assertEquals(Object.keys(saved.meta.artifacts), ["BRIEFING.md"]);
  const accepted = await hai.call("hai_accept_next_step", { project_path: path, content: "x" });
  assertRefused(accepted, "path_outside_root");
});

haiCase("HAI-024", "max_chars is an integer and is moved inside its bounds", async (hai) => {
  const path = hai.project();
  hai.write("project/Projek-Managment/PROMPT.md", "é😀".repeat(20000));
  for (const max_chars of [0, "10", true, 1.5, null]) {
    const refused = await hai.call("hai_read_artifacts", { project_path: path, max_chars });
    assertRefused(refused, "invalid_args", "max_chars");
  }
  for (const [given, used] of [[1, 500], [99999, 20000], [777, 777]] as const) {
    const read = await hai.call("hai_read_artifacts", { project_path: path, max_chars: given });
    const { content, chars, truncated } = read.artifacts["PROMPT.md"];
    assertEquals([[...content].length, chars, truncated], [used, 40000, true]);
  }
});

haiCase("HAI-025", "the marker line of a proposal is not accepted", async (hai) => {
  const path = hai.project();
  await hai.call("hai_propose_next_step", { project_path: path, content: "# step" });
  await hai.call("hai_accept_next_step", { project_path: path, reason: "r", owner_ack: true });
  const canonical = hai.read("project/Projek-Managment/NEXT_STEP.md");
  assertEquals(canonical.includes("proposed by"), false);
}, LEGACY);

haiCase("HAI-026", "a checkpoint can be recovered", async (hai) => {
  const path = hai.project();
  await hai.call("hai_set_focus", { focus_id: "eval", project_path: path });
  await hai.call("hai_propose_next_step", { project_path: path, content: "# step" });
  const saved = await hai.call("hai_checkpoint", { note: "before refactor", project_path: path });
  const id = saved.checkpoint_id;
  const back = await hai.call("hai_recover", { checkpoint_id: id });
  assertEquals([back.mode, back.checkpoint_id], ["from_checkpoint", id]);
  assertEquals(back.meta, saved.meta);
  assertEquals(back.snapshot_active.focus_id, "eval");
  assert(back.next_action.length > 0);
  const copy = hai.read(`home/history/checkpoints/${id}/project/NEXT_STEP.proposed.md`);
  assertStringIncludes(copy, "# step");
  const second = await hai.call("hai_checkpoint", {});
  assert(second.checkpoint_id !== id, "two checkpoints in one second are two");
  assertEquals((await hai.call("hai_recover")).checkpoint_id, second.checkpoint_id);
});

haiCase("HAI-027", "recover without checkpoints", async (hai) => {
  assertEquals((await hai.call("hai_recover")).mode, "no_checkpoint");
  const failed = await hai.call("hai_checkpoint", { project_path: "/nowhere/x" });
  assertRefused(failed, "missing_project");
  assertEquals((await hai.call("hai_recover")).mode, "no_checkpoint");
});

haiCase("HAI-028", "an unknown checkpoint is refused", async (hai) => {
  const refused = await hai.call("hai_recover", { checkpoint_id: "20200101T000000" });
  assertRefused(refused, "invalid_args");
});

haiCase("HAI-029", "a checkpoint id cannot lead elsewhere", async (hai) => {
  await hai.call("hai_checkpoint");
  hai.write("home/history/x/meta.json", "{}");
  hai.write("outside/meta.json", '{"at":"x","active":[]}');
  Deno.symlinkSync(`${hai.root}/outside`, `${hai.home}/history/checkpoints/20990101T000000`);
  for (
    const id of ["../../x", "../x", "/etc", `${hai.root}/outside`, "..", "20990101T000000", "a\0b"]
  ) {
    const refused = await hai.call("hai_recover", { checkpoint_id: id });
    assertRefused(refused, "invalid_args");
  }
});
