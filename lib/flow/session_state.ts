/**
 * A session so far, as a flow sees it: what was said, called and shown.
 *
 * Everything a flow decides is a function of the flow and of this. The proxy
 * feeds it from the wire, replay from a recording; both call the same methods
 * in the same order, so both decide the same.
 *
 * @module
 */

import type { Manifest } from "../trace/manifest.ts";
import type { JsonObject } from "../trace/json.ts";
import { callKey } from "./call_key.ts";
import { type Shown, shown } from "./output.ts";
import { isStale, staleIds } from "./staleness.ts";
import { RESPOND } from "./symbols.ts";
import type { Outcome } from "./symbols.ts";
import { Transcript } from "./transcript.ts";
import { Words } from "./values.ts";

/** A result, read: its value, and what the value shows. */
export interface ReadValue {
  readonly value: unknown;
  readonly shown: Shown;
}

/** Reads the text of a result: JSON, or what a lenient reader makes of it. */
export type ReadResult = (text: string) => ReadValue;

/** One step of the session: a call that was answered, or a message. */
export interface Step {
  /** The tool; undefined for a message. */
  readonly tool: string | undefined;
  /** How it ended; undefined while a call waits. */
  readonly outcome: Outcome | undefined;
  /** What its result showed. */
  readonly result: Shown | undefined;
}

/** A call that was answered without an error. */
export interface Output {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly key: string;
  readonly result: Shown;
  readonly given: Shown;
  /** Whether the flow made the call. */
  readonly isLookup: boolean;
}

interface MutableStep extends Step {
  tool: string | undefined;
  outcome: Outcome | undefined;
  result: Shown | undefined;
}

interface Pending {
  readonly tool: string;
  readonly args: JsonObject;
  readonly key: string;
  readonly step: MutableStep;
  readonly isLookup: boolean;
}

/** Answers that are remembered; the oldest is forgotten for one more. */
const MAX_OUTPUTS = 300;
/** Steps that are remembered; a decision looks at the last few. */
const MAX_STEPS = 512;
/** Calls that are remembered as made. */
const MAX_MADE = 5_000;

/** The session so far. What it remembers of a long one is bounded. */
export class SessionState {
  /** Everything the customer said. */
  readonly words = new Words();
  /** What the customer said last. */
  lastWords = new Words();
  /** What was said and called last, as an oracle is shown it. */
  readonly transcript = new Transcript();
  /** Messages of the customer. */
  userMessages = 0;
  /** Messages of the agent without a call. */
  says = 0;
  /** Accepted writes. */
  writes = 0;
  /** Calls that were answered, oldest first. */
  readonly outputs: Output[] = [];
  /** Steps in the order sent. */
  readonly steps: Step[] = [];
  /** Turns in which the agent made several calls at once. */
  parallelTurns = 0;
  readonly #manifest: Manifest;
  readonly #read: ReadResult;
  readonly #pending = new Map<string, Pending>();
  readonly #stepOf = new Map<string, number>();
  /** Steps that were forgotten. */
  #forgotten = 0;
  /** Calls made and not made stale since, to how they were made. */
  readonly #made = new Map<string, { readonly tool: string; readonly args: JsonObject }>();

  /** A session in which nothing happened yet, of a task with this id. */
  constructor(manifest: Manifest, read: ReadResult, readonly task = "") {
    this.#manifest = manifest;
    this.#read = read;
  }

  /** The customer said something. */
  hear(text: string): void {
    this.words.add(text);
    this.transcript.hear(text);
    this.lastWords = new Words();
    this.lastWords.add(text);
    this.userMessages++;
    const last: MutableStep | undefined = this.steps.at(-1);
    if (last !== undefined && last.tool === undefined) last.outcome = "answered";
  }

  /** The agent said something and called nothing. */
  say(text = ""): void {
    this.says++;
    if (text !== "") this.transcript.say(text);
    this.#push({ tool: undefined, outcome: "ended", result: undefined });
  }

  /** The agent, or a flow, made a call. */
  send(id: string, tool: string, args: JsonObject, isLookup = false): void {
    const step: MutableStep = { tool, outcome: undefined, result: undefined };
    this.#stepOf.set(id, this.#push(step));
    const key = callKey(tool, args);
    this.#pending.set(id, { tool, args, key, step, isLookup });
    this.#made.delete(key);
    this.#made.set(key, { tool, args });
    const [oldest] = this.#made.keys();
    if (this.#made.size > MAX_MADE && oldest !== undefined) this.#made.delete(oldest);
  }

  /** A call was answered. */
  answer(id: string, error: boolean, content: string): void {
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    call.step.outcome = error ? "failed" : "ok";
    this.transcript.answered({ tool: call.tool, arguments: call.args, error, content });
    if (error) return;
    const { value, shown: result } = this.#read(content);
    call.step.result = result;
    const { tool, args, key, isLookup } = call;
    this.outputs.push({ tool, arguments: args, key, result, given: shown(args, "@"), isLookup });
    if (this.outputs.length > MAX_OUTPUTS) this.outputs.shift();
    if (this.#manifest.tools[tool] === "write") this.#wrote(args, value);
  }

  /** A call will get no answer. */
  drop(id: string): void {
    this.#pending.delete(id);
  }

  /** Whether this call was made, and no write has made its answer stale. */
  hasMade(key: string): boolean {
    return this.#made.has(key);
  }

  /** Whether a tool writes. */
  isWrite(tool: string): boolean {
    return this.#manifest.tools[tool] === "write";
  }

  /** The last steps up to and including a call that was answered. */
  stepsTo(id: string): Step[] {
    const place = this.#stepOf.get(id);
    const end = place === undefined ? this.steps.length - 1 : place - this.#forgotten;
    return this.steps.slice(Math.max(0, end - 11), end + 1);
  }

  /** How many calls of a tool were made and are not stale. */
  madeOf(tool: string): number {
    let n = 0;
    for (const call of this.#made.values()) if (call.tool === tool) n++;
    return n;
  }

  /** Adds a step; its place among all steps of the session. */
  #push(step: Step): number {
    if (this.steps.length >= MAX_STEPS) {
      this.steps.splice(0, MAX_STEPS / 2);
      this.#forgotten += MAX_STEPS / 2;
      for (const [id, place] of this.#stepOf) if (place < this.#forgotten) this.#stepOf.delete(id);
    }
    return this.#forgotten + this.steps.push(step) - 1;
  }

  #wrote(args: JsonObject, value: unknown): void {
    this.writes++;
    const ids = staleIds(args, value);
    for (const [key, call] of this.#made) {
      if (isStale(call, ids, this.#manifest.domain)) this.#made.delete(key);
    }
  }
}

/** The action of a step, as a number of the vocabulary. */
export function actionOfStep(step: Step, actionOf: (tool: string) => number): number {
  return step.tool === undefined ? RESPOND : actionOf(step.tool);
}
