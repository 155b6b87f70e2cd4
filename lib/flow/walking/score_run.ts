/**
 * Runs scored by a flow: with the values of a trace, or with values drawn from the
 * flow itself.
 *
 * @module
 */

import type { Flow } from "../flow.ts";
import type { RunSite } from "./flow_log.ts";
import { type Drawn, fits, interpret, type Place, ProgramError } from "../program/interpret.ts";
import { RunChances } from "../deciding/run_chances.ts";
import { runInputsOf, type RunStart } from "./run_trace.ts";

/** Two log-probabilities of one value may differ by so much. */
const TOLERANCE = 1e-9;

/** A run whose program was interpreted. */
export interface ScoredRun {
  /** Every value and its log-probability, decisions too. */
  readonly sites: readonly RunSite[];
  /** Of the whole run, with what the program observes and weighs. */
  readonly logp: number;
  /** The sum of −log p over outcomes, in nats. */
  readonly surprise: number;
}

/** A run line that the flow does not lead to. */
export class RunScoreError extends Error {
  override readonly name = "RunScoreError";
}

/** Finds the value of a sample. */
export type FindValue = (place: Extract<Place, { kind: "sample" }>) => Drawn;

/**
 * Runs a flow's program, its values found by a handler and scored by the flow.
 *
 * @param flow The flow.
 * @param start The call it runs behind.
 * @param find Finds each value.
 * @returns The run.
 * @throws {ProgramError} When the program cannot go on.
 */
export function scoredRun(flow: Flow, start: RunStart, find: FindValue): ScoredRun {
  const chances = new RunChances(flow);
  const run = interpret(flow.program, runInputsOf(start, chances));
  const sites: RunSite[] = [];
  let total = 0;
  let surprise = 0;
  let value: Drawn | undefined;
  for (let next = run.next(); !next.done; next = run.next(value)) {
    const place = next.value;
    if (place.kind === "factor") {
      total += place.logw;
      continue;
    }
    value = place.kind === "sample" ? find(place) : place.value;
    const logp = chances.logp(place.dist, value);
    total += logp;
    if (place.kind === "sample") {
      sites.push([place.address, value, logp]);
      if (place.dist.name === "Outcome") surprise -= logp;
    }
  }
  return { sites, logp: total, surprise };
}

/**
 * Draws a run from the flow's own distributions.
 *
 * @param flow The flow.
 * @param start The call it runs behind.
 * @param draw Numbers from 0 to below 1.
 * @returns The run.
 */
export function simulateRun(flow: Flow, start: RunStart, draw: () => number): ScoredRun {
  const chances = new RunChances(flow);
  return scoredRun(flow, start, ({ dist }) => {
    let rest = draw();
    let last: Drawn = false;
    for (const [value, p] of chances.table(dist)) {
      last = value;
      if (rest < p) break;
      rest -= p;
    }
    return last;
  });
}

/** A run line, read. */
export interface RunLine {
  readonly run: {
    readonly call: string;
    readonly failed: boolean;
    readonly max_lookups: number;
    /** A log-probability that was not finite is null. */
    readonly sites: readonly (readonly [address: string, value: Drawn, logp: number | null])[];
    readonly surprise: number | null;
  };
}

/**
 * Scores a run line again: the program runs with the line's values, and its
 * outcomes must be as likely as the line says.
 *
 * @param flow The flow that is said to have run.
 * @param line The line.
 * @returns The run, as the flow scores it.
 * @throws {RunScoreError} When an address is missing, not used or of another type, or when a
 * log-probability differs by more than 1e-9; names it.
 */
export function scoreRunLine(flow: Flow, { run }: RunLine): ScoredRun {
  const start = { call: run.call, failed: run.failed, maxLookups: run.max_lookups };
  const values = new Map(run.sites.map(([address, value, logp]) => [address, { value, logp }]));
  const unused = new Set(run.sites.map(([address]) => address));
  if (unused.size < run.sites.length) throw new RunScoreError("an address stands there twice");
  const scored = interpreted(() =>
    scoredRun(flow, start, ({ address, dist }) => {
      const found = values.get(address);
      if (found === undefined) throw new RunScoreError(`${address} is missing`);
      if (!fits(found.value, dist)) {
        const wanted = dist.name === "Outcome" ? "true or false" : "a tool's number";
        throw new RunScoreError(`${address} is ${found.value}, not ${wanted}`);
      }
      unused.delete(address);
      return found.value;
    })
  );
  for (const address of unused) throw new RunScoreError(`${address} is not used by the program`);
  for (const [address, value, logp] of scored.sites) {
    if (typeof value !== "boolean") continue;
    compare(address, values.get(address)?.logp, logp);
  }
  compare("surprise", run.surprise, scored.surprise);
  return scored;
}

function interpreted(run: () => ScoredRun): ScoredRun {
  try {
    return run();
  } catch (error) {
    if (error instanceof ProgramError) {
      throw new RunScoreError(`the program cannot go on: ${error.message}`, { cause: error });
    }
    throw error;
  }
}

function compare(what: string, said: number | null | undefined, is: number): void {
  if (typeof said === "number" && Math.abs(said - is) <= TOLERANCE) return;
  throw new RunScoreError(
    `${what} is ${said ?? "null"} there and ${is} by the flow: it is not the flow that ran`,
  );
}
