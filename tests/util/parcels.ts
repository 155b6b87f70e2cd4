/**
 * The worked example of docs/formats.md: four sessions about parcels, and the flow
 * they give.
 *
 * @module
 */

import type { Flow } from "../../lib/flow/flow.ts";
import { resultReader } from "../../lib/flow/state/read_result.ts";
import { sourceOf } from "../../lib/learn/episode_source.ts";
import { learnFlow } from "../../lib/learn/learn_flow.ts";
import { linkEpisode } from "../../lib/trace/episode.ts";
import type { Episode } from "../../lib/trace/episode.ts";
import type { RecordedEvent } from "../../lib/trace/recorded_episode.ts";

const MANIFEST = {
  domain: "parcels",
  tools: { find_sender: "read", get_parcel: "read", get_sender: "read", hold_parcel: "write" },
} as const;

/** Reads results as JSON, else as text. */
export const read = resultReader((text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
});

/** The four sessions of the formats' worked example: each step in a turn of its own. */
export function parcels(n: number): Episode {
  const events: RecordedEvent[] = [{ kind: "user", text: "Where is it?" }];
  const call = (name: string, args: Record<string, string>, content: string) => {
    const id = String(events.length);
    events.push({
      kind: "assistant",
      text: null,
      calls: [{ id, name, arguments: args, by: "agent" }],
      usage: null,
    });
    events.push({ kind: "tool_result", call_id: id, name, error: false, content });
  };
  const say = () => events.push({ kind: "assistant", text: "Well.", calls: [], usage: null });
  say();
  events.push({ kind: "user", text: "Please." });
  events.splice(1, 2);
  call("find_sender", { email: `lea${n}@post.example` }, `S-${n}`);
  call(
    "get_sender",
    { sender_id: `S-${n}` },
    JSON.stringify({ sender_id: `S-${n}`, parcels: [`P-${n}1`, `P-${n}2`] }),
  );
  call(
    "get_parcel",
    { parcel_id: `P-${n}1` },
    JSON.stringify({ parcel_id: `P-${n}1`, status: "held" }),
  );
  call(
    "get_parcel",
    { parcel_id: `P-${n}2` },
    JSON.stringify({ parcel_id: `P-${n}2`, status: "sent" }),
  );
  say();
  events.push({ kind: "user", text: "Hold the first." });
  call("hold_parcel", { parcel_id: `P-${n}1`, reason: "holiday" }, "held");
  say();
  return linkEpisode({
    id: `s${n}`,
    task_id: `s${n}`,
    trial: 0,
    domain: "parcels",
    agent_model: "glm-5.3",
    reward: 1,
    events,
  });
}

/** The flow of the four sessions. */
export function learned(): Promise<Flow> {
  return learnFlow(sourceOf([1, 2, 3, 4].map((n) => parcels(n))), {
    manifest: MANIFEST,
    read,
    provenance: { hoist: "0.1.0", compiled_unix_ms: 1794480000000 },
    alpha: 0.9,
    rounds: 0,
  });
}

/** The example's rates: seven of eight unmentioned picks of get_parcel were right. */
export function asPrinted(
  flow: Flow,
  namedOther = new Map<string, readonly [number, number]>(),
): Flow {
  const agreed = new Map(
    [
      ["get_parcel", [[7, 8], [0, 0]]],
      ["get_sender", [[4, 4], [0, 0]]],
    ] as const,
  );
  return { ...flow, bindings: { ...flow.bindings, agreed, namedOther } };
}
