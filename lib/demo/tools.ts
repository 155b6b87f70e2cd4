/**
 * The type of a demo tool, and the two tools of the default world: `lookup` and `update`
 * answer with their arguments and store nothing.
 *
 * Both can fail or wait on demand, to try errors and parallel calls through a proxy.
 *
 * @module
 */

import type { JsonObject } from "../json/json.ts";

/** A tool of the demo. */
export interface DemoTool {
  /** Its name. */
  readonly name: string;
  /** What it does, for the agent. */
  readonly description: string;
  /** The JSON Schema of its arguments' properties. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** The required arguments. */
  readonly required: readonly string[];
  /** Its `readOnlyHint`; undefined to list none. */
  readonly readOnlyHint: boolean | undefined;
  /** Runs it. */
  run(args: JsonObject): DemoAnswer;
}

/** The answer of a tool. */
export interface DemoAnswer {
  /** The text of the result. */
  readonly text: string;
  /** Whether it is an error result. */
  readonly isError: boolean;
}

/** The largest `delay_ms`: longer than hosts wait for a call. */
export const MAX_DELAY_MS = 600_000;

const ECHO_PROPERTIES = {
  text: { type: "string", description: "Any text; it comes back." },
  fail: { type: "boolean", description: "Whether to answer with an error result." },
  delay_ms: {
    type: "integer",
    minimum: 0,
    maximum: MAX_DELAY_MS,
    description: "How long to wait before answering, in milliseconds.",
  },
};

/** The tools of the default world. */
export const ECHO_TOOLS: readonly DemoTool[] = [
  {
    name: "lookup",
    description: "Looks nothing up: answers with its arguments.",
    properties: ECHO_PROPERTIES,
    required: [],
    readOnlyHint: true,
    run: echo,
  },
  {
    name: "update",
    description: "Changes nothing: answers with its arguments.",
    properties: ECHO_PROPERTIES,
    required: [],
    readOnlyHint: false,
    run: echo,
  },
];

function echo(args: JsonObject): DemoAnswer {
  return { text: JSON.stringify(args), isError: args.fail === true };
}

/**
 * Reads the argument `delay_ms`.
 *
 * @param args The call's arguments.
 * @returns Milliseconds, 0 by default; undefined when the value is not allowed.
 */
export function delayMs(args: JsonObject): number | undefined {
  const delay = args.delay_ms ?? 0;
  if (typeof delay !== "number" || !Number.isInteger(delay)) return undefined;
  return delay >= 0 && delay <= MAX_DELAY_MS ? delay : undefined;
}
