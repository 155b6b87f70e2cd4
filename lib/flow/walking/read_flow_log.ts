/**
 * A flow log's text into its lines.
 *
 * @module
 */

import { z } from "zod";

const share = z.number().min(0).max(1);
const args = z.record(z.string(), z.unknown());
const after = z.union([z.string(), z.number()]);

const policySchema = z.object({
  options: z.array(z.object({
    tool: z.string(),
    p: share,
    habit: share,
    binding: share.nullable(),
    arguments: args.optional(),
  })),
  greedy: z.string().nullable(),
  epsilon: share,
  propensity: share,
});

const decisionSchema = z.object({
  action: z.enum(["lookup", "hand_back"]),
  address: z.string(),
  after,
  site: z.string(),
  tool: z.string().optional(),
  arguments: args.optional(),
  reason: z.string().optional(),
  prob: share.nullable(),
  binding: share.nullable(),
  probs: z.record(z.string(), share),
  key: z.string().nullable().optional(),
  oracle: z.record(z.string(), z.unknown()).optional(),
  predicates: z.record(z.string(), z.unknown()).optional(),
  ms: z.number().min(0),
  shadow: z.boolean().optional(),
  withheld: z.string().optional(),
  failed: z.string().optional(),
  policy: policySchema.optional(),
});

const runSchema = z.object({
  after,
  run: z.object({
    call: z.string(),
    failed: z.boolean(),
    max_lookups: z.int().min(0),
    sites: z.array(
      z.tuple([z.string(), z.union([z.int(), z.boolean()]), z.number().max(0).nullable()]),
    ),
    surprise: z.number().min(0).nullable(),
  }),
});

const armSchema = z.object({
  arm: z.enum(["flow", "holdout"]),
  session: z.string(),
  share,
  seed: z.number(),
});

const leftOutSchema = z.object({
  after,
  left_out: z.array(z.object({ tool: z.string(), arguments: args })),
});

interface Placed {
  /** Where it stands, from 1. */
  readonly line: number;
  /** The JSON-RPC id of the agent's call, as it is written. */
  readonly after: string;
}

/** A decision. */
export type LoggedDecision =
  & { readonly kind: "decision" }
  & Placed
  & Omit<z.infer<typeof decisionSchema>, "after">;

/** A run. */
export type LoggedRun =
  & { readonly kind: "run" }
  & Placed
  & Omit<z.infer<typeof runSchema>, "after">;

/** The arm that a session was drawn for. */
export type LoggedArm = z.infer<typeof armSchema>;

/** A lookup that was made and not given to the agent. */
export type LoggedLeftOut = z.infer<typeof leftOutSchema>["left_out"][number];

/** A flow log. */
export interface FlowLog {
  readonly lines: readonly (LoggedDecision | LoggedRun)[];
  /** The arms of the sessions in it that were drawn. */
  readonly arms: readonly LoggedArm[];
  readonly leftOut: readonly LoggedLeftOut[];
  /** Whether a last line that a crash cut was left out. */
  readonly isCut: boolean;
}

/**
 * Reads a flow log.
 *
 * @param text The file's text.
 * @param path Its name, for messages.
 * @returns Its lines.
 * @throws {SyntaxError} At a line that is none of a flow log's; names file, line and path.
 */
export function readFlowLog(text: string, path: string): FlowLog {
  const texts = text.split("\n");
  const lines: (LoggedDecision | LoggedRun)[] = [];
  const arms: LoggedArm[] = [];
  const leftOut: LoggedLeftOut[] = [];
  let isCut = false;
  texts.forEach((lineText, i) => {
    if (lineText === "" && i === texts.length - 1) return;
    const line = i + 1;
    let json: unknown;
    try {
      json = JSON.parse(lineText);
    } catch {
      if (i === texts.length - 1) return void (isCut = true);
      throw new SyntaxError(`Cannot read "${path}": line ${line} is not JSON`);
    }
    const parsed = schemaOf(json).safeParse(json);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new SyntaxError(
        `Cannot read "${path}": line ${line}: $.${issue?.path.join(".")}: ${issue?.message}`,
      );
    }
    const { data } = parsed;
    const placed = { line, after: writtenId(lineText) };
    if ("run" in data) lines.push({ kind: "run", ...data, ...placed });
    else if ("arm" in data) arms.push(data);
    else if ("left_out" in data) leftOut.push(...data.left_out);
    else lines.push({ kind: "decision", ...data, ...placed });
  });
  return { lines, arms, leftOut, isCut };
}

/** The form of a line, by the key that only it has. */
function schemaOf(json: unknown) {
  const has = (key: string) => typeof json === "object" && json !== null && key in json;
  if (has("run")) return runSchema;
  if (has("arm")) return armSchema;
  return has("left_out") ? leftOutSchema : decisionSchema;
}

/**
 * The value of a line's own key `after`, as it is written. What stands before it in
 * a line is text without such a key: writers sort the keys.
 */
function writtenId(line: string): string {
  const found = /"after":\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)/.exec(line);
  return found?.[1] ?? "";
}
