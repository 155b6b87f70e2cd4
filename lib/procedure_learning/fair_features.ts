/**
 * Selects the features that a learned tree may test: none that could identify a customer.
 *
 * @module
 */

import { wordsAndPairs } from "../procedure/run/ticket_words.ts";
import type { SolvedTask } from "./solved_task.ts";
import type { Example } from "./decision_tree.ts";

/** The fewest tickets that must contain a word, and that must lack it. */
const MIN_TICKETS = 5;

/** The most values of a field that holds kinds; a field with more may hold customers' values. */
const MAX_VALUES = 8;

/**
 * Finds the ticket words, and pairs of words, that a tree may test.
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
 * Finds the words, and pairs of words, that are common in these tickets.
 *
 * @param tasks The tasks.
 * @returns The words and pairs, sorted.
 */
export function familiarWords(tasks: readonly SolvedTask[]): string[] {
  return [...ticketsByWord(tasks)].filter(([, n]) => n >= MIN_TICKETS).map(([word]) => word).sort();
}

/**
 * Finds the fields that hold kinds and not customers' values.
 *
 * @param examples The examples of a site.
 * @returns A function that says whether a tree may test a feature.
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

/** The number of tickets that contain each word and pair of words. */
function ticketsByWord(tasks: readonly SolvedTask[]): Map<string, number> {
  const tickets = new Map<string, number>();
  for (const { given } of tasks) {
    for (const word of wordsAndPairs(given.ticket)) {
      tickets.set(word, (tickets.get(word) ?? 0) + 1);
    }
  }
  return tickets;
}

/** The field that a feature gives a value of; undefined when it is not about a field. */
function fieldOf(feature: string): string | undefined {
  if (feature.startsWith("ticket: ") || feature.startsWith("made ")) return undefined;
  const says = /^(.*?:says )/.exec(feature)?.[1];
  return says ?? /^(.*?)=/.exec(feature)?.[1];
}
