import { assert, assertEquals, assertRejects } from "@std/assert";
import { linkEpisode } from "../trace/episode.ts";
import type { Episode } from "../trace/episode.ts";
import { parcels, read } from "../../tests/util/parcels.ts";
import { sourceOf } from "./episode_source.ts";
import { FeedCounter } from "./count/feeds.ts";
import { learnFlow, type LearnOptions } from "./learn_flow.ts";
import { learnSurprise, quantileOf } from "./learn_surprise.ts";

const options: LearnOptions = {
  manifest: {
    domain: "parcels",
    tools: { find_sender: "read", get_parcel: "read", get_sender: "read", hold_parcel: "write" },
  },
  read,
  provenance: { hoist: "0.1.0", compiled_unix_ms: 0 },
  rounds: 0,
};

/** A session that stops after the customer's first word and one call. */
function short(n: number): Episode {
  const whole = parcels(n);
  return linkEpisode({ ...whole, events: whole.events.slice(0, 3) });
}

Deno.test("learnFlow() with a half-life counts older sessions less, in habit, reach and sites", async () => {
  const episodes = [parcels(1), parcels(2), short(3)];
  const flow = await learnFlow(sourceOf(episodes), { ...options, alpha: 1, halfLife: 2 });
  const [old, newer, newest] = [0.5, 0.5 ** 0.5, 1];
  const first = flow.habit.base.levels[1]?.get("4294967295");
  assertEquals([first?.total, first?.by_action.get(1)], [
    old + newer + newest,
    old + newer + newest,
  ]);
  assertEquals(flow.reach?.levels[1]?.get("4294967295")?.by_action.get(3), old + newer);
  assertEquals(flow.next.get("find_sender")?.get("get_sender"), old + newer);
  // What a lookup's values come from is not forgotten.
  assertEquals(flow.bindings.args.get("get_sender")?.calls, 2);
});

Deno.test("learnFlow() with a half-life picks a weight of shorter histories", async () => {
  const episodes = [1, 2, 3, 4, 5, 6].map((n) => n % 2 ? parcels(n) : short(n));
  const { habit } = await learnFlow(sourceOf(episodes), { ...options, halfLife: 1 });
  assert(Number.isFinite(habit.base.alpha) && habit.base.alpha > 0);
});

Deno.test("FeedCounter counts which arguments of writes came from a lookup's result", () => {
  const counter = new FeedCounter(options.manifest, read);
  for (const n of [1, 2]) counter.add(parcels(n));
  assertEquals([...counter.feeds()], [
    ["get_parcel", [{ write: "hold_parcel", arg: "parcel_id", count: 2 }]],
  ]);
  const once = new FeedCounter(options.manifest, read);
  once.add(parcels(1));
  assertEquals(once.feeds(), new Map());
});

Deno.test("learnSurprise() takes the quantile of sessions that the habit never saw", async () => {
  const episodes = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => parcels(n));
  const usual = await learnSurprise(sourceOf(episodes), { quantile: 1, window: 3 }, options);
  assert(usual.threshold > 0 && usual.threshold < 1, String(usual.threshold));
  assertEquals([usual.window, usual.quantile], [3, 1]);
  const lowest = await learnSurprise(sourceOf(episodes), { quantile: 0, window: 3 }, options);
  assert(lowest.threshold <= usual.threshold);
});

Deno.test("learnSurprise() says when no session is long enough", async () => {
  const error = await assertRejects(
    () => learnSurprise(sourceOf([parcels(1)]), { quantile: 1, window: 5 }, options),
    Error,
  );
  assertEquals(error.message.includes("--surprise-window"), true);
});

Deno.test("quantileOf() is the least value that the share does not exceed", () => {
  const values = [4, 1, 3, 2];
  assertEquals([0, 0.25, 0.26, 0.75, 1].map((q) => quantileOf(values, q)), [1, 1, 2, 3, 4]);
  assertEquals(quantileOf([], 0.5), undefined);
});
