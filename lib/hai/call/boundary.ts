/**
 * The strict boundary: arguments are what their schema says, or the call is
 * refused by name. Nothing is converted, nothing unknown is dropped.
 *
 * A refusal carries `code`, `field`, `expected` and `got` of the first fault,
 * and all faults in `issues`. Deeply nested values are refused before anything
 * recursive sees them.
 *
 * @module
 */

import { z } from "zod";
import { nearest } from "../../text/nearest.ts";
import { CallRefusal, type ToolReply } from "../state/refusal.ts";

/** Characters all arguments of a call may have together: an owner has to be able to read them. */
const MAX_CHARS = 1024 * 1024;

/** Levels a nested argument may have; the deepest real one has four. */
const MAX_DEPTH = 64;

/** Makes zod say that a number was to be whole, whatever came instead. */
export const INTEGER = { error: "integer" } as const;

/** One fault of a call's arguments. */
interface Fault extends ToolReply {
  readonly problem: string;
  readonly field: string;
  readonly expected: string;
  readonly got: string;
  readonly message: string;
}

/**
 * Checks arguments against a schema.
 *
 * @param schema A strict object schema.
 * @param args The arguments as received.
 * @returns The arguments, typed, or a refusal.
 */
export function checkArgs<S extends z.ZodObject>(
  schema: S,
  args: Readonly<Record<string, unknown>>,
): z.output<S> | CallRefusal {
  const deep = tooDeep(args);
  if (deep !== undefined) return refuseFaults([deep], schema);
  const long = tooLong(args);
  if (long !== undefined) return refuseFaults([long], schema);
  const odd = findProto(args, "");
  if (odd !== undefined) return refuseFaults([odd], schema);
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  return refuseFaults(
    parsed.error.issues.flatMap((issue) => faultsOf(issue, args, schema)),
    schema,
  );
}

/**
 * Describes a value as a refusal shows it: its type, and itself if short.
 *
 * @param value The value as received.
 * @returns Such as `string "2"`.
 */
export function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "object") return "object";
  const text = JSON.stringify(value);
  return `${typeof value} ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`;
}

function refuseFaults(faults: readonly Fault[], schema: z.ZodObject): CallRefusal {
  const first = faults[0];
  return new CallRefusal(
    "invalid_args",
    faults.slice(0, 5).map((fault) => fault.message).join("; "),
    {
      code: "invalid_args",
      problem: first?.problem,
      field: first?.field,
      expected: first?.expected,
      got: first?.got,
      issues: faults.slice(0, 20),
      parameters: Object.keys(schema.shape),
    },
  );
}

function faultsOf(
  issue: z.core.$ZodIssue,
  args: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
): Fault[] {
  const field = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const name = field === "" ? key : `${field}.${key}`;
      const meant = nearest(key, namesAt(schema, issue.path));
      const advice = meant === undefined
        ? "leave it out, or put it where it belongs"
        : `did you mean ${meant}?`;
      return fault(`unknown argument ${name}; ${advice}`, {
        problem: "unknown_argument",
        field: name,
        expected: "nothing: there is no such argument",
        got: describe(valueAt(args, [...issue.path, key])),
      });
    });
  }
  const value = valueAt(args, issue.path);
  if (value === undefined && issue.code === "invalid_type") {
    return [fault(`${field} is required`, {
      problem: "missing_argument",
      field,
      expected: expectedOf(issue),
      got: "nothing",
    })];
  }
  const expected = expectedOf(issue);
  const isType = issue.code === "invalid_type";
  return [
    fault(
      `${field} must ${expected.startsWith("at ") ? "have" : "be"} ${
        isType ? `a literal ${expected}` : expected
      }`,
      {
        problem: isType ? "wrong_type" : "out_of_range",
        field,
        expected,
        got: describe(value),
      },
    ),
  ];
}

/** Names that an object takes, at a place in a schema. */
function namesAt(schema: z.ZodObject, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const key of path) {
    at = bare(at);
    if (at instanceof z.ZodObject) at = at.shape[String(key)];
    else if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodRecord) at = at.valueType;
  }
  at = bare(at);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** A schema without what makes it optional. */
function bare(schema: unknown): unknown {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional || inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault
  ) inner = inner.unwrap();
  return inner;
}

function expectedOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") {
    const { expected, message } = issue;
    if (message === INTEGER.error || expected === "int") return "integer";
    return expected === "record" ? "object" : expected;
  }
  if (issue.code === "too_small") return bound("at least", ">=", issue.minimum, issue.origin);
  if (issue.code === "too_big") return bound("at most", "<=", issue.maximum, issue.origin);
  if (issue.code === "invalid_value") {
    return issue.values.map((v) => JSON.stringify(v)).join(" or ");
  }
  return issue.message;
}

function bound(words: string, sign: string, limit: number | bigint, origin: string): string {
  return origin === "array" ? `${words} ${limit} items` : `${sign} ${limit}`;
}

function fault(
  message: string,
  rest: { problem: string; field: string; expected: string; got: string },
): Fault {
  return { ...rest, message };
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

function tooDeep(args: unknown): Fault | undefined {
  let level: unknown[] = [args];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      return fault(`arguments are nested more than ${MAX_DEPTH} levels deep`, {
        problem: "out_of_range",
        field: "",
        expected: `at most ${MAX_DEPTH} levels`,
        got: "more",
      });
    }
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : []
    );
  }
  return undefined;
}

function tooLong(args: unknown): Fault | undefined {
  let chars = 0;
  const count = (value: unknown): void => {
    if (typeof value === "string") chars += value.length;
    else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        chars += Array.isArray(value) ? 1 : key.length;
        count(member);
      }
    } else chars += 1;
  };
  count(args);
  return chars <= MAX_CHARS
    ? undefined
    : fault(`arguments have more than ${MAX_CHARS} characters`, {
      problem: "out_of_range",
      field: "",
      expected: `at most ${MAX_CHARS} characters`,
      got: `${chars} characters`,
    });
}

/** `__proto__` as a name is never meant well, and libraries drop it without a word. */
function findProto(value: unknown, field: string): Fault | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const name = field === "" ? key : `${field}.${key}`;
    if (key === "__proto__") {
      return fault(`unknown argument ${name}`, {
        problem: "unknown_argument",
        field: name,
        expected: "nothing: this name is refused everywhere",
        got: describe(member),
      });
    }
    const inner = findProto(member, name);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
