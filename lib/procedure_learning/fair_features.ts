/**
 * Which questions a learned tree may ask: none that could tell a customer.
 *
 * @module
 */

import { wordsAndPairs } from "../procedure/run/ticket_words.ts";
import type { SolvedTask } from "./solved_task.ts";
import type { Example } from "./decision_tree.ts";

/** A word counts when so many tasks' tickets have it, and so many have not. */
const MIN_TICKETS = 5;

/** A field with more values than this is no kind. */
const MAX_VALUES = 8;

/**
 * Words and pairs of words of tickets that a tree may ask for.
 *
 * @param tasks The tasks.
 * @returns The words, sorted.
 */
export function vocabOf(tasks: readonly SolvedTask[]): string[] {
  return [...ticketsByWord(tasks)].filter(([, n]) =>
    n >= MIN_TICKETS && n <= tasks.length - MIN_TICKETS
  )
    .map(([word]) => word).sort();
}

/**
 * Words, and pairs of words, that tickets of this kind have: those of enough of them.
 *
 * @param tasks The tasks.
 * @returns The words and pairs, sorted.
 */
export function familiarWords(tasks: readonly SolvedTask[]): string[] {
  return [...ticketsByWord(tasks)].filter(([, n]) => n >= MIN_TICKETS).map(([word]) => word).sort();
}

/**
 * Finds the fields that hold kinds, not values of customers.
 *
 * @param examples The examples of a site.
 * @returns Whether a feature may be asked.
 */
export function fairFeatures(examples: readonly Example[]): (feature: string) => boolean {
  const values = new Map<string, Set<string>>();
  for (const { features } of examples) {
    for (const feature of features) {
      const field = fieldOf(feature);
      if (field === undefined) continue;
      const seen = values.get(field) ?? new Set();
      values.set(field, seen.add(feature));
    }
  }
  return (feature) => {
    const field = fieldOf(feature);
    return field === undefined || (values.get(field)?.size ?? 0) <= MAX_VALUES;
  };
}

/** In how many tickets each word and pair of words stands. */
function ticketsByWord(tasks: readonly SolvedTask[]): Map<string, number> {
  const tickets = new Map<string, number>();
  for (const { given } of tasks) {
    for (const word of wordsAndPairs(given.ticket)) {
      tickets.set(word, (tickets.get(word) ?? 0) + 1);
    }
  }
  return tickets;
}

/** The field a feature gives a value of; undefined when it is of no field. */
function fieldOf(feature: string): string | undefined {
  if (feature.startsWith("ticket: ") || feature.startsWith("made ")) return undefined;
  const says = /^(.*?:says )/.exec(feature)?.[1];
  return says ?? /^(.*?)=/.exec(feature)?.[1];
}
