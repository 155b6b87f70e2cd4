import { assertEquals } from "@std/assert";
import { HandTimers, turns } from "../../../tests/util/hand_timers.ts";
import { bare, json, type Scripted, stream } from "../../../tests/util/upstream_rig.ts";
import { listenToUpstream } from "./get_stream.ts";
import type { HeaderList } from "./link.ts";

const note = (n: number) => ({ data: { jsonrpc: "2.0", method: "n", params: { n } } });

/** Listens to an upstream that answers each GET with the next of these; the last one repeats. */
function listening(...answers: readonly Scripted[]) {
  const timers = new HandTimers();
  const abort = new AbortController();
  const opened: HeaderList[] = [];
  const lines: string[] = [];
  let isOver = false;
  const over = listenToUpstream({
    timers,
    signal: abort.signal,
    open: (resumed) => {
      const answer = answers[Math.min(opened.length, answers.length - 1)];
      opened.push(resumed);
      return typeof answer === "object"
        ? Promise.resolve(answer)
        : Promise.reject(new Error(answer ?? "no answer"));
    },
    onLine: (line) => Promise.resolve(void lines.push(new TextDecoder().decode(line))),
  }).then(() => void (isOver = true));
  return { timers, abort, opened, lines, over, isOver: () => isOver };
}

/** What the upstream answers to the GET, and whether it is asked again. */
const ANSWERS: readonly (readonly [why: string, answer: Scripted, isAskedAgain: boolean])[] = [
  ["405 is the rule for an upstream without the stream", bare(405), false],
  ["404 is one, never the loss of the session", bare(404), false],
  ["401 stays 401", bare(401), false],
  ["501 is not implemented", bare(501), false],
  ["a success of another type is no stream", json({}), false],
  ["202 is none either", bare(202), false],
  ["500 may pass", bare(500), true],
  ["503 may pass", bare(503, "text/event-stream"), true],
  ["an upstream that is not reachable may come back", "refused", true],
  ["a stream that ends at once is opened again", stream([]), true],
  ["one that is cut off too", stream([], "breaks"), true],
];

for (const [why, answer, isAskedAgain] of ANSWERS) {
  Deno.test(`listenToUpstream(): ${why}`, async () => {
    const { timers, abort, over, isOver } = listening(answer);
    await turns();
    assertEquals([isOver(), timers.pending], [!isAskedAgain, isAskedAgain ? [500] : []]);
    abort.abort();
    await over;
  });
}

Deno.test("listenToUpstream() waits twice as long after each fruitless stream, 30 s at most", async () => {
  const { timers, abort, over } = listening("refused");
  await turns();
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 8; i++) waits.push(await timers.ring());
  assertEquals(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  abort.abort();
  await over;
});

Deno.test("listenToUpstream() starts its waits anew after a message", async () => {
  const { timers, abort, over, lines } = listening("refused", "refused", stream([note(1)]), "gone");
  await turns();
  assertEquals([await timers.ring(), await timers.ring(), await timers.ring()], [500, 1_000, 500]);
  assertEquals(lines, ['{"jsonrpc":"2.0","method":"n","params":{"n":1}}']);
  abort.abort();
  await over;
});

Deno.test("listenToUpstream() waits as the stream asks for, and longer when that is fruitless", async () => {
  const { timers, abort, over } = listening(stream([{ retryMs: 700 }]));
  await turns();
  assertEquals([await timers.ring(), await timers.ring(), await timers.ring()], [
    700,
    1_000,
    2_000,
  ]);
  abort.abort();
  await over;
});

/** The ids of a stream's events, and the headers that the next GET resumes with. */
const RESUMED: readonly (readonly [why: string, ids: readonly string[], resumed: HeaderList])[] = [
  ["after the last event", ["a", "b"], [["last-event-id", "b"]]],
  ["an empty id takes back the earlier ones", ["a", ""], []],
  ["an id beyond ASCII cannot be a header", ["a", "é"], []],
  ["an id of spaces inside is one", ["a b"], [["last-event-id", "a b"]]],
  ["without an id it begins anew", [], []],
];

for (const [why, ids, resumed] of RESUMED) {
  Deno.test(`listenToUpstream() resumes: ${why}`, async () => {
    const events = ids.map((id) => ({ ...note(1), id }));
    const { timers, abort, opened, over } = listening(stream([...events, note(2)], "breaks"), "x");
    await turns();
    await timers.ring();
    assertEquals(opened, [[], resumed]);
    abort.abort();
    await over;
  });
}

Deno.test("listenToUpstream() takes messages, and no other events", async () => {
  const { lines, abort, timers, over } = listening(stream([
    { data: "not JSON" },
    { data: '{"jsonrpc":"2.0","method":"other"}', type: "ping" },
    { id: "1" },
    { data: '{"jsonrpc":"2.0",\n"method":"a"}', type: "message" },
    { data: '\ufeff{"jsonrpc":"2.0","method":"b"}' },
  ]));
  await turns();
  assertEquals(lines, ['{"jsonrpc":"2.0", "method":"a"}', '{"jsonrpc":"2.0","method":"b"}']);
  assertEquals(timers.pending, [500]);
  abort.abort();
  await over;
});

Deno.test("listenToUpstream() opens nothing for a session that has ended, and ends in a wait", async () => {
  const { abort, opened, over, timers } = listening("refused");
  await turns();
  abort.abort();
  await over;
  assertEquals([opened.length, timers.pending], [1, []]);
  const ended = listenToUpstream({
    timers,
    signal: AbortSignal.abort(),
    open: () => Promise.reject(new Error("it was opened")),
    onLine: () => Promise.reject(new Error("it has a line")),
  });
  assertEquals(await ended, undefined);
});
