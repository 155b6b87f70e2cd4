import { assert, assertEquals } from "@std/assert";
import { asPrinted, learned, read } from "../../../tests/util/parcels.ts";
import { FlowDecider, habitAfter } from "./decider.ts";
import { runFlow } from "../walking/run_flow.ts";
import { FlowState } from "../state/flow_state.ts";
import { surpriseGate, SurpriseMeter } from "./surprise.ts";
import { SESSION_START, symbolOf } from "../symbols.ts";

const flow = asPrinted(await learned());
const FIND = symbolOf(1, "ok", 0);

/** A session whose agent looks its sender up, over and over. */
function odd(state: FlowState, times: number): void {
  for (let i = 0; i < times; i++) {
    state.send(`f${i}`, "find_sender", { email: `${i}` });
    state.answer(`f${i}`, false, `S-${i}`);
  }
}

Deno.test("SurpriseMeter scores the agent's steps after calls that have lookups to offer", () => {
  const state = new FlowState(flow.manifest, read);
  const meter = state.watch = new SurpriseMeter(flow, 1);
  state.hear("Where is it?");
  state.send("1", "find_sender", { email: "a" });
  assertEquals(meter.mean, undefined, "nothing was offered before the first call");
  state.answer("1", false, "S-1");
  state.send("2", "get_sender", { sender_id: "S-1" });
  assertEquals(meter.mean, -Math.log(habitAfter(flow, [SESSION_START, FIND], "get_sender")));
  const before = meter.mean;
  state.send("3", "get_sender", { sender_id: "S-2" });
  assertEquals(meter.mean, before, "the call before waits: they are of one turn");
});

Deno.test("SurpriseMeter takes what is not offered for handing back", () => {
  const state = new FlowState(flow.manifest, read);
  const meter = state.watch = new SurpriseMeter(flow, 1);
  state.send("1", "find_sender", { email: "a" });
  state.answer("1", false, "S-1");
  state.say("Well.");
  assertEquals(meter.mean, -Math.log(1 - habitAfter(flow, [SESSION_START, FIND], "get_sender")));
});

Deno.test("SurpriseMeter leaves the flow's own lookups out", () => {
  const state = new FlowState(flow.manifest, read);
  const meter = state.watch = new SurpriseMeter(flow, 1);
  state.send("1", "find_sender", { email: "a" });
  state.answer("1", false, "S-1");
  state.send("2", "get_sender", { sender_id: "S-1" }, true);
  assertEquals(meter.mean, undefined);
});

Deno.test("a surprised flow hands back for the rest of the session, and says why", () => {
  const act = (surprise: "off" | number | undefined, times: number) => {
    const state = new FlowState(flow.manifest, read);
    state.watch = surpriseGate(flow, surprise);
    odd(state, times);
    const site = { tool: "find_sender", failed: false, steps: state.steps };
    const run = runFlow(new FlowDecider(flow, "reach"), state, site, {}, { lookups: 0 });
    const { value } = run.next();
    assert(value !== undefined && "action" in value);
    return value.action.kind === "hand_back" ? value.action.reason : value.action.tool;
  };
  assertEquals(act(2, 5), "get_sender", "four steps are no window of five");
  assertEquals(act(2, 6), "the session surprised the flow");
  assertEquals(act(20, 6), "get_sender");
  assertEquals(act("off", 6), "get_sender");
  assertEquals(act(undefined, 6), "get_sender", "the flow has no gate");
});

Deno.test("surpriseGate() is the flow's own but for what is given", () => {
  const gated = { ...flow, surprise: { window: 2, threshold: 2 } };
  const isShut = (surprise: "off" | number | undefined, times: number) => {
    const state = new FlowState(flow.manifest, read);
    state.watch = surpriseGate(gated, surprise);
    odd(state, times);
    return state.watch?.isShut;
  };
  assertEquals([isShut(undefined, 2), isShut(undefined, 3)], [false, true]);
  assertEquals([isShut(20, 3), isShut("off", 3)], [false, undefined]);
});

Deno.test("a shut gate stays shut", () => {
  const state = new FlowState(flow.manifest, read);
  state.watch = surpriseGate(flow, 2);
  odd(state, 6);
  for (let i = 0; i < 10; i++) {
    state.send(`g${i}`, "get_sender", { sender_id: `S-${i}` });
    state.answer(`g${i}`, false, "{}");
  }
  assertEquals(state.watch?.isShut, true);
});
