import { assertEquals } from "@std/assert";
import { denoTimers } from "./deno_timers.ts";

Deno.test("denoTimers rings once its time has come, and not once it is stopped", async () => {
  const rung: string[] = [];
  const stop = denoTimers.later(0, () => rung.push("stopped"));
  stop();
  await new Promise<void>((resolve) => {
    denoTimers.later(1, () => {
      rung.push("rung");
      denoTimers.later(0, resolve);
    });
  });
  assertEquals(rung, ["rung"]);
  stop();
});
