/**
 * Compiles a rule file. Every fault that an expression can have without a session
 * is reported here, with its place in the file.
 *
 * @module
 */

import { type CurrentSession, type Expression, Expressions } from "./expressions.ts";
import type { ReasonPart, Rule, RuleCase } from "./rule.ts";
import { type RuleEntry, type RuleFile, RulesError, type TableEntry } from "./rule_file.ts";
import { reasonOf } from "../../text/reason.ts";

/** The compiled entry that fills a table from the answers of some tools. */
export interface TableFill {
  readonly tools: ReadonlySet<string>;
  readonly each: Expression | undefined;
  readonly key: Expression;
  readonly value: Expression | undefined;
}

/** A compiled table of facts. */
export interface FactTable {
  readonly name: string;
  readonly fill: readonly TableFill[];
  readonly keepsFirst: boolean;
  /** A successful call of one of these tools empties the table. */
  readonly clear: ReadonlySet<string>;
}

/** A compiled rule file. */
export interface RuleSet {
  readonly domain: string | undefined;
  readonly rules: readonly Rule[];
  readonly tables: readonly FactTable[];
  readonly lets: ReadonlyMap<string, Expression>;
  readonly constants: ReadonlyMap<string, unknown>;
  readonly expressions: Expressions;
  /** Whether an expression asks for what results have shown. */
  readonly readsShown: boolean;
  /** Whether a rule or a table is about calls of a tool. */
  readonly concerns: (tool: string) => boolean;
}

/** Names that every rule may use, with their CEL types. */
const GIVEN = [
  ["tool", "string"],
  ["args", "map"],
  ["heard", "bool"],
  ["reply", "string"],
  ["proposal", "string"],
  ["turn", "map"],
] as const;

/** Names that only rules about answers, and tables, may use. */
const ANSWER = [["result", "dyn"], ["text", "string"], ["it", "dyn"]] as const;

/**
 * Compiles the rules of a file.
 *
 * @param file The file's content.
 * @param path The file's name, for messages.
 * @returns The compiled rules.
 * @throws {RulesError} When an expression, a name or a group is wrong; names the rule and the path.
 */
export function compileRules(file: RuleFile, path: string): RuleSet {
  return new RuleCompiler(file, path).compile();
}

function concernsOf(rules: readonly Rule[], tables: readonly FactTable[]): RuleSet["concerns"] {
  const cases = rules.flatMap((rule) => rule.cases);
  if (cases.some(({ isForAll }) => isForAll)) return () => true;
  const tools = new Set([
    ...cases.flatMap((part) => [...part.tools]),
    ...tables.flatMap(({ fill, clear }) => [...fill.flatMap((f) => [...f.tools]), ...clear]),
  ]);
  return (tool) => tools.has(tool);
}

class RuleCompiler {
  readonly #file: RuleFile;
  readonly #path: string;
  /** Compiles rules about calls. */
  readonly #calls: Expressions;
  /** Compiles rules about answers. */
  readonly #answers: Expressions;
  /** Compiles the entries that fill tables. */
  readonly #fills: Expressions;
  #readsShown = false;

  constructor(file: RuleFile, path: string) {
    this.#file = file;
    this.#path = path;
    const asked: CurrentSession = { session: undefined };
    this.#calls = new Expressions(asked);
    this.#answers = new Expressions(asked);
    this.#fills = new Expressions(asked);
  }

  compile(): RuleSet {
    const { tables = {}, constants = {}, domain } = this.#file;
    for (const [name, type] of GIVEN) this.#declare(name, type, [this.#calls, this.#answers]);
    for (const [name, type] of ANSWER) this.#declare(name, type, [this.#answers, this.#fills]);
    this.#declare("args", "map", [this.#fills]);
    this.#declare("tool", "string", [this.#fills]);
    for (const name of Object.keys(constants)) {
      this.#declare(name, "dyn", [this.#calls, this.#answers, this.#fills], `$.constants.${name}`);
    }
    for (const name of Object.keys(tables)) {
      this.#declare(name, "map", [this.#calls, this.#answers], `$.tables.${name}`);
    }
    const lets = this.#lets();
    const filled = Object.entries(tables).map(([name, entry]) => this.#table(name, entry));
    const rules = this.#rules();
    return {
      domain,
      tables: filled,
      constants: new Map(Object.entries(constants)),
      lets,
      rules,
      expressions: this.#calls,
      readsShown: this.#readsShown,
      concerns: concernsOf(rules, filled),
    };
  }

  /** Each `let` may use those before it. */
  #lets(): Map<string, Expression> {
    const lets = new Map<string, Expression>();
    for (const [name, text] of Object.entries(this.#file.let ?? {})) {
      const where = `$.let.${name}`;
      lets.set(name, this.#expression(this.#calls, text, { where }));
      this.#declare(name, "dyn", [this.#calls, this.#answers], where);
    }
    return lets;
  }

  #table(name: string, entry: TableEntry): FactTable {
    const where = `$.tables.${name}`;
    const fills = entry.fill.map((given, i): TableFill => {
      const at = (field: string) => ({ where: `${where}.fill[${i}].${field}` });
      const optional = (text: string | undefined, field: string) =>
        text === undefined ? undefined : this.#expression(this.#fills, text, at(field));
      return {
        tools: this.#tools(given.tools, at("tools").where),
        each: optional(given.each, "each"),
        key: this.#expression(this.#fills, given.key, at("key")),
        value: optional(given.value, "value"),
      };
    });
    const clear = entry.clear === undefined
      ? new Set<string>()
      : this.#tools(entry.clear, `${where}.clear`);
    return { name, fill: fills, keepsFirst: entry.keep === "first", clear };
  }

  #rules(): Rule[] {
    const rules = new Map<string, Rule & { cases: RuleCase[] }>();
    this.#file.rules.forEach((entry, i) => {
      const where = `rule "${entry.id}" at $.rules[${i}]`;
      const part = this.#case(entry, where);
      const isEnforced = entry.mode === "enforce";
      const isOnAnswer = entry.at === "answer";
      const known = rules.get(entry.id);
      if (known === undefined) {
        rules.set(entry.id, { id: entry.id, isEnforced, isOnAnswer, cases: [part] });
        return;
      }
      if (known.isEnforced !== isEnforced || known.isOnAnswer !== isOnAnswer) {
        throw this.#error(`${where}: its mode and at must be those of the first rule of that id`);
      }
      const shared = known.cases.flatMap((c) => c.isForAll ? ["*"] : [...c.tools]).find((t) =>
        part.tools.has(t)
      );
      if (part.isForAll || shared !== undefined) {
        throw this.#error(
          `${where}.for: another rule of that id is for "${shared ?? "*"}" already`,
        );
      }
      known.cases.push(part);
    });
    return [...rules.values()];
  }

  #case(entry: RuleEntry, where: string): RuleCase {
    const env = entry.at === "answer" ? this.#answers : this.#calls;
    const list = (field: string, texts: readonly string[] = []) =>
      texts.map((text, i) => this.#expression(env, text, { where: `${where}.${field}[${i}]` }));
    return {
      tools: this.#tools(entry.for, `${where}.for`),
      isForAll: entry.for.includes("*"),
      readsArguments: this.#readsArguments(entry),
      needs: list("needs", entry.needs),
      refuse: this.#condition(env, entry.refuse, `${where}.refuse`),
      approve: this.#condition(env, entry.approve, `${where}.approve`),
      allows: list("allows", entry.allows),
      ask: entry.ask,
      because: this.#reason(env, entry.because, `${where}.because`),
      policy: entry.policy,
    };
  }

  #condition(env: Expressions, text: string | undefined, where: string): Expression | undefined {
    return text === undefined ? undefined : this.#expression(env, text, { where, result: "bool" });
  }

  /** Whether a rule uses `args`, itself or through a `let`. A model is always shown them. */
  #readsArguments(
    { ask, needs = [], refuse = "", approve = "", allows = [] }: RuleEntry,
  ): boolean {
    const names = ["args"];
    const isRead = (text: string) => names.some((name) => new RegExp(`\\b${name}\\b`).test(text));
    for (const [name, text] of Object.entries(this.#file.let ?? {})) {
      if (isRead(text)) names.push(name);
    }
    return ask !== undefined || [...needs, refuse, approve, ...allows].some(isRead);
  }

  /** Splits text with expressions in braces. An expression in a reason cannot contain a brace. */
  #reason(env: Expressions, text: string, where: string): ReasonPart[] {
    return text.split(/(\{[^{}]*\})/).filter((part) => part !== "").map((part) =>
      part.startsWith("{") && part.endsWith("}")
        ? this.#expression(env, part.slice(1, -1), { where })
        : part
    );
  }

  #tools(names: readonly string[], where: string): Set<string> {
    return new Set(names.flatMap((name) => {
      if (!name.startsWith("@")) return [name];
      const group = Object.entries(this.#file.groups ?? {}).find(([key]) => `@${key}` === name)
        ?.[1];
      if (group === undefined) throw this.#error(`${where}: there is no group "${name.slice(1)}"`);
      return group;
    }));
  }

  #expression(
    env: Expressions,
    text: string,
    { where, result }: { readonly where: string; readonly result?: "bool" },
  ): Expression {
    if (/\bshown\b/.test(text)) this.#readsShown = true;
    try {
      return env.compile(text, result);
    } catch (error) {
      throw this.#error(
        `${where}: ${reasonOf(error)}`,
        error,
      );
    }
  }

  #declare(
    name: string,
    type: "dyn" | "map" | "string" | "bool",
    into: readonly Expressions[],
    where = "$",
  ): void {
    for (const env of into) {
      try {
        env.declare(name, type);
      } catch (error) {
        throw this.#error(`${where}: the name "${name}" is taken`, error);
      }
    }
  }

  #error(message: string, cause?: unknown): RulesError {
    return new RulesError(`Cannot use rules "${this.#path}": ${message}`, { cause });
  }
}
