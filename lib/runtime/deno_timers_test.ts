import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { denoTimers } from "./deno_timers.ts";

Deno.test("denoTimers rings once, when its time has come", () => {
  using time = new FakeTime();
  const rung: string[] = [];
  denoTimers.later(20, () => rung.push("late"));
  denoTimers.later(10, () => {
    rung.push("early");
    denoTimers.later(5, () => rung.push("from within"));
  });
  time.tick(9);
  assertEquals(rung, []);
  time.tick(1);
  assertEquals(rung, ["early"]);
  time.tick(100);
  assertEquals(rung, ["early", "from within", "late"]);
});

Deno.test("denoTimers keeps quiet once it is told to", () => {
  using time = new FakeTime();
  const rung: number[] = [];
  const stop = denoTimers.later(10, () => rung.push(1));
  denoTimers.later(10, () => rung.push(2));
  stop();
  time.tick(10);
  assertEquals(rung, [2]);
  stop();
});
