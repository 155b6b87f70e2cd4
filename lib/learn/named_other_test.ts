import { assert, assertEquals } from "@std/assert";
import { FlowDecider } from "../flow/deciding/decider.ts";
import { lenientParser } from "../flow/state/lenient.ts";
import { printFlow } from "../flow/file/print_flow.ts";
import { readFlow } from "../flow/file/read_flow.ts";
import { resultReader } from "../flow/state/read_result.ts";
import { FlowState } from "../flow/state/flow_state.ts";
import { type Episode, linkEpisode } from "../trace/episode.ts";
import type { RecordedEvent } from "../trace/recorded_episode.ts";
import { sourceOf } from "./episode_source.ts";
import { learnFlow } from "./learn_flow.ts";

const manifest = { domain: "trips", tools: { profile: "read", trip: "read" } } as const;
const read = resultReader(await lenientParser());

const idsOf = (n: number) => [1, 2, 3, 4].map((i) => `T${n}${i}`);
const profileOf = (n: number) => JSON.stringify({ trips: idsOf(n) });

/** The customer says something, the agent reads the profile and then these trips, in turn. */
function episode(n: number, said: string, trips: readonly string[]): Episode {
  const calls = [
    { tool: "profile", arguments: { user: `u${n}` }, content: profileOf(n) },
    ...trips.map((id) => ({ tool: "trip", arguments: { id }, content: `{"id":"${id}"}` })),
  ].map(({ tool, arguments: args, content }, i) => ({
    call: { id: String(i), name: tool, arguments: args, by: "agent" as const },
    content,
  }));
  const events: RecordedEvent[] = [{ kind: "user", text: said }];
  for (const { call, content } of calls) {
    const { id: call_id, name } = call;
    events.push({ kind: "assistant", calls: [call], text: null, usage: null });
    events.push({ kind: "tool_result", call_id, name, error: false, content });
  }
  return linkEpisode({
    id: `s${n}`,
    task_id: `t${n}`,
    trial: 0,
    domain: "",
    agent_model: "a",
    reward: 1,
    events,
  });
}

/** Most agents read trip after trip; where a trip was named they read that one, or it and one more. */
const episodes = Array.from({ length: 60 }, (_, n): Episode => {
  if (n % 6 !== 0) return episode(n, "What have I booked?", idsOf(n));
  const [first = "", , third = ""] = idsOf(n);
  return episode(n, `Please cancel ${third}`, n % 12 === 0 ? [third] : [first, third]);
});

Deno.test("learnFlow() trusts the record that was named, however often the first of a list was read", async () => {
  const provenance = { hoist: "test", compiled_unix_ms: 0 };
  const flow = await learnFlow(sourceOf(episodes), { manifest, read, provenance });
  const state = new FlowState(manifest, read);
  state.hear("Please cancel T773");
  state.send("1", "profile", { user: "u77" });
  state.answer("1", false, profileOf(77));
  const site = { tool: "profile", failed: false, steps: state.stepsTo("1") };
  const [option] = new FlowDecider(flow).options(site, state);
  assertEquals(option?.best?.candidate.arguments, { id: "T773" });
  // It came in every session that named one. The counts say 10 of 15 for it, 200 of 200 for others.
  const chance = option?.best?.chance ?? 0;
  assert(chance > 0.85, String(chance));
});

Deno.test("readFlow() takes a flow that says nothing of a margin as it was meant", async () => {
  const provenance = { hoist: "test", compiled_unix_ms: 0 };
  const flow = await learnFlow(sourceOf(episodes), { manifest, read, provenance });
  const text = printFlow(flow);
  assertEquals(readFlow(text, "new").cues?.choiceMargin, 0.1);
  const { choice_margin, ...cues } = JSON.parse(text).cues;
  assertEquals(choice_margin, 0.1);
  const older = JSON.stringify({ ...JSON.parse(text), cues });
  assertEquals(readFlow(older, "old").cues?.choiceMargin, 0.001);
});
