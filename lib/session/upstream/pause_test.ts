import { assertEquals } from "@std/assert";
import { HandTimers, turns } from "../../../tests/util/hand_timers.ts";
import { pause } from "./pause.ts";

/** A pause of 70 ms, and whether it is over. */
function pausing(signal: AbortSignal) {
  const timers = new HandTimers();
  const state = { isOver: false };
  pause(timers, 70, signal).then(() => state.isOver = true);
  return { timers, state };
}

Deno.test("pause() ends when its time is over, and not before", async () => {
  const { timers, state } = pausing(new AbortController().signal);
  await turns();
  assertEquals([state.isOver, timers.pending], [false, [70]]);
  await timers.ring();
  assertEquals(state.isOver, true);
});

Deno.test("pause() is cut short by its signal, and takes its timer back", async () => {
  const abort = new AbortController();
  const { timers, state } = pausing(abort.signal);
  abort.abort();
  await turns();
  assertEquals([state.isOver, timers.pending], [true, []]);
});

Deno.test("pause() with a signal that was aborted asks for no timer", async () => {
  const { timers, state } = pausing(AbortSignal.abort());
  await turns();
  assertEquals([state.isOver, timers.pending], [true, []]);
});
