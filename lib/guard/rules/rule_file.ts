/**
 * Reads rule files, JSON or YAML, and checks their shape.
 *
 * Expressions stay text here; compile_rules.ts compiles them.
 *
 * @module
 */

import { z } from "zod";

/** The version this build reads. */
const RULES_VERSION = 1;

/** A rule file that cannot be used; the message names the file and the place. */
export class RulesError extends SyntaxError {
  override readonly name = "RulesError";
}

const name = z.string().regex(/^[a-z][a-z0-9_]*$/, "must be lower-case letters, digits and _");
const text = z.string().min(1, "must not be empty");
const tools = z.array(text).min(1, "must name at least one tool");

const fill = z.strictObject({
  tools,
  each: text.optional(),
  key: text,
  value: text.optional(),
});

const table = z.strictObject({
  fill: z.array(fill).min(1, "must say what fills it"),
  keep: z.enum(["first", "last"]).optional(),
  clear: tools.optional(),
});

const rule = z.strictObject({
  id: z.string().regex(/^[a-z][\w-]*(\.[\w-]+)*$/i, "must be words joined by dots"),
  for: tools,
  at: z.enum(["call", "answer"]).optional(),
  needs: z.array(text).optional(),
  refuse: text.optional(),
  allows: z.array(text).optional(),
  approve: text.optional(),
  ask: z.strictObject({ question: text, yes: text, no: text }).optional(),
  because: text,
  mode: z.enum(["enforce", "log"]),
  policy: text.optional(),
}).superRefine((given, context) => {
  const fault = (path: string, message: string) =>
    context.addIssue({ code: "custom", path: [path], message });
  const deciding = [given.refuse, given.approve, given.ask].filter((key) => key !== undefined);
  if (deciding.length !== 1) fault("refuse", "needs either refuse, approve or ask");
  if (given.at === "answer" && given.mode === "enforce") {
    fault("at", 'cannot be "answer" in an enforced rule: the call was made already');
  }
  for (const key of ["ask", "approve"] as const) {
    if (given.at !== "answer" || given[key] === undefined) continue;
    fault(key, 'cannot stand beside at "answer": questions are asked about calls');
  }
});

const file = z.strictObject({
  hoist_guards: z.literal(RULES_VERSION),
  domain: text.optional(),
  about: text.optional(),
  groups: z.record(name, tools).optional(),
  constants: z.record(name, z.json()).optional(),
  tables: z.record(name, table).optional(),
  let: z.record(name, text).optional(),
  rules: z.array(rule).min(1, "must have at least one rule"),
});

/** The content of a rule file. */
export type RuleFile = z.infer<typeof file>;
/** A rule as written in its file. */
export type RuleEntry = RuleFile["rules"][number];
/** A table as written in its file. */
export type TableEntry = NonNullable<RuleFile["tables"]>[string];

/**
 * Checks the shape of a rule file.
 *
 * @param content The parsed content.
 * @param path The file's name, for messages.
 * @returns The content, typed.
 * @throws {RulesError} When the shape is wrong; names the rule and the path in the file.
 */
export function checkRuleFile(content: unknown, path: string): RuleFile {
  const version = z.looseObject({ hoist_guards: z.unknown() }).safeParse(content).data
    ?.hoist_guards;
  if (version === undefined) {
    throw new RulesError(
      `Cannot use rules "${path}": it is not a rule file: it has no hoist_guards`,
    );
  }
  if (version !== RULES_VERSION) {
    throw new RulesError(
      `Cannot use rules "${path}": its version is ${
        JSON.stringify(version)
      }, this program reads version ` +
        RULES_VERSION,
    );
  }
  const parsed = file.safeParse(content);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = (issue?.path ?? []).map((p) => typeof p === "number" ? `[${p}]` : `.${String(p)}`)
    .join("");
  const about = ruleName(content, issue?.path ?? []);
  throw new RulesError(
    `Cannot use rules "${path}": ${about}$${where}: ${issue?.message ?? "is wrong"}`,
  );
}

/** `rule "id" at ` when a path leads into a rule that has an id, else nothing. */
function ruleName(content: unknown, path: readonly PropertyKey[]): string {
  if (path[0] !== "rules" || typeof path[1] !== "number") return "";
  const id = z.looseObject({ rules: z.array(z.unknown()) }).safeParse(content).data?.rules[path[1]];
  const named = z.looseObject({ id: z.string() }).safeParse(id).data;
  return named === undefined ? "" : `rule "${named.id}" at `;
}

/**
 * Reads a rule file.
 *
 * @param source The file's text, JSON or YAML.
 * @param path The file's name, for messages.
 * @returns The content.
 * @throws {RulesError} When it is neither JSON nor YAML, or its shape is wrong.
 */
export async function readRuleFile(source: string, path: string): Promise<RuleFile> {
  let content: unknown;
  try {
    content = JSON.parse(source);
  } catch {
    content = await parseYaml(source, path);
  }
  return checkRuleFile(content, path);
}

async function parseYaml(source: string, path: string): Promise<unknown> {
  try {
    // Loaded for YAML only.
    const { parse } = await import("yaml");
    return parse(source);
  } catch (error) {
    const said = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new RulesError(
      `Cannot use rules "${path}": it is neither JSON nor YAML: ${said}`,
      {
        cause: error,
      },
    );
  }
}
