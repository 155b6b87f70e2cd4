import { assertEquals, assertStringIncludes } from "@std/assert";
import type { HeldCall } from "../../approval/held_call.ts";
import type { Answering, PersonsAnswer, WaitingCall } from "../../ports/approval_desk.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { approveCommand } from "./approve_command.ts";

function waiting(id: string): WaitingCall {
  const call: HeldCall = {
    hoist_approval: 1,
    id,
    server: "shop",
    session: "s",
    tool: "refund",
    arguments: '{"amount":250}',
    by: "agent",
    why: [{ rule: "shop.big", reason: "250 is much" }],
    known: [],
    rules: { file: "r", sha256: "00" },
    asked_unix_ms: 0,
    expires_unix_ms: 1,
  };
  return { call, fingerprint: `shown-${id}` };
}

/** One run at a terminal where somebody types; the input ends after the last line. */
async function run(
  args: readonly string[],
  { calls = [waiting("a")], typed = [], hasTerminal = true, came = "done" }: {
    calls?: WaitingCall[];
    typed?: string[];
    hasTerminal?: boolean;
    came?: Answering;
  } = {},
) {
  const out: string[] = [];
  const err: string[] = [];
  const answers: PersonsAnswer[] = [];
  const folders = new Set<string>();
  let left = calls;
  const runtime = {
    say: (line: string) => void err.push(line),
    print: (text: string) => void out.push(text),
    env: (name: string) => name === "HOME" ? "/home/you" : undefined,
  } as Runtime;
  const status = await approveCommand(args, runtime, {
    desk: {
      waiting: (dir) => (folders.add(dir), left),
      answer(_dir, answer) {
        answers.push(answer);
        left = left.filter(({ call }) => call.id !== answer.id);
        return came;
      },
      hasTerminal,
      ask: () => typed.shift(),
      pause: () => {
        left = [waiting("late")];
        return Promise.resolve();
      },
    },
  });
  return { status, out: out.join("\n"), err: err.join("\n"), answers, folders };
}

Deno.test("hoist approve list shows what waits, without a terminal too", async () => {
  const { status, out, folders } = await run(["list"], { hasTerminal: false });
  assertEquals([status, [...folders]], [0, ["/home/you/.hoist/approvals"]]);
  assertEquals(out, "a  refund  on shop  250 is much");
  assertEquals((await run(["list"], { calls: [] })).out, "Nothing waits for you.");
});

Deno.test.each<{ args: string[] }>([{ args: [] }, { args: ["yes"] }, { args: ["no", "a"] }])(
  "hoist approve $args answers at a terminal only",
  async ({ args }) => {
    const { status, err, answers } = await run(args, { hasTerminal: false, typed: ["yes"] });
    assertEquals([status, answers], [1, []]);
    assertStringIncludes(err, "a person answers at a terminal");
  },
);

Deno.test("hoist approve yes shows the call whole, and answers what was shown", async () => {
  const { status, out, answers } = await run(["yes", "a"], { typed: [" yes "] });
  assertEquals(status, 0);
  assertEquals(answers, [{ id: "a", fingerprint: "shown-a", verdict: "approved" }]);
  for (const part of ['"amount": 250', "250 is much", "shop", "a: approved."]) {
    assertStringIncludes(out, part);
  }
  const no = await run(["no"], { typed: ["no"] });
  assertEquals(no.answers, [{ id: "a", fingerprint: "shown-a", verdict: "denied" }]);
});

Deno.test("hoist approve decides nothing by another word, another id, or where several wait", async () => {
  const two = [waiting("a"), waiting("b")];
  for (
    const tried of [
      await run(["yes", "a"], { typed: ["y"] }),
      await run(["yes", "a"], { typed: ["no"] }),
      await run(["no", "a"], { typed: ["yes"] }),
      await run(["yes", "a"]),
      await run(["yes", "c"], { typed: ["yes"] }),
      await run(["yes"], { calls: two, typed: ["yes"] }),
      await run(["yes"], { calls: [], typed: ["yes"] }),
    ]
  ) assertEquals([tried.status, tried.answers], [1, []]);
});

Deno.test.each<{ came: Answering; says: string }>([
  { came: "gone", says: "a: it does not wait any more" },
  { came: "changed", says: "a: it is not what you were shown" },
  { came: "answered", says: "a: it has been answered already" },
])("hoist approve says that an answer came to nothing: $came", async ({ came, says }) => {
  const { status, out } = await run(["yes", "a"], { typed: ["yes"], came });
  assertEquals(status, 1);
  assertStringIncludes(out, says);
});

Deno.test("hoist approve watches: asks about each call, leaves one, and waits for more", async () => {
  const calls = [waiting("a"), waiting("b"), waiting("c")];
  const { status, answers, out } = await run([], { calls, typed: ["yes", "", "no", "no"] });
  assertEquals(status, 0);
  assertEquals(answers.map(({ id, verdict }) => [id, verdict]), [
    ["a", "approved"],
    ["c", "denied"],
    ["late", "denied"],
  ]);
  assertStringIncludes(out, "b: left; 'hoist approve yes b' answers it later.");
});

Deno.test("hoist approve refuses wrong usage", async () => {
  for (const args of [["approve"], ["list", "a"], ["yes", "a", "b"], ["watch", "a"]]) {
    assertEquals((await run(args)).status, 2);
  }
});
