import { assertEquals } from "@std/assert";
import { HandTimers } from "../../../tests/util/hand_timers.ts";
import { ScriptedWire } from "../../../tests/util/listen_rig.ts";
import { HostReply } from "./host_reply.ts";
import { Pulse } from "./pulse.ts";

const line = new TextEncoder().encode("{}");

/** A pulse, and replies it watches. */
function watching(...accepted: readonly boolean[]) {
  const timers = new HandTimers();
  const pulse = new Pulse(timers);
  const replies = accepted.map((events) => {
    const wire = new ScriptedWire();
    const reply = new HostReply(wire, { accepts: { json: true, events } });
    pulse.watch(reply);
    return { reply, wire };
  });
  const ticks = async (count: number) => {
    for (let i = 0; i < count; i++) await timers.ring();
  };
  return { timers, pulse, replies, ticks };
}

Deno.test("Pulse rings one clock for all replies, and none without a reply", () => {
  assertEquals(watching().timers.pending, []);
  assertEquals(watching(true, true, true).timers.pending, [25]);
});

Deno.test("Pulse turns a reply into a stream at its third tick, not one that takes none", async () => {
  const { replies, ticks } = watching(true, false);
  await ticks(2);
  assertEquals(replies.map(({ reply }) => reply.phase), ["open", "open"]);
  await ticks(1);
  assertEquals(replies.map(({ reply }) => reply.phase), ["events", "open"]);
});

Deno.test("Pulse counts a reply's ticks from when it was watched", async () => {
  const { pulse, replies, ticks } = watching(true);
  await ticks(2);
  const late = new HostReply(new ScriptedWire(), { accepts: { json: true, events: true } });
  pulse.watch(late);
  await ticks(2);
  assertEquals([replies[0]?.reply.phase, late.phase], ["events", "open"]);
});

Deno.test("Pulse writes a comment into a stream that is quiet for 15 seconds", async () => {
  const { replies: [one], ticks } = watching(true);
  await ticks(599);
  assertEquals(one?.wire.sent, "");
  await ticks(1);
  const once = one?.wire.sent ?? "";
  assertEquals([once.startsWith(":"), once.endsWith("\n\n"), one?.wire.messages], [true, true, []]);
  await ticks(600);
  assertEquals(one?.wire.sent, once + once);
});

Deno.test("Pulse stops its clock with the last reply, and starts it for the next", async () => {
  const { timers, pulse, replies: [one], ticks } = watching(true);
  one?.reply.finish(line);
  await ticks(1);
  assertEquals(timers.pending, []);
  pulse.watch(new HostReply(new ScriptedWire(), { accepts: { json: true, events: true } }));
  assertEquals(timers.pending, [25]);
});

Deno.test("Pulse.stop() forgets what it watched", async () => {
  const { timers, pulse, replies: [one], ticks } = watching(true);
  pulse.stop();
  assertEquals(timers.pending, []);
  await ticks(5);
  assertEquals(one?.reply.phase, "open");
});
