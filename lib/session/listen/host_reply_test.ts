import { assertEquals } from "@std/assert";
import { HandTimers } from "../../../tests/util/hand_timers.ts";
import { ScriptedWire } from "../../../tests/util/listen_rig.ts";
import { HostReply, type HostReplyOptions, REPLY_MOVES } from "./host_reply.ts";
import { Pulse } from "./pulse.ts";

const line = new TextEncoder().encode('{"id":1}');
const EVENT = 'event: message\ndata: {"id":1}\n\n';
const both = { json: true, events: true };

function replying(options: Partial<HostReplyOptions> = {}) {
  const wire = new ScriptedWire();
  return { wire, reply: new HostReply(wire, { accepts: both, ...options }) };
}

/** A host's taste, what is called, and what the wire carries. */
const ROWS: readonly (readonly [
  string,
  HostReplyOptions["accepts"],
  (reply: HostReply) => void,
  string | undefined,
])[] = [
  ["an answer at once is a body", both, (r) => r.finish(line), '200 {"id":1}'],
  [
    "an answer with a status is a body",
    both,
    (r) => r.finish(line, { status: 404 }),
    '404 {"id":1}',
  ],
  ["a message before the answer makes a stream", both, (r) => {
    r.push(line);
    r.finish(line);
  }, EVENT + EVENT],
  ["an event has its id", both, (r) => r.push(line, "1-2"), EVENT.replace("\n", "\nid: 1-2\n")],
  ["a begun reply is a stream", both, (r) => {
    r.begin();
    r.begin();
    r.finish(line, { status: 404 });
  }, EVENT],
  ["a host without streams gets the answer alone", { json: true, events: false }, (r) => {
    r.begin();
    r.push(line);
    r.keepAlive();
    r.finish(line);
  }, '200 {"id":1}'],
  [
    "a host without bodies gets a stream",
    { json: false, events: true },
    (r) => r.finish(line),
    EVENT,
  ],
  ["its end without an answer is 202", both, (r) => r.end(), "202"],
  ["nothing follows the answer", both, (r) => {
    r.finish(line);
    r.push(line);
    r.finish(line);
    r.end();
  }, '200 {"id":1}'],
  ["a quiet stream is kept open", both, (r) => {
    r.keepAlive();
    r.begin();
    r.keepAlive();
  }, ": still here\n\n"],
];

for (const [name, accepts, act, expected] of ROWS) {
  Deno.test(`HostReply: ${name}`, () => {
    const { reply, wire } = replying({ accepts });
    act(reply);
    assertEquals(wire.sent, expected);
  });
}

Deno.test("HostReply begins a stream with its preface and headers", () => {
  const { reply, wire } = replying({ headers: { "x-own": "1" }, preface: () => line });
  reply.begin();
  assertEquals([wire.sent, wire.headers["content-type"], wire.headers["x-own"]], [
    '{"id":1}',
    "text/event-stream",
    "1",
  ]);
});

Deno.test("HostReply tells once that the host has gone, and sends nothing after that", () => {
  for (const begin of [false, true]) {
    let gone = 0;
    const { reply, wire } = replying({ onGone: () => gone++ });
    if (begin) reply.begin();
    const before = wire.sent;
    wire.leave();
    wire.leave();
    reply.push(line);
    reply.finish(line);
    assertEquals([reply.phase, gone, wire.sent], ["gone", 1, before]);
  }
});

Deno.test("HostReply does not take the end of an answered request for a host that hangs up", () => {
  const { reply, wire } = replying({ onGone: () => assertEquals("gone", "") });
  reply.finish(line);
  wire.leave();
  assertEquals(reply.phase, "over");
});

Deno.test("HostReply.room settles when a full stream is read, ends, or is left", async () => {
  for (const end of ["read", "end", "leave"] as const) {
    const { reply, wire } = replying();
    assertEquals(reply.room, undefined, "no stream yet");
    reply.begin();
    assertEquals(reply.room, undefined, "not full");
    wire.isFull = true;
    const { room } = reply;
    if (end === "end") reply.end();
    else wire[end]();
    await room;
    assertEquals(reply.room, undefined);
  }
});

Deno.test("REPLY_MOVES leads nowhere from its ends", () => {
  assertEquals([REPLY_MOVES.over, REPLY_MOVES.gone], [{}, {}]);
});

Deno.test("Pulse turns a slow reply into a stream, keeps it open, and stops with it", async () => {
  const timers = new HandTimers();
  const pulse = new Pulse(timers);
  const { reply, wire } = replying();
  pulse.watch(reply);
  for (let i = 0; i < 2; i++) await timers.ring();
  assertEquals(wire.sent, undefined);
  await timers.ring();
  assertEquals([wire.sent, timers.pending], ["", [25]], "after the third tick of 25 ms");
  for (let i = 3; i < 600; i++) await timers.ring();
  assertEquals(wire.sent, ": still here\n\n", "after 15 seconds");
  reply.finish(line);
  await timers.ring();
  assertEquals(timers.pending, [], "no reply, no clock");
});
