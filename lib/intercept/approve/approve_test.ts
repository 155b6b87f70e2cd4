import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { printAnswer } from "../../approval/answer.ts";
import { type KeyedCall, MAX_HELD, printHeld, readHeld } from "../../approval/held_call.ts";
import { compileRules } from "../../guard/rules/compile_rules.ts";
import { checkRuleFile } from "../../guard/rules/rule_file.ts";
import { ChainRig, settled } from "../../../tests/util/chain_rig.ts";
import { ApproveInterceptor } from "./approve.ts";
import { HeldCalls } from "./held_calls.ts";

const START = 1_800_000_000_000;
const RULES = compileRules(
  checkRuleFile({
    hoist_guards: 1,
    rules: [
      {
        id: "p.asked",
        for: ["hold_parcel", "get_parcel"],
        mode: "enforce",
        approve: "args.parcel_id != 'P-0'",
        because: "{args.parcel_id} is held for good",
      },
      { id: "p.no", for: ["*"], mode: "enforce", refuse: "args.parcel_id == 'P-9'", because: "no" },
      { id: "p.log", for: ["*"], mode: "log", refuse: "true", because: "logged" },
    ],
  }, "r"),
  "r",
);

/** A session behind approvals, and the folder they go through. */
function rig({ waitMs = 25_000, isOnce = false } = {}) {
  const calls = new Map<string, KeyedCall>();
  const answers = new Map<string, string>();
  const said: string[] = [];
  const notes: string[] = [];
  const state = { isBroken: false, count: 0 };
  let held: HeldCalls | undefined;
  const session: ChainRig = new ChainRig(null, {
    approve: (ports) => {
      held = new HeldCalls({
        store: {
          put(call) {
            if (state.isBroken) throw new Error("the disk is full");
            calls.set(call.id, call);
          },
          answerTo: (id) => answers.get(id),
          dropAnswer: (id) => void answers.delete(id),
          remove: (id) => void (calls.delete(id), answers.delete(id)),
        },
        waitMs,
        monotonicMs: ports.monotonicMs,
        unixMs: () => START + ports.monotonicMs(),
        randomHex: (bytes) => (++state.count).toString(16).padStart(2 * bytes, "0"),
        later: ports.later,
        say: (line) => void said.push(line),
        server: "parcels",
        rules: { file: "r.yaml", sha256: "00" },
      });
      return new ApproveInterceptor(RULES, {
        held: held.session({ name: "s", isOnce }),
        notify: ports.notify,
        later: ports.later,
        waitMs,
        say: (line) => void said.push(line),
      });
    },
  }, { toHostNote: (line) => void notes.push(new TextDecoder().decode(line)) });
  const answer = (id: string, verdict: "approved" | "denied") => {
    const { call, key } = readHeld(printHeld(calls.get(id) ?? fail(id))) ?? fail(id);
    answers.set(id, printAnswer({ call, key, nowUnixMs: START + session.now }, verdict));
  };
  const hold = (id: unknown, parcel = "P-1", more = {}) =>
    session.call(id, "hold_parcel", { parcel_id: parcel, reason: "x" }, more);
  /** What the host was answered last. */
  const text = () => session.texts().join();
  return {
    session,
    calls,
    answers,
    said,
    notes,
    state,
    answer,
    hold,
    text,
    only: () => [...calls.keys()].join(),
  };
}

function fail(id: string): never {
  throw new Error(`no call ${id} is held`);
}

Deno.test("ApproveInterceptor lets pass what no rule asks about, and refuses what one refuses", () => {
  const { session, hold, text, calls } = rig();
  hold(1, "P-0");
  hold(2, "P-9");
  assertEquals([session.server.length, calls.size], [1, 0]);
  assertMatch(
    text(),
    /^Refused by the policy check, so hold_parcel was not run .*\(policy check p\.no\)/,
  );
});

Deno.test("ApproveInterceptor holds a call until a person says yes, and shows what it is", async () => {
  const { session, hold, calls, answer, only } = rig();
  hold(1);
  session.call(2, "find_sender", { email: "b" }); // Others overtake it.
  assertEquals(session.server.length, 1);
  const { key: _, ...call } = calls.get(only()) ?? fail("any");
  assertEquals(call, {
    hoist_approval: 1,
    id: "000000000001",
    server: "parcels",
    session: "s",
    tool: "hold_parcel",
    arguments: '{"parcel_id":"P-1","reason":"x"}',
    by: "agent",
    why: [{ rule: "p.asked", reason: "P-1 is held for good" }],
    known: [{ rule: "p.no", verdict: "allow" }, { rule: "p.log", verdict: "refuse" }],
    rules: { file: "r.yaml", sha256: "00" },
    asked_unix_ms: START,
    expires_unix_ms: START + 625_000,
  });
  answer(only(), "approved");
  await session.tick(200);
  assertEquals(session.server.length, 2);
  assertStringIncludes(session.server[1] ?? "", '"P-1"');
  assertEquals([calls.size, session.host.length], [0, 0]);
  hold(3); // A yes holds once.
  assertEquals([session.server.length, calls.size], [2, 1]);
});

Deno.test("ApproveInterceptor refuses on a no, and does not ask again for ten minutes", async () => {
  const { session, hold, calls, answer, only, text } = rig();
  hold(1);
  answer(only(), "denied");
  await session.tick(200);
  assertMatch(text(), /P-1 is held for good; a person said no\..*\(approval p\.asked\)\.$/);
  hold(2);
  await settled();
  assertEquals([session.host.length, session.server.length, calls.size], [2, 0, 0]);
  await session.tick(600_000);
  hold(3);
  assertEquals(calls.size, 1);
});

Deno.test("ApproveInterceptor tells the agent to repeat the call, and takes a later yes once", async () => {
  const { session, hold, calls, answer, only, text } = rig();
  hold(1);
  await session.tick(25_000);
  assertMatch(
    text(),
    /nobody has answered yet\. .* waits as 000000000001 .* repeat exactly this call/,
  );
  assertEquals(calls.size, 1);
  await session.tick(60_000);
  answer(only(), "approved");
  await session.tick(60_000);
  hold(2, "P-2"); // Another call.
  assertEquals(session.server.length, 0);
  hold(3);
  await settled();
  assertEquals(session.server.length, 1);
  hold(4);
  await settled();
  assertEquals([session.server.length, calls.size], [1, 2]);
});

Deno.test("ApproveInterceptor takes a yes no longer than ten minutes, nor after the call's time", async () => {
  const { session, hold, answer, only } = rig();
  hold(1);
  await session.tick(25_000);
  answer(only(), "approved");
  await session.tick(600_000);
  hold(2);
  await settled();
  assertEquals(session.server.length, 0);
  const late = rig();
  late.hold(1);
  await late.session.tick(625_001);
  late.answer(late.only(), "approved");
  late.hold(2);
  await settled();
  assertEquals(late.session.server.length, 0);
});

Deno.test("ApproveInterceptor waits again for a repeated call that nobody has answered", async () => {
  const { session, hold, calls, answer, only } = rig();
  hold(1);
  await session.tick(25_000);
  hold(2);
  assertEquals(calls.size, 1);
  answer(only(), "approved");
  await session.tick(200);
  assertEquals([session.server.length, calls.size], [1, 0]);
});

Deno.test("ApproveInterceptor asks about each of two equal calls", async () => {
  const { session, hold, calls, answer } = rig();
  hold(1);
  hold(2);
  assertEquals(calls.size, 2);
  answer("000000000001", "approved");
  await session.tick(200);
  assertEquals([session.server.length, calls.size], [1, 1]);
});

Deno.test("ApproveInterceptor drops a call that its host cancels", async () => {
  const { session, hold, calls } = rig();
  hold(7);
  session.fromHost({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 7 },
  });
  await settled();
  assertEquals([calls.size, session.server.length, session.host.length], [0, 0, 0]);
  assertEquals(session.timers <= 1, true);
});

Deno.test("ApproveInterceptor answers what it holds when the session ends", async () => {
  const { session, hold, calls, text } = rig();
  hold(1);
  await session.session.close();
  await settled();
  assertMatch(text(), /the session ended before a person answered/);
  assertEquals(calls.size, 0);
});

Deno.test("ApproveInterceptor holds at most a hundred calls", () => {
  const { session, hold, calls, text } = rig();
  for (let i = 1; i <= MAX_HELD; i++) hold(i, `P-${i + 100}`);
  assertEquals(calls.size, MAX_HELD);
  hold(101, "P-1");
  return settled().then(() => {
    assertMatch(text(), /100 calls wait for a person already/);
    assertEquals([calls.size, session.server.length], [MAX_HELD, 0]);
  });
});

Deno.test("ApproveInterceptor refuses where the call cannot be put to a person", async () => {
  const { session, hold, state, said, text } = rig();
  state.isBroken = true;
  hold(1);
  await settled();
  assertMatch(text(), /no person could be asked/);
  assertEquals(session.server.length, 0);
  assertMatch(said.join(), /the disk is full/);
});

Deno.test("ApproveInterceptor takes an answer that does not count away, and waits on", async () => {
  const { session, hold, answers, answer, only, said } = rig();
  hold(1);
  answer(only(), "denied");
  answers.set(only(), answers.get(only())?.replace("denied", "approved") ?? "");
  await session.tick(400);
  assertEquals([session.server.length, session.host.length, answers.size], [0, 0, 0]);
  assertMatch(said.join(), /does not count: its seal/);
  answer(only(), "approved");
  await session.tick(200);
  assertEquals(session.server.length, 1);
});

Deno.test("ApproveInterceptor tells a host that asked for progress that a call waits", async () => {
  const { session, hold, notes } = rig();
  hold(1, "P-1", { _meta: { progressToken: "t" } });
  await session.tick(25_000);
  const told = notes.map((line) => JSON.parse(line));
  assertEquals(told.map(({ params }) => params.progress), [-25, -20, -15, -10, -5]);
  assertEquals(told[0], {
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: {
      progressToken: "t",
      progress: -25,
      message: "waiting for a person to approve this call",
    },
  });
  hold(2, "P-2");
  await session.tick(5_000);
  assertEquals(notes.length, 5);
});

Deno.test.each<{ line: string | Uint8Array; why: string; says: RegExp }>([
  {
    line: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold_parcel",' +
      '"arguments":{"parcel_id":"P-0","parcel_id":"P-1"}}}',
    why: "a key twice",
    says: /which servers read in different ways/,
  },
  {
    line: new Uint8Array([
      ...new TextEncoder().encode(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold_parcel",' +
          '"arguments":{"parcel_id":"P-',
      ),
      0xff,
      ...new TextEncoder().encode('"}}}'),
    ]),
    why: "bytes that are not UTF-8",
    says: /is not JSON in UTF-8/,
  },
  {
    line: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold_parcel",' +
      `"arguments":{"parcel_id":"${"P".repeat(70_000)}"}}}`,
    why: "arguments that nobody reads",
    says: /more than 65536 characters/,
  },
])("ApproveInterceptor asks nobody about $why, and refuses", async ({ line, says }) => {
  const { session, calls, text } = rig();
  session.fromHost(line);
  await settled();
  assertMatch(text(), says);
  assertEquals([session.server.length, calls.size], [0, 0]);
});

Deno.test("ApproveInterceptor asks where a rule's condition cannot be checked", () => {
  const { session, calls } = rig();
  session.call(1, "hold_parcel", {});
  assertEquals([session.server.length, calls.size], [0, 1]);
  assertEquals([...calls.values()].map((call) => call.arguments), ["{}"]);
  assertMatch([...calls.values()][0]?.why[0]?.reason ?? "", /could not be checked/);
});

Deno.test("ApproveInterceptor binds a yes to numbers as they are written", async () => {
  const { session, calls, answer } = rig();
  const big = (id: number, n: string) =>
    session.fromHost(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"hold_parcel","arguments":{"parcel_id":"P-1","n":${n}}}}`,
    );
  big(1, "9007199254740992");
  await session.tick(25_000);
  answer("000000000001", "approved");
  big(2, "9007199254740993");
  await settled();
  assertEquals([session.server.length, calls.size], [0, 2]);
  big(3, "9007199254740992");
  await settled();
  assertEquals(session.server.length, 1);
});

Deno.test("ApproveInterceptor promises nothing to a session of one request", async () => {
  const { session, hold, calls, text } = rig({ isOnce: true });
  hold(1);
  await session.tick(25_000);
  assertMatch(text(), /nobody answered in time/);
  assert(!text().includes("repeat"));
  assertEquals(calls.size, 0);
});

Deno.test("ApproveInterceptor holds a batch's calls, each by itself", async () => {
  const { session, calls, answer } = rig();
  const call = (id: number, name: string, args: unknown) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args },
  });
  session.fromHost([
    call(1, "hold_parcel", { parcel_id: "P-1" }),
    call(2, "find_sender", { email: "a" }),
    call(3, "hold_parcel", { parcel_id: "P-2" }),
  ]);
  assertEquals([calls.size, session.server.length], [2, 0]);
  answer("000000000001", "denied");
  answer("000000000003", "approved");
  await session.tick(200);
  assertEquals(session.server.map((line) => JSON.parse(line).map((m: { id: number }) => m.id)), [
    [2, 3],
  ]);
});
