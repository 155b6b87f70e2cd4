import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { BORN, type Effect, type Life, type LifeEvent, step } from "./life.ts";

const LIMITS = { exitGraceMs: 30_000 };

/** Plays events; `phase: effects` after each. */
function play(...events: readonly LifeEvent[]): string[] {
  let life: Life = BORN;
  return events.map((event) => {
    const [next, effects] = step(life, event, LIMITS);
    life = next;
    const code = next.phase === "closed" ? ` ${next.code}` : "";
    return `${next.phase}${code}: ${effects.map(show).join(", ")}`;
  });
}

function show(effect: Effect): string {
  switch (effect.kind) {
    case "signal":
      return effect.signal;
    case "watchQuiet":
    case "deadline":
      return `${effect.kind} ${effect.ms}`;
    default:
      return effect.kind;
  }
}

const hostEof = { kind: "hostEof" } as const;
const hostGone = { kind: "hostGone" } as const;
const serverEof = { kind: "serverEof" } as const;
const quiet = { kind: "quiet" } as const;
const deadline = { kind: "deadline" } as const;
const term = { kind: "signal", signal: "SIGTERM" } as const;
const int = { kind: "signal", signal: "SIGINT" } as const;
const exit = (code: number) => ({ kind: "serverExit", code }) as const;

const STORIES: readonly (readonly [string, readonly LifeEvent[], readonly string[]])[] = [
  ["the host closes, the server ends", [hostEof, serverEof, exit(0)], [
    "draining: closeInput, watchQuiet 30000",
    "draining: ",
    "closed 0: ",
  ]],
  ["the server exits first, with output left", [exit(3), serverEof], [
    "flushing: watchQuiet 500, clearDeadline",
    "closed 3: ",
  ]],
  ["a grandchild holds the output", [exit(0), quiet], [
    "flushing: watchQuiet 500, clearDeadline",
    "closed 0: ",
  ]],
  ["the server ignores the host's end", [hostEof, quiet, exit(143), serverEof], [
    "draining: closeInput, watchQuiet 30000",
    "terminating: SIGTERM, deadline 1000, say",
    "flushing: watchQuiet 500, clearDeadline",
    "closed 143: ",
  ]],
  ["the server ignores that and SIGTERM", [hostEof, quiet, deadline, exit(137), serverEof], [
    "draining: closeInput, watchQuiet 30000",
    "terminating: SIGTERM, deadline 1000, say",
    "killing: SIGKILL, deadline 1000, say",
    "flushing: watchQuiet 500, clearDeadline",
    "closed 137: ",
  ]],
  ["not even SIGKILL ends it", [term, deadline, deadline], [
    "stopping: SIGTERM, closeInput, deadline 1500",
    "killing: SIGKILL, deadline 1000, say",
    "closed 137: say",
  ]],
  ["a signal comes to us", [term, exit(143), serverEof], [
    "stopping: SIGTERM, closeInput, deadline 1500",
    "flushing: watchQuiet 500, deadline 1500",
    "closed 143: ",
  ]],
  ["a signal, then another, then none of them helps", [int, int, deadline, exit(137)], [
    "stopping: SIGINT, closeInput, deadline 1500",
    "stopping: SIGINT",
    "killing: SIGKILL, deadline 1000, say",
    "flushing: watchQuiet 500, deadline 300",
  ]],
  ["a signal while the host closes", [hostEof, term, exit(0), serverEof], [
    "draining: closeInput, watchQuiet 30000",
    "stopping: SIGTERM, closeInput, deadline 1500",
    "flushing: watchQuiet 500, deadline 1500",
    "closed 0: ",
  ]],
  ["a signal while a stalled host holds up the rest", [exit(0), term, deadline], [
    "flushing: watchQuiet 500, clearDeadline",
    "flushing: deadline 1500",
    "closed 0: ",
  ]],
  ["the host stops reading, then closes", [hostGone, hostEof, exit(141)], [
    "open: ",
    "draining: closeInput, deadline 2000",
    "flushing: watchQuiet 500, deadline 1500",
  ]],
  ["the host closes, then is found gone", [hostEof, hostGone, deadline], [
    "draining: closeInput, watchQuiet 30000",
    "draining: deadline 2000",
    "terminating: SIGTERM, deadline 1000, say",
  ]],
  ["the server closes its output and exits", [serverEof, exit(0)], [
    "silent: closeInput, deadline 300",
    "closed 0: ",
  ]],
  ["the server closes its output and lives on", [serverEof, hostEof, deadline, exit(143)], [
    "silent: closeInput, deadline 300",
    "silent: ",
    "terminating: SIGTERM, deadline 300, say",
    "closed 143: ",
  ]],
  ["the server closes its output and ignores SIGTERM", [serverEof, deadline, deadline, exit(137)], [
    "silent: closeInput, deadline 300",
    "terminating: SIGTERM, deadline 300, say",
    "killing: SIGKILL, deadline 1000, say",
    "closed 137: ",
  ]],
  ["the server closes its output after the host", [hostEof, serverEof, quiet, exit(143)], [
    "draining: closeInput, watchQuiet 30000",
    "draining: ",
    "terminating: SIGTERM, deadline 1000, say",
    "closed 143: ",
  ]],
  ["a signal comes after the server closed its output", [serverEof, term, exit(0)], [
    "silent: closeInput, deadline 300",
    "stopping: SIGTERM, closeInput, deadline 1500",
    "closed 0: ",
  ]],
  ["nothing happens after the end", [serverEof, exit(5), hostEof, term, quiet, deadline], [
    "silent: closeInput, deadline 300",
    "closed 5: ",
    "closed 5: ",
    "closed 5: ",
    "closed 5: ",
    "closed 5: ",
  ]],
];

for (const [story, events, expected] of STORIES) {
  Deno.test(`step() when ${story}`, () => assertEquals(play(...events), [...expected]));
}

Deno.test("step() always ends: any order of events, then its own timers, reaches closed with a status", () => {
  const event: fc.Arbitrary<LifeEvent> = fc.constantFrom(
    hostEof,
    hostGone,
    serverEof,
    quiet,
    deadline,
    term,
    int,
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), fc.boolean(), (events, exits) => {
      let life: Life = BORN;
      let closedAt: string | undefined;
      const feed = (e: LifeEvent) => {
        [life] = step(life, e, LIMITS);
        if (closedAt !== undefined) assertEquals(JSON.stringify(life), closedAt, "closed is final");
        if (life.phase === "closed") closedAt = JSON.stringify(life);
      };
      events.forEach(feed);
      if (exits) feed(exit(9));
      // What a session does when the host closes and every timer it asked for rings.
      feed(hostEof);
      for (let i = 0; i < 4; i++) [quiet, deadline].forEach(feed);
      assert(life.phase === "closed" && life.code !== undefined, JSON.stringify(life));
    }),
    { numRuns: 2000 },
  );
});
