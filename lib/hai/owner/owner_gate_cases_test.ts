/**
 * Cases HAI-127 to HAI-143: the owner gate and the audit chain, with the default
 * gate, and what decisions changed of them.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  type Answer,
  assertRefused,
  haiCase,
  type HaiHome,
  LEGACY,
} from "../../../tests/util/hai_home.ts";
import { recordHash } from "../state/hashes.ts";

function accept(hai: HaiHome, more: Record<string, unknown> = {}): Promise<Answer> {
  return hai.call("hai_accept_next_step", {
    project_path: hai.project(),
    content: "# do the thing",
    ...more,
  });
}

function wrongCode(code: string): string {
  return code.startsWith("2") ? `3${code.slice(1)}` : `2${code.slice(1)}`;
}

const CANONICAL = "project/Projek-Managment/NEXT_STEP.md";

haiCase("HAI-127", "owner_ack alone is nothing", async (hai) => {
  const refused = await accept(hai, { owner_ack: true });
  assertRefused(refused, "owner_gate_required");
  assertEquals(refused.status, "pending_owner_code");
  assertEquals(hai.has(CANONICAL), false);
});

haiCase("HAI-128", "the code is in the owner's file and nowhere in the state", async (hai) => {
  const asked = await accept(hai, { reason: "agreed" });
  const file = `owner/${asked.challenge_id}.txt`;
  const text = hai.read(file);
  assertMatch(text, /^HAI owner code: [2-9A-HJKMNP-Z]{4}-[2-9A-HJKMNP-Z]{4}\n/);
  for (const shown of ["accept_next_step", "# do the thing", "agreed", hai.project()]) {
    assertStringIncludes(text, shown);
  }
  assertEquals((Deno.statSync(`${hai.root}/${file}`).mode ?? 0) & 0o777, 0o600);
  assertEquals((Deno.statSync(hai.ownerHome).mode ?? 0) & 0o777, 0o700);
  const code = hai.code(asked.challenge_id);
  for (const [path, content] of hai.files("home")) {
    const isThere = content.includes(code) || content.includes(code.replace("-", ""));
    assertEquals(isThere, false, path);
  }
  assertEquals(JSON.stringify(asked).includes(code), false);
});

haiCase("HAI-129", "the right code passes once", async (hai) => {
  const asked = await accept(hai);
  const owner_code = hai.code(asked.challenge_id);
  const done = await accept(hai, { owner_code });
  assertEquals(done.owner_gate.challenge_id, asked.challenge_id);
  assertEquals(done.reason, `owner code accepted (${asked.challenge_id})`);
  const again = await accept(hai, { owner_code });
  assertRefused(again, "owner_gate_required");
  assertEquals(again.detail, "no_pending_challenge");
});

haiCase("HAI-130", "case and separators of a code are free", async (hai) => {
  const asked = await accept(hai);
  const code = hai.code(asked.challenge_id).toLowerCase().replace("-", " ");
  assertEquals((await accept(hai, { owner_code: ` ${[...code].join("_")} ` })).ok, true);
});

haiCase("HAI-131", "three misses end it", async (hai) => {
  const asked = await accept(hai);
  const owner_code = hai.code(asked.challenge_id);
  const misses = [];
  for (let i = 0; i < 3; i++) {
    const miss = await accept(hai, { owner_code: wrongCode(owner_code) });
    assertRefused(miss, "owner_gate_required");
    misses.push([miss.detail, miss.attempts_remaining, miss.status]);
  }
  assertEquals(misses, [
    ["invalid_owner_code", 2, "pending_owner_code"],
    ["invalid_owner_code", 1, "pending_owner_code"],
    ["invalid_owner_code", 0, "cancelled"],
  ]);
  assertEquals((await accept(hai, { owner_code })).detail, "no_pending_challenge");
  const next = await accept(hai);
  assert(next.challenge_id !== asked.challenge_id);
});

haiCase(
  "HAI-132",
  "another content or reason does not pass; the approved one does",
  async (hai) => {
    const asked = await accept(hai, { reason: "agreed" });
    const owner_code = hai.code(asked.challenge_id);
    const other = await accept(hai, { content: "# other", reason: "agreed", owner_code });
    assertEquals(other.detail, "no_pending_challenge");
    const reason = await accept(hai, { reason: "because I can", owner_code });
    assertRefused(reason, "owner_gate_required");
    assertEquals([reason.detail, reason.field], ["reason_mismatch", "reason"]);
    assertEquals([reason.expected, reason.got], ["agreed", "because I can"]);
    const done = await accept(hai, { owner_code });
    assertEquals(done.reason, "agreed", "the reason of the first call is what was approved");
    const unasked = await accept(hai, { content: "# two" });
    const late = await accept(hai, {
      content: "# two",
      reason: "late",
      owner_code: hai.code(unasked.challenge_id),
    });
    assertEquals(late.detail, "reason_mismatch");
  },
);

haiCase("HAI-133", "asking again is the same challenge", async (hai) => {
  const asked = await accept(hai);
  assertEquals(await accept(hai), asked);
  assertEquals(hai.names("owner").filter((name) => name.endsWith(".txt")).length, 1);
  assertEquals((await hai.call("hai_status")).pending_owner_challenges, 1);
});

haiCase("HAI-134", "a code lapses", async (hai) => {
  const asked = await accept(hai);
  hai.pass(600);
  const late = await accept(hai, { owner_code: hai.code(asked.challenge_id) });
  assertEquals(late.detail, "no_pending_challenge");
  assertEquals(hai.json(`home/owner/challenges/${asked.challenge_id}.json`).status, "expired");
  assertEquals((await hai.call("hai_status")).pending_owner_challenges, 0);
  assertStringIncludes(hai.eventTypes().join(), "owner_challenge_expired");
});

haiCase("HAI-135", "a malformed code makes no challenge and counts no try", async (hai) => {
  for (const owner_code of ["abc", "0000-0000", "ÄÄÄÄ-ÄÄÄÄ", "K7F3-M9QWX"]) {
    const refused = await accept(hai, { owner_code });
    assertEquals(refused.detail, "malformed_owner_code");
  }
  assertRefused(await accept(hai, { owner_code: 12345678 }), "invalid_args", "owner_code");
  assertEquals(hai.names("home/owner/challenges"), []);
});

for (const inside of ["", "/deep/er"]) {
  haiCase(
    "HAI-136",
    `an owner home inside the state is refused (${inside || "equal"})`,
    async (hai) => {
      hai.restart({ HAI_OWNER_HOME: `${hai.home}${inside}` });
      const refused = await accept(hai);
      assertRefused(refused, "owner_channel_unavailable", "inside HAI_HOME");
      assertEquals([hai.has("home/deep"), hai.has("home/owner.key")], [false, false]);
      Deno.symlinkSync(hai.home, `${hai.root}/link`);
      hai.restart({ HAI_OWNER_HOME: `${hai.root}/link/x` });
      assertRefused(await accept(hai), "owner_channel_unavailable", "inside HAI_HOME");
    },
  );
}

haiCase("HAI-137", "of four uses at once one passes", async (hai) => {
  const asked = await accept(hai);
  const args = {
    project_path: hai.project(),
    content: "# do the thing",
    owner_code: hai.code(asked.challenge_id),
  };
  const shells = [hai.shell, hai.newShell(), hai.newShell(), hai.newShell()];
  const replies = await Promise.all(
    shells.map((shell) => shell.call("hai_accept_next_step", args)),
  );
  assertEquals(replies.filter((reply) => reply.ok === true).length, 1);
});

haiCase(
  "HAI-138",
  "a recontract shows its diff to agent and owner; the code applies it",
  async (hai) => {
    const { mission_id } = await hai.open();
    const change = (more: Record<string, unknown> = {}) =>
      hai.call("hai_recontract", {
        mission_id,
        contract_version: 1,
        reason: "narrow",
        changes: { objective: "Only the classifier tests" },
        ...more,
      });
    const asked = await change();
    assertEquals([asked.diff.length, asked.mode], [1, "normal"]);
    assertStringIncludes(hai.read(`owner/${asked.challenge_id}.txt`), "Only the classifier tests");
    const done = await change({ owner_code: hai.code(asked.challenge_id) });
    assertEquals([done.contract_version, done.owner_gate.gate], [2, "nonce"]);
  },
);

haiCase("HAI-139", "abandoning waits for the code", async (hai) => {
  const { mission_id } = await hai.open();
  const abandon = (more: Record<string, unknown> = {}) =>
    hai.call("hai_close_mission", {
      mission_id,
      contract_version: 1,
      closure: "abandoned",
      outcome_summary: "no longer needed",
      ...more,
    });
  const asked = await abandon();
  assertRefused(asked, "owner_gate_required");
  assertEquals((await hai.call("hai_status")).active_mission_id, mission_id);
  const done = await abandon({ owner_code: hai.code(asked.challenge_id) });
  assertEquals(done.status, "abandoned");
});

/** A stand-in for an ntfy server. */
function ntfyServer(status: () => number) {
  const posts: { path: string; headers: Headers; body: string }[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      posts.push({
        path: new URL(request.url).pathname,
        headers: request.headers,
        body: await request.text(),
      });
      return new Response(null, { status: status(), headers: { location: "http://127.0.0.1:9/" } });
    },
  );
  return { server, posts, url: `http://127.0.0.1:${server.addr.port}` };
}

haiCase(
  "HAI-140",
  "ntfy: posted with the bearer, the code works, failures leave nothing",
  async (hai) => {
    let status = 200;
    const { server, posts, url } = ntfyServer(() => status);
    const ntfy = {
      HAI_OWNER_CHANNEL: "ntfy",
      HAI_OWNER_NTFY_URL: `${url}/`,
      HAI_OWNER_NTFY_TOPIC: "t0pic-secret",
      HAI_OWNER_NTFY_TOKEN: "tk_secret",
    };
    hai.restart(ntfy);
    const asked = await accept(hai);
    const [post] = posts;
    assertEquals(post?.path, "/t0pic-secret");
    assertEquals(post?.headers.get("authorization"), "Bearer tk_secret");
    assertEquals(
      [post?.headers.get("priority"), post?.headers.get("tags")],
      ["high", "lock"],
    );
    assertStringIncludes(post?.headers.get("title") ?? "", "accept_next_step");
    const code = /^HAI owner code: (\S+)\n/.exec(post?.body ?? "")?.[1];
    assertEquals((await accept(hai, { owner_code: code })).ok, true);
    for (const bad of [500, 302]) {
      status = bad;
      const failed = await accept(hai, { content: `# ${bad}` });
      assertRefused(failed, "owner_channel_unavailable", String(bad));
    }
    assertEquals((await hai.call("hai_status")).pending_owner_challenges, 0);
    await server.shutdown();
    const down = await accept(hai, { content: "# down" });
    assertRefused(down, "owner_channel_unavailable");
    hai.restart({ HAI_OWNER_NTFY_TOPIC: " " });
    const noTopic = await accept(hai, { content: "# none" });
    assertRefused(noTopic, "owner_channel_unavailable", "HAI_OWNER_NTFY_TOPIC");
    assertEquals((await hai.call("hai_status")).pending_owner_challenges, 0);
    const replies = JSON.stringify([asked, down, noTopic]);
    for (const [path, text] of [...hai.files("home"), ["replies", replies] as const]) {
      for (const secret of ["t0pic-secret", "tk_secret"]) {
        assertEquals(text.includes(secret), false, `${secret} in ${path}`);
      }
    }
  },
);

haiCase("HAI-141", "the audit trail has the steps and never the code", async (hai) => {
  const asked = await accept(hai);
  const code = hai.code(asked.challenge_id);
  await accept(hai, { owner_code: wrongCode(code) });
  await accept(hai, { owner_code: code });
  assertEquals(hai.eventTypes(), [
    "owner_challenge_issued",
    "owner_gate_failed",
    "owner_gate_passed",
    "next_step_accepted",
  ]);
  const text = JSON.stringify(hai.events());
  assertEquals(text.includes(code) || text.includes(code.replace("-", "")), false);
});

haiCase("HAI-142", "the chain has no gaps, each link fits, HEAD is the last", async (hai) => {
  const { mission_id } = await hai.open();
  for (let i = 0; i < 5; i++) await hai.authorize(mission_id);
  await hai.call("hai_stop", { day: "d", loop_closed: true, clearer: "", agency_gained: "" });
  const events = hai.events();
  assert(events.length >= 3);
  let before: Answer = null;
  for (const [i, event] of events.entries()) {
    assertEquals(event.seq, i + 1);
    assertEquals(event.prev_event_id, before?.event_id ?? null);
    assertEquals(event.prev_hash, before?.event_hash ?? null);
    assertEquals(event.event_hash, recordHash(event, "event_hash"));
    before = event;
  }
  assertEquals(hai.json("home/audit/HEAD.json"), {
    seq: events.length,
    event_id: before.event_id,
    event_hash: before.event_hash,
  });
}, LEGACY);

haiCase("HAI-143", "every event has its own file", async (hai) => {
  await hai.open({ artifact: "" });
  await hai.open({ artifact: "" });
  await hai.open();
  const ids = hai.events().map((event) => event.event_id);
  assertEquals(new Set(ids).size, 3);
  assertEquals(
    hai.names("home/audit").sort(),
    [...ids.map((id) => `${id}.json`), "HEAD.json"].sort(),
  );
});
