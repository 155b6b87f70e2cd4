/**
 * Serving decides what replay decides: episodes are made up, replayed, and played
 * through a session that is acted on, with the same answers.
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { callKey } from "../flow/state/call_key.ts";
import { FlowDecider } from "../flow/deciding/decider.ts";
import { explored, sessionContent } from "../flow/walking/explore.ts";
import { decisionLine } from "../flow/walking/flow_log.ts";
import type { Flow } from "../flow/flow.ts";
import type { RunLimits } from "../flow/walking/run_flow.ts";
import { SURPRISED } from "../flow/deciding/surprise.ts";
import { linkEpisode } from "../trace/episode.ts";
import type { Episode } from "../trace/episode.ts";
import type { RecordedEvent } from "../trace/recorded_episode.ts";
import { contextInterceptor } from "../intercept/context/context.ts";
import { ChainRig, PARCELS } from "../../tests/util/chain_rig.ts";
import { read } from "../../tests/util/parcels.ts";
import { replayEpisode } from "./replay_episode.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

/** A gate that shuts within a few turns. */
const GATED: Flow = { ...PARCELS, surprise: { window: 2, threshold: 9 } };

/** The same answer to the same call, whoever asks and when. */
function answer(tool: string, args: Json): string {
  const n = Number(/\d+/.exec(Object.values(args).join())?.[0]);
  if (tool === "find_sender") return n > 3 ? "Error: no such sender" : `S-${n}`;
  if (tool === "get_sender") {
    return n > 3
      ? "Error: no such sender"
      : JSON.stringify({ sender_id: `S-${n}`, parcels: [`P-${n}`, `P-${n + 3}`] });
  }
  if (tool === "get_parcel" && n > 5) return "Error: no such parcel";
  return tool === "get_parcel" ? `{"parcel_id":"P-${n}"}` : n > 4 ? "Error: too late" : "held";
}

const isError = (content: string) => content.startsWith("Error");

interface PlannedCall {
  readonly name: string;
  readonly arguments: Record<string, string>;
}

/** How an answer comes: as a result, or as one that nothing can be appended to. */
type Shape = "result" | "error" | "task";

/** One turn: what the customer said before it, its calls, and in which order they are answered. */
interface Turn {
  readonly said: string | undefined;
  readonly calls: readonly PlannedCall[];
  readonly order: number;
  /** By call. */
  readonly shapes: readonly Shape[];
}

const anyCall = fc.tuple(
  fc.constantFrom("find_sender", "find_sender", "get_sender", "get_parcel", "hold_parcel"),
  fc.integer({ min: 1, max: 6 }),
).map(([name, n]): PlannedCall => ({
  name,
  arguments: name === "find_sender"
    ? { email: `lea${n}@post.example` }
    : name === "get_sender"
    ? { sender_id: `S-${n}` }
    : name === "get_parcel"
    ? { parcel_id: `P-${n}` }
    : { parcel_id: `P-${n}`, reason: "holiday" },
}));

const anyTurn: fc.Arbitrary<Turn> = fc.record({
  said: fc.option(fc.constantFrom("Where is it?", "P-1, please", "It is P-4 of S-1"), {
    nil: undefined,
  }),
  calls: fc.array(anyCall, { minLength: 1, maxLength: 3 }),
  order: fc.nat(5),
  shapes: fc.array(fc.constantFrom<Shape>("result", "result", "result", "error", "task"), {
    minLength: 3,
    maxLength: 3,
  }),
});

/** Numbers from 0, in one of the orders they can have. */
function shuffled(length: number, order: number): number[] {
  const rest = Array.from({ length }, (_, i) => i);
  const out: number[] = [];
  for (let left = order; rest.length > 0; left = Math.floor(left / 2)) {
    out.push(...rest.splice(left % rest.length, 1));
  }
  return out;
}

/** The answer to a planned call, as the server sends it, and what it says. */
function answerTo({ name, arguments: args }: PlannedCall, shape: Shape = "result") {
  const words = answer(name, args);
  const isNo = isError(words);
  if (shape === "error") {
    const said = { error: true, content: words, no_content: true } as const;
    return { message: { error: { code: -32000, message: words } }, said };
  }
  if (shape === "task") {
    const said = { error: false, content: "", no_content: true } as const;
    return { message: { result: { task: { taskId: "t" } } }, said };
  }
  const content = [{ type: "text", text: words }];
  return {
    message: { result: { content, isError: isNo } },
    said: { error: isNo, content: words },
  };
}

function episodeOf(turns: readonly Turn[]): Episode {
  const events: RecordedEvent[] = [];
  turns.forEach(({ said, calls, order, shapes }, t) => {
    if (said !== undefined) events.push({ kind: "user", text: said });
    const made = calls.map((call, i) => ({ id: `${t}-${i}`, by: "agent" as const, ...call }));
    events.push({ kind: "assistant", text: null, calls: made, usage: null });
    for (const i of shuffled(calls.length, order)) {
      const call = made[i];
      assert(call !== undefined);
      const { id, name } = call;
      const { said } = answerTo(call, shapes[i]);
      events.push({ kind: "tool_result", call_id: id, name, ...said });
    }
  });
  return linkEpisode({
    id: "s",
    task_id: "s",
    trial: 0,
    domain: "parcels",
    agent_model: "m",
    reward: 1,
    events,
  });
}

/** Plays the episode as an agent would that reads what was appended: it repeats no lookup. */
async function served(
  turns: readonly Turn[],
  limits: RunLimits,
  explore: { epsilon: number; seed: number } | undefined,
): Promise<Json[]> {
  const words: string[] = [];
  const poll = () =>
    words.splice(0).map((text) => ({ role: "user" as const, text, line: new Uint8Array() }));
  const rig = new ChainRig({ flow: GATED, limits, explore }, {
    context: contextInterceptor({ poll }),
  });
  const known = new Set<string>();
  for (const [t, { said, calls, order, shapes }] of turns.entries()) {
    if (said !== undefined) words.push(said);
    const made = calls.map((call, i) => ({ id: `${t}-${i}`, ...call })).filter((call) =>
      !known.delete(callKey(call.name, call.arguments))
    );
    for (const { id, name, arguments: args } of made) rig.call(id, name, args);
    const before = rig.flowLog.length;
    for (const i of shuffled(calls.length, order)) {
      const call = made.find(({ id }) => id === `${t}-${i}`);
      if (call === undefined) continue;
      const { message, said: { error } } = answerTo(call, shapes[i]);
      rig.fromServer({ jsonrpc: "2.0", id: call.id, ...message });
      if (call.name === "hold_parcel" && !error) known.clear();
      await rig.serve(answer);
    }
    assertEquals(rig.host.length, made.length, "each call has its result");
    rig.host.length = 0;
    for (const { action, tool, arguments: args } of rig.flowLog.slice(before)) {
      // What failed was not appended.
      if (action === "lookup" && !isError(answer(tool, args))) known.add(callKey(tool, args));
    }
  }
  assertEquals(rig.said, []);
  return rig.flowLog.filter(({ address }) => address);
}

/** A decision's line without what only one side can know. */
function comparable({ after: _, ms: _ms, policy: _policy, ...line }: Json): Json {
  return line;
}

Deno.test("serving decides what replayEpisode() decides", async () => {
  let [lookups, surprised] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTurn, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(0.05, 0.3, 0.6),
      fc.integer({ min: 0, max: 4 }),
      fc.constantFrom(3, 40),
      fc.constantFrom(undefined, 0, 0.5),
      fc.constantFrom("off" as const, 2.5, 4),
      async (turns, threshold, perCall, perSession, epsilon, surprise) => {
        const limits = { threshold, perCall, perSession, surprise };
        const explore = epsilon === undefined ? undefined : { epsilon, seed: 3 };
        const { decisions } = replayEpisode(episodeOf(turns), {
          decider: new FlowDecider(GATED, "reach"),
          limits: explore === undefined ? limits : {
            ...limits,
            amend: (decision, state) =>
              explored(decision, { ...explore, events: sessionContent(state) }).decision,
          },
          read,
          answerer: () => ({
            answer: (tool, args) => {
              const content = answer(tool, args);
              return { error: isError(content), content };
            },
          }),
        });
        const lines = decisions.map(({ decision }): Json =>
          JSON.parse(decisionLine({ after: "0", decision, decider: "reach", ms: 0 }))
        );
        surprised += lines.filter(({ reason }) => reason === SURPRISED).length;
        lookups += lines.filter(({ action }) => action === "lookup").length;
        assertEquals(
          (await served(turns, limits, explore)).map(comparable),
          lines.map(comparable),
        );
      },
    ),
    { numRuns: 300 },
  );
  // How many there are varies with what was made up; these say that the property holds of something.
  assert(
    lookups > 50 && surprised > 0,
    `${lookups} lookups and ${surprised} surprised hand backs were compared`,
  );
});
