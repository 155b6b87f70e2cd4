import { assert, assertEquals } from "@std/assert";
import { bindingCandidates } from "../../flow/binding/bind.ts";
import { FlowDecider } from "../../flow/deciding/decider.ts";
import { argKey } from "../../flow/flow.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import { runFlow } from "../../flow/walking/run_flow.ts";
import { walk } from "../../replay/walk.ts";
import { type Episode, linkEpisode } from "../../trace/episode.ts";
import type { RecordedEvent } from "../../trace/recorded_episode.ts";
import { ConstantCounter, type Constants } from "./constants.ts";
import { sourceOf } from "../episode_source.ts";
import { learnFlow } from "../learn_flow.ts";

const MANIFEST = { domain: "d", tools: { get: "read", search: "read", put: "write" } } as const;
const read = resultReader((text) => text.startsWith("{") ? JSON.parse(text) : text);

type Call = readonly [tool: string, args: Record<string, unknown>, answer?: string];

/** A session of these calls, one a turn. */
function episode(task: string, calls: readonly Call[]): Episode {
  const events: RecordedEvent[] = [];
  calls.forEach(([name, args, content = "done"], i) => {
    const call = { id: String(i), name, arguments: args, by: "agent" as const };
    events.push({ kind: "assistant", text: null, calls: [call], usage: null });
    events.push({ kind: "tool_result", call_id: String(i), name, error: false, content });
  });
  return linkEpisode({
    id: `${task}-s`,
    task_id: task,
    trial: 0,
    domain: "d",
    agent_model: "m",
    reward: 1,
    events,
  });
}

/** What five sessions of four tasks with this search give. */
function found(search: (n: number) => Record<string, unknown>, before: readonly Call[] = []) {
  const counter = new ConstantCounter(MANIFEST, read);
  for (let n = 0; n < 5; n++) counter.add(episode(`t${n % 4}`, [...before, ["search", search(n)]]));
  const { constants, dropped }: Constants = counter.done();
  return [Object.fromEntries(constants), dropped];
}

const LIMIT = argKey("search", "limit");

Deno.test("ConstantCounter takes arguments that had one value in every call", () => {
  assertEquals(found((n) => ({ text: `t${n}`, limit: 20, deep: true, sort: "newest" })), [{
    [argKey("search", "deep")]: true,
    [LIMIT]: 20,
    [argKey("search", "sort")]: "newest",
  }, 0]);
});

Deno.test("ConstantCounter leaves out what differs, is rare, or comes from a result", () => {
  const nothing = [{}, 0];
  assertEquals(found((n) => ({ limit: n })), nothing);
  assertEquals(found((n) => n === 0 ? {} : { limit: 20 }), nothing, "four calls");
  assertEquals(found(() => ({ sort: ["newest"] })), nothing, "a list");
  const shown: Call = ["get", {}, '{"order":"newest","count":20}'];
  assertEquals(found(() => ({ sort: "newest" }), [shown]), nothing, "a result shows it");
  // A number stands in results by chance.
  assertEquals(found(() => ({ limit: 20 }), [shown])[0], { [LIMIT]: 20 });
});

Deno.test("ConstantCounter counts apart what could be somebody's, and what few tasks show", () => {
  const dropped = [{}, 1];
  assertEquals(found(() => ({ user: "lea7" })), dropped);
  assertEquals(found(() => ({ user: "lea@post" })), dropped);
  assertEquals(found(() => ({ limit: 10_000 })), dropped);
  assertEquals(found(() => ({ first_name: "Lea" })), dropped);
  const counter = new ConstantCounter(MANIFEST, read);
  for (let n = 0; n < 6; n++) counter.add(episode(`t${n % 2}`, [["search", { sort: "newest" }]]));
  assertEquals(counter.done(), { constants: new Map(), dropped: 1 });
});

Deno.test("ConstantCounter wants half of the lookup's calls", () => {
  const counter = new ConstantCounter(MANIFEST, read);
  for (let n = 0; n < 5; n++) {
    const bare: Call = ["search", { text: `${n}` }];
    counter.add(episode(`t${n}`, [["search", { limit: 20 }], bare, ...(n === 0 ? [bare] : [])]));
  }
  assertEquals(counter.done().constants, new Map());
});

Deno.test("a flow with constants passes them beside what it binds", async () => {
  const episodes = [1, 2, 3, 4, 5, 6].map((n) =>
    episode(`t${n}`, [
      ["get", { id: `id-${n}` }, `{"from":"A${n}","to":"B${n}"}`],
      ["search", { from: `A${n}`, to: `B${n}`, limit: 20 }],
    ])
  );
  const options = {
    manifest: MANIFEST,
    read,
    provenance: { hoist: "0", compiled_unix_ms: 0 },
    rounds: 0,
  };
  const picks = async (constants: boolean) => {
    const { bindings } = await learnFlow(sourceOf(episodes), { ...options, constants });
    const state = walk(
      episode("t", [["get", { id: "x" }, '{"from":"S","to":"T"}']]),
      MANIFEST,
      read,
    );
    return bindingCandidates(bindings, "search", state).map((pick) => pick.arguments);
  };
  assertEquals(await picks(true), [{ from: "S", to: "T", limit: 20 }]);
  assertEquals(await picks(false), [], "no record holds the limit");
});

Deno.test("a flow says which argument it has nothing for, never a constant", async () => {
  const episodes = [1, 2, 3, 4, 5, 6].map((n) =>
    episode(`t${n}`, [["get", { id: `id-${n}` }], ["search", { limit: 20, text: `t${n}` }]])
  );
  const flow = await learnFlow(sourceOf(episodes), {
    manifest: MANIFEST,
    read,
    provenance: { hoist: "0", compiled_unix_ms: 0 },
    rounds: 0,
    constants: true,
  });
  const state = walk(episode("t", [["get", { id: "x" }]]), MANIFEST, read);
  const site = { tool: "get", failed: false, steps: state.steps };
  const run = runFlow(new FlowDecider(flow, "reach"), state, site, {}, { lookups: 0 });
  const { value } = run.next();
  assert(value !== undefined && "action" in value);
  assertEquals(value.action, {
    kind: "hand_back",
    reason: "search: nothing left to pass as `text`",
  });
});
