/**
 * How often the pick of the bindings is the agent's, counted at the agent's own lookups.
 *
 * @module
 */

import { bindingCandidates } from "../../flow/binding/bind.ts";
import { callKey } from "../../flow/state/call_key.ts";
import type { Bindings, Rate } from "../../flow/flow.ts";
import type { ReadResult } from "../../flow/state/flow_state.ts";
import type { Episode } from "../../trace/episode.ts";
import type { Manifest } from "../../trace/manifest.ts";
import { sortedMap } from "./tally.ts";
import { walk } from "../../replay/walk.ts";

/** Counts agreement, an episode at a time. */
export class Agreement {
  readonly #counts = new Map<string, [[number, number], [number, number]]>();

  /** Counts with these bindings. */
  constructor(
    readonly bindings: Bindings,
    readonly manifest: Manifest,
    readonly read: ReadResult,
  ) {}

  /** Counts an episode. */
  add(episode: Episode): void {
    walk(episode, this.manifest, this.read, {
      onCall: (call, state) => {
        if (this.manifest.tools[call.name] !== "read") return;
        const key = callKey(call.name, call.arguments);
        if (state.hasMade(key)) return;
        const pick = bindingCandidates(this.bindings, call.name, state)[0];
        if (pick === undefined) return;
        const rates = this.#counts.get(call.name) ?? [[0, 0], [0, 0]];
        this.#counts.set(call.name, rates);
        const rate = rates[pick.isNamed || pick.isDescribed ? 1 : 0];
        rate[1]++;
        if (pick.key === key) rate[0]++;
      },
    });
  }

  /** The rates by lookup. */
  rates(): Map<string, readonly [Rate, Rate]> {
    return sortedMap([...this.#counts]);
  }
}
