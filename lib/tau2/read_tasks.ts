/**
 * Reads the benchmark's tasks as tickets, with their inputs and the calls that solve them.
 *
 * A ticket is the scenario's text: the reason for the call, what the customer knows, and
 * the instructions to the customer. Its inputs are the arguments of the solving calls
 * that appear, word for word, in the reason or in what the customer knows.
 *
 * @module
 */

import { at, isObject, type JsonObject, textAt } from "../json/json.ts";
import { parseResults, ResultsSyntaxError } from "./results_error.ts";

/** A task. */
export interface TaskTicket {
  readonly id: string;
  readonly ticket: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** The calls that solve the task, in order. */
  readonly solution: readonly { readonly tool: string; readonly arguments: JsonObject }[];
}

/** Options for {@linkcode readTasks}. */
export interface TaskOptions {
  /**
   * Whether the customer's e-mail address, name and zip code are inputs even when no solving
   * call passes them, as on a contact form.
   *
   * @default {false}
   */
  readonly identity?: boolean;
}

/**
 * Reads tasks.
 *
 * @param text The file's text: a list of tasks.
 * @param path The file's name, for messages.
 * @param options Which inputs to take.
 * @returns The tasks, in file order.
 * @throws {ResultsSyntaxError} When the file is not a list of tasks; names the place.
 */
export function readTasks(text: string, path: string, options: TaskOptions = {}): TaskTicket[] {
  const list = parseResults(text, path);
  if (!Array.isArray(list)) throw new ResultsSyntaxError(path, "$", "is not a list of tasks");
  return list.map((task, i) => taskOf(task, options, { where: `$[${i}]`, path }));
}

/** The customer's e-mail address, name and zip code, as the scenarios write them. */
function identityOf(known: string): Record<string, string> {
  const [, email] = /([\w.+-]+@[\w-]+(?:\.[\w-]+)+)/.exec(known) ?? [];
  const [, first_name, last_name] =
    /(?:[Yy]ou are|[Yy]ou're|[Yy]our? name is|called) (\p{Lu}[\p{L}'-]+) (\p{Lu}[\p{L}'-]+)/u
      .exec(known) ?? [];
  const [, zip] = /\b(\d{5})\b/.exec(known) ?? [];
  const found: Record<string, string> = {};
  if (email !== undefined) found.email = email;
  if (first_name !== undefined && last_name !== undefined && zip !== undefined) {
    Object.assign(found, { first_name, last_name, zip });
  }
  return found;
}

function taskOf(
  task: unknown,
  options: TaskOptions,
  { where, path }: { readonly where: string; readonly path: string },
): TaskTicket {
  const id = at(task, "id");
  if (typeof id !== "string" && typeof id !== "number") {
    throw new ResultsSyntaxError(path, `${where}.id`, "is neither text nor number");
  }
  const said = at(task, "user_scenario", "instructions");
  const reason = textAt(said, "reason_for_call") ?? "";
  const known = textAt(said, "known_info") ?? "";
  const manner = textAt(said, "task_instructions") ?? "";
  const actions = at(task, "evaluation_criteria", "actions");
  const solution = (Array.isArray(actions) ? actions : []).flatMap((action) => {
    const tool = textAt(action, "name");
    const args = at(action, "arguments");
    return tool === undefined || !isObject(args) ? [] : [{ tool, arguments: args }];
  });
  const form = ` ${wordsOf(`${reason}\n${known}`).join(" ")} `;
  const inputs: Record<string, string> = options.identity === true ? identityOf(known) : {};
  for (const { arguments: args } of solution) {
    for (const [name, value] of Object.entries(args)) {
      if (typeof value !== "string" || value === "") continue;
      const words = wordsOf(value).join(" ");
      if (words === "" || !form.includes(` ${words} `)) continue;
      put(inputs, name, value);
    }
  }
  return {
    id: String(id),
    ticket: [reason, known, manner].filter((t) => t !== "" && t !== ".").join("\n"),
    inputs,
    solution,
  };
}

/** Adds an input; a second value of the same name becomes `NAME_2`. */
function put(inputs: Record<string, string>, name: string, value: string): void {
  for (let n = 1;; n++) {
    const key = n === 1 ? name : `${name}_${n}`;
    const known = inputs[key];
    if (known === value) return;
    if (known !== undefined) continue;
    inputs[key] = value;
    return;
  }
}

/** The words of a text: letters and digits, lower case, in order. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
