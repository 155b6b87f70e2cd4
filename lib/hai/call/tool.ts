/**
 * The form of a tool: one declaration says what clients are told, what
 * arguments must be, and what the tool does.
 *
 * @module
 */

import { z } from "zod";
import { checkArgs, describe, INTEGER } from "./boundary.ts";
import { CallContext, type CallWorld, type ToolOutcome } from "./call_context.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";
import type { Transaction } from "../state/transaction.ts";

/** Arguments made by {@linkcode literalTrue}. */
const FLAGS: ReadonlySet<string> = new Set(["owner_ack", "break_glass_marker", "declares_blocker"]);

/** How a tool changes the state, as clients are told and the engine relies on. */
type ToolEffect = "reads" | "retires" | "adds" | "replaces";

/** A tool as it is declared. */
interface ToolSpec<I extends z.ZodObject, O extends z.ZodObject> {
  /** Name on the wire. */
  readonly name: `hai_${string}`;
  /** Name for people. */
  readonly title: string;
  /** Its effect, and when to call it. */
  readonly description: string;
  /**
   * `reads`: changes nothing. `retires`: reads, and may mark an expired lease.
   * `adds`: adds records. `replaces`: also ends or replaces what was there.
   */
  readonly effect: ToolEffect;
  /** Whether a repeated call with the same arguments has no further effect. */
  readonly isIdempotent?: true;
  /** Whether it may ask the owner over a channel that leaves the machine. */
  readonly asksOwner?: true;
  /** Its arguments, a strict object. */
  readonly input: I;
  /** Schema of a reply with `ok: true`. */
  readonly output: O;
  /** Carries the call out. */
  readonly run: (ctx: CallContext, args: z.output<I>) => ToolOutcome;
}

/** A tool as the engine and the server use it. */
export interface Tool {
  /** Name on the wire. */
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  /** Its effect, and when to call it. */
  readonly description: string;
  /** How it changes the state. */
  readonly effect: ToolEffect;
  /** Hints for clients. */
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  /** Schema of the arguments. */
  readonly input: z.ZodObject;
  /** Schema of a reply with `ok: true`. */
  readonly output: z.ZodObject;
  /** Checks the arguments and carries the call out. */
  call(
    world: CallWorld,
    tx: Transaction,
    args: Readonly<Record<string, unknown>>,
  ): ToolOutcome;
}

/**
 * Makes a tool of its declaration.
 *
 * @param spec The declaration.
 * @returns The tool.
 */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(
  spec: ToolSpec<I, O>,
): Tool {
  const isRead = spec.effect === "reads" || spec.effect === "retires";
  return {
    name: spec.name,
    title: spec.title,
    description: spec.description,
    effect: spec.effect,
    annotations: {
      title: spec.title,
      readOnlyHint: isRead,
      destructiveHint: spec.effect === "replaces",
      idempotentHint: isRead || spec.isIdempotent === true,
      openWorldHint: spec.asksOwner === true,
    },
    input: spec.input,
    output: spec.output,
    call(world, tx, args) {
      const checked = checkArgs(spec.input, args);
      if (checked instanceof CallRefusal) return checked;
      return spec.run(new CallContext(world, tx, ignoredFlags(spec.input, args)), checked);
    },
  };
}

/** A required text. */
export function text(description: string) {
  return z.string().describe(description);
}

/** A text that may be left out or null. */
export function optionalText(description: string) {
  return z.string().nullish().describe(description);
}

/** Items a list may have, so that no call keeps the others waiting for long. */
const MAX_ITEMS = 1000;

/** A list of texts. */
export function texts(description: string, most = MAX_ITEMS) {
  return z.array(z.string()).max(most).describe(description);
}

/** A list of texts that may be left out or null. */
export function optionalTexts(description: string, most = MAX_ITEMS) {
  return texts(description, most).nullish().describe(description);
}

/** An integer of at least 1. */
export function positive(description: string) {
  return z.int(INTEGER).min(1).describe(description);
}

/**
 * A flag that counts only as the literal `true`. Anything else is not a fault
 * but "not given": the gate behind it then answers.
 */
export function literalTrue(description: string) {
  return z.unknown().optional().meta({ type: "boolean", default: false, description });
}

/** The first refusal of a list of checks. */
export function firstRefusal(
  ...checks: readonly (CallRefusal | undefined)[]
): CallRefusal | undefined {
  return checks.find((check) => check !== undefined);
}

/** Refuses a blank text. */
export function checkText(
  field: string,
  value: string | null | undefined,
): CallRefusal | undefined {
  if (value !== null && value !== undefined && value.trim() !== "") return undefined;
  return new CallRefusal("invalid_args", `${field} must not be blank`, {
    field,
    expected: "text that is not blank",
    got: describe(value),
  });
}

/** Flags of the wrong type, so that a reply can name what was not counted. */
function ignoredFlags(schema: z.ZodObject, args: Readonly<Record<string, unknown>>): ToolReply[] {
  return Object.keys(schema.shape)
    .filter((name) => FLAGS.has(name) && Object.hasOwn(args, name))
    .filter((name) => typeof args[name] !== "boolean" && args[name] !== null)
    .map((field) => ({ field, expected: "boolean", got: describe(args[field]) }));
}
