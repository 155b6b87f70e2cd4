/**
 * A session so far, as a flow sees it: what was said, called and shown.
 *
 * Everything a flow decides is a function of the flow and of this. The proxy
 * feeds it from the wire, replay from a recording; both call the same methods
 * in the same order, so both decide the same.
 *
 * @module
 */

import type { Manifest } from "../../trace/manifest.ts";
import type { JsonObject } from "../../json/json.ts";
import { callKey } from "./call_key.ts";
import { type Shown, shown } from "./output.ts";
import { isStale, staleIds } from "./staleness.ts";
import type { StepOutcome } from "../symbols.ts";
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
  readonly outcome: StepOutcome | undefined;
  /** What its result showed. */
  readonly result: Shown | undefined;
}

/** Looks at the agent's steps as they are made. */
export interface StepWatch {
  /** The agent makes its next step after these: a call of this tool, or a message. */
  step(before: readonly Step[], tool: string | undefined): void;
  /** Whether a flow may not act in the session any more. */
  readonly isShut: boolean;
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

/** An answer that is taken apart when something asks what it shows: most are never asked. */
class LazyOutput implements Output {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly isLookup: boolean;
  /** Characters of its content. */
  readonly length: number;
  readonly #read: ReadResult;
  #content: string | undefined;
  #result: Shown | undefined;
  #given: Shown | undefined;
  #key: string | undefined;

  constructor(call: Pending, content: string, read: ReadResult) {
    this.tool = call.tool;
    this.arguments = call.args;
    this.isLookup = call.isLookup;
    this.length = content.length;
    this.#content = content;
    this.#read = read;
  }

  get key(): string {
    return this.#key ??= callKey(this.tool, this.arguments);
  }

  get result(): Shown {
    this.#result ??= this.#read(this.#content ?? "").shown;
    this.#content = undefined;
    return this.#result;
  }

  get given(): Shown {
    return this.#given ??= shown(this.arguments, "@");
  }
}

class CallStep implements Step {
  readonly tool: string;
  outcome: StepOutcome | undefined;
  output: LazyOutput | undefined;

  constructor(tool: string) {
    this.tool = tool;
  }

  get result(): Shown | undefined {
    return this.output?.result;
  }
}

interface MutableStep extends Step {
  outcome: StepOutcome | undefined;
}

interface Pending {
  readonly tool: string;
  readonly args: JsonObject;
  readonly step: CallStep;
  readonly isLookup: boolean;
}

/** Answers that are remembered, and characters of them; the oldest are forgotten for one more. */
const MAX_OUTPUTS = 300;
const MAX_OUTPUT_LENGTH = 2_000_000;
/** So many are remembered however long they are. */
const LAST_OUTPUTS = 10;
/** Steps that a session without an end remembers; a decision looks at the last twelve. */
const MAX_STEPS = 64;
/** Calls that are remembered as made. */
const MAX_MADE = 1_000;

/** The session so far. What it remembers of results is bounded. */
export class FlowState {
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
  readonly outputs: readonly Output[];
  /** Steps in the order sent. */
  readonly steps: Step[] = [];
  /** Turns in which the agent made several calls at once. */
  parallelTurns = 0;
  /** Who looks at the agent's steps. */
  watch: StepWatch | undefined;
  readonly #manifest: Manifest;
  readonly #read: ReadResult;
  readonly #outputs: LazyOutput[] = [];
  /** Characters of the answers that are remembered. */
  #outputLength = 0;
  readonly #pending = new Map<string, Pending>();
  readonly #stepOf = new Map<string, number>();
  /** Steps that were forgotten. */
  #forgotten = 0;
  /** Reads made and not made stale since, to how they were made. */
  readonly #made = new Map<string, { readonly tool: string; readonly args: JsonObject }>();

  /** A session in which nothing happened yet, of a task with this id. */
  constructor(manifest: Manifest, read: ReadResult, readonly task = "") {
    this.#manifest = manifest;
    this.#read = read;
    this.outputs = this.#outputs;
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
    this.watch?.step(this.steps, undefined);
    this.#push({ tool: undefined, outcome: "ended", result: undefined });
  }

  /** The agent, or a flow, made a call. */
  send(id: string, tool: string, args: JsonObject, isLookup = false): void {
    if (!isLookup) this.watch?.step(this.steps, tool);
    const step = new CallStep(tool);
    this.#stepOf.set(id, this.#push(step));
    this.#pending.set(id, { tool, args, step, isLookup });
    if (this.#manifest.tools[tool] !== "read") return; // Nothing else is ever looked up.
    const key = callKey(tool, args);
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
    // Nothing is bound from the calls of a tool that training never saw.
    const isKnown = Object.hasOwn(this.#manifest.tools, call.tool);
    const output = isKnown
      ? new LazyOutput(call, content, this.#read)
      : new LazyOutput({ ...call, args: {} }, "", this.#read);
    call.step.output = output;
    this.#remember(output);
    if (this.isWrite(call.tool)) this.#wrote(call.args, this.#read(content).value);
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

  /** Forgets steps that no decision looks at any more, in a session that may have no end. */
  forgetSteps(): void {
    const count = this.steps.length - MAX_STEPS;
    if (count < MAX_STEPS) return;
    this.steps.splice(0, count);
    this.#forgotten += count;
    for (const [id, place] of this.#stepOf) if (place < this.#forgotten) this.#stepOf.delete(id);
  }

  #remember(output: LazyOutput): void {
    this.#outputLength += output.length;
    this.#outputs.push(output);
    while (
      this.#outputs.length > MAX_OUTPUTS ||
      (this.#outputLength > MAX_OUTPUT_LENGTH && this.#outputs.length > LAST_OUTPUTS)
    ) this.#outputLength -= this.#outputs.shift()?.length ?? 0;
  }

  /** Adds a step; its place among all steps of the session. */
  #push(step: Step): number {
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
