/**
 * Lines of labelled decisions, read and checked.
 *
 * @module
 */

import { z } from "zod";

const share = z.number().min(0).max(1);
const schema = z.object({
  site: z.string(),
  tool: z.string().optional(),
  action: z.enum(["lookup", "hand_back"]),
  policy: z.object({
    options: z.array(z.object({
      tool: z.string(),
      p: share,
      habit: share.optional(),
      binding: share.nullable(),
    })),
    greedy: z.string().nullable(),
    propensity: share,
  }),
  labels: z.array(z.object({ used: z.number(), detour: z.number(), turn: z.number() })),
}).refine((d) => d.labels.length === d.policy.options.length, {
  path: ["labels"],
  error: "needs one label an option",
});

/** One labelled decision. */
export type LabelledDecision = z.infer<typeof schema>;

/**
 * Reads a file of labelled decisions.
 *
 * @param text The file's text.
 * @param path Its name, for messages.
 * @returns The decisions.
 * @throws {SyntaxError} At a line without policy or labels; names file, line and path.
 */
export function readLabelled(text: string, path: string): LabelledDecision[] {
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch {
      throw new SyntaxError(`Cannot read "${path}": line ${i + 1} is not JSON`);
    }
    const parsed = schema.safeParse(json);
    if (parsed.success) return [parsed.data];
    const issue = parsed.error.issues[0];
    throw new SyntaxError(
      `Cannot read "${path}": line ${i + 1}: $.${issue?.path.join(".")}: ${issue?.message}`,
    );
  });
}
