/**
 * What a flow makes of each lookup at each site, from its counts alone: no session is at
 * hand, so it is the lookup's chance right after the call, with a record nobody mentioned.
 *
 * @module
 */

import { chanceAfter } from "../backoff.ts";
import { habitAfter, laplace } from "./decider.ts";
import type { Flow } from "../flow.ts";
import { siteKey } from "../file/print_flow.ts";
import { SESSION_START, symbolOf } from "../symbols.ts";

/** A lookup at a site. */
export interface SiteRow {
  readonly site: string;
  readonly lookup: string;
  /** How often it was next. */
  readonly followed: number;
  /** Its reach, or its habit in a flow without. */
  readonly p: number;
  /** The chance of a pick that nobody mentioned. */
  readonly binding: number;
}

/**
 * The rows of a flow.
 *
 * @param flow The flow.
 * @returns A row for each lookup that followed somewhere, by site.
 */
export function siteRows(flow: Flow): SiteRow[] {
  return [...flow.next].flatMap(([site, lookups]) => {
    const [tool, failed] = siteKey(site);
    const history = [
      SESSION_START,
      symbolOf(flow.vocab.actionOf(tool), failed ? "failed" : "ok", 0),
    ];
    return [...lookups].map(([lookup, followed]): SiteRow => ({
      site,
      lookup,
      followed,
      p: flow.reach === undefined
        ? habitAfter(flow, history, lookup)
        : chanceAfter(flow.reach, history.slice(1), flow.vocab.actionOf(lookup)),
      binding: laplace(flow.bindings.agreed.get(lookup)?.[0] ?? [0, 0]),
    }));
  });
}
