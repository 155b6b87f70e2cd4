/**
 * Compares two JSON Schemas: which values are no longer accepted, and which are now.
 *
 * Keywords are compared one by one, not the sets of values they accept. A change that
 * cannot be ordered, such as another `pattern`, counts as narrower.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { at, isObject, type JsonObject } from "../json/json.ts";

/** One change of a schema. */
export interface SchemaChange {
  /** The place in the value, such as `filter.tags[]`; empty for the whole value. */
  readonly path: string;
  /** `narrowed`: fewer values are accepted. `widened`: more are. `reworded`: the same are. */
  readonly kind: "narrowed" | "widened" | "reworded";
  /** The change in words. */
  readonly what: string;
}

/** Deeper schemas are not compared: they are recursive. */
const MAX_DEPTH = 20;

/** Bounds that accept more when they are lower, and more when they are higher. */
const LOWER = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const UPPER = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
/** Keywords that only restrict: without them more is accepted. */
const RESTRICTING = [
  ...["pattern", "format", "multipleOf", "uniqueItems", "allOf", "not", "if", "then", "else"],
  ...["prefixItems", "contains", "patternProperties", "propertyNames", "dependentRequired"],
];

/** Keywords that decide which values are accepted; all others are for people. */
const COMPARED = new Set([
  ...LOWER,
  ...UPPER,
  ...RESTRICTING,
  ...["type", "enum", "const", "anyOf", "oneOf", "properties", "required", "items"],
  ...["additionalProperties", "$ref", "$defs", "definitions"],
]);

/**
 * Compares two schemas.
 *
 * @param before The old schema.
 * @param after The new one.
 * @returns The changes, in the order of the old schema's properties.
 */
export function schemaChanges(before: unknown, after: unknown): SchemaChange[] {
  return [...new Comparison(before, after).of(before, after, { path: "", depth: 0 })];
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

class Comparison {
  /** Pairs of references that were compared already: schemas may be recursive. */
  readonly #seen = new Set<string>();
  readonly #hasSameDefinitions: boolean;

  constructor(readonly before: unknown, readonly after: unknown) {
    this.#hasSameDefinitions = ["$defs", "definitions"].every((word) =>
      isSame(at(before, word), at(after, word))
    );
  }

  *of(given: unknown, now: unknown, place: Place): Generator<SchemaChange> {
    if (place.depth > MAX_DEPTH) return;
    if (this.#hasSameDefinitions && canonicalJson(given ?? {}) === canonicalJson(now ?? {})) return;
    const refs = [given, now].map((schema) => at(schema, "$ref"));
    if (refs.some((ref) => ref !== undefined)) {
      const pair = JSON.stringify(refs.map((ref) => ref ?? null));
      if (this.#seen.has(pair)) return;
      this.#seen.add(pair);
    }
    const [old, next] = [resolved(given, this.before), resolved(now, this.after)];
    const { path } = place;
    for (const word of new Set([...Object.keys(old), ...Object.keys(next)])) {
      if (!COMPARED.has(word) && !isSame(old[word], next[word])) {
        yield { path, kind: "reworded", what: `${word} changed` };
      }
    }
    yield* sets(old, next, path);
    yield* bounds(old, next, path);
    for (const word of RESTRICTING) yield* restricting(word, old, next, path);
    yield* this.#fields(old, next, place);
    if (old.items !== undefined && next.items !== undefined) {
      yield* this.of(old.items, next.items, { path: `${path}[]`, depth: place.depth + 1 });
    } else yield* restricting("items", old, next, path);
  }

  *#fields(old: JsonObject, next: JsonObject, { path, depth }: Place): Generator<SchemaChange> {
    const [had, has] = [fieldsOf(old), fieldsOf(next)];
    const [needed, needs] = [requiredOf(old), requiredOf(next)];
    const [wasOpen, isOpen] = [old, next].map((s) => s.additionalProperties !== false);
    const place = (name: string) => path === "" ? name : `${path}.${name}`;
    for (const [name, schema] of Object.entries(had)) {
      if (!Object.hasOwn(has, name)) {
        yield { path: place(name), kind: "narrowed", what: "is gone" };
        continue;
      }
      yield* this.of(schema, has[name], { path: place(name), depth: depth + 1 });
    }
    for (const name of new Set([...Object.keys(has), ...needs])) {
      const isNew = !Object.hasOwn(had, name) && Object.hasOwn(has, name);
      if (needs.has(name) && !needed.has(name)) {
        yield {
          path: place(name),
          kind: "narrowed",
          what: isNew ? "is new and required" : "is required",
        };
      } else if (isNew) yield { path: place(name), kind: "widened", what: "is new" };
    }
    for (const name of needed) {
      if (!needs.has(name) && Object.hasOwn(has, name)) {
        yield { path: place(name), kind: "widened", what: "is optional" };
      }
    }
    const [oldRest, newRest] = [old.additionalProperties, next.additionalProperties];
    if (wasOpen && isOpen && isObject(oldRest) && isObject(newRest)) {
      yield* this.of(oldRest, newRest, { path: place("*"), depth: depth + 1 });
    } else if (wasOpen && isOpen && isObject(oldRest) !== isObject(newRest)) {
      const [kind, what] = isObject(newRest)
        ? ["narrowed", "other fields are restricted"] as const
        : ["widened", "other fields may be anything"] as const;
      yield { path, kind, what };
    }
    if (wasOpen !== isOpen) {
      yield isOpen
        ? { path, kind: "widened", what: "other fields are accepted" }
        : { path, kind: "narrowed", what: "other fields are refused" };
    }
  }
}

/** Types, enums and alternatives: sets of which one member must fit. */
function* sets(old: JsonObject, next: JsonObject, path: string): Generator<SchemaChange> {
  const rows: readonly (readonly [string, Members, Members])[] = [
    ["type", typesOf(old), typesOf(next)],
    ["enum", valuesOf(old), valuesOf(next)],
    ...["anyOf", "oneOf"].map((word) =>
      [word, membersOf(old[word]), membersOf(next[word])] as const
    ),
  ];
  for (const [word, had, has] of rows) {
    const lost = has === undefined ? [] : had === undefined ? ["others"] : minus(had, has);
    const won = had === undefined ? [] : has === undefined ? ["others"] : minus(has, had);
    if (lost.length > 0) {
      yield { path, kind: "narrowed", what: `${word} no longer takes ${shown(lost)}` };
    }
    if (won.length > 0) yield { path, kind: "widened", what: `${word} also takes ${shown(won)}` };
  }
}

function* bounds(old: JsonObject, next: JsonObject, path: string): Generator<SchemaChange> {
  for (const [words, isLower] of [[LOWER, true], [UPPER, false]] as const) {
    for (const word of words) {
      const none = isLower ? -Infinity : Infinity;
      const [had, has] = [old, next].map((schema) => {
        const bound = schema[word];
        return typeof bound === "number" ? bound : none;
      });
      if (had === undefined || has === undefined || had === has) continue;
      const kind = (has > had) === isLower ? "narrowed" : "widened";
      const text = (bound: number) => Number.isFinite(bound) ? String(bound) : "none";
      yield { path, kind, what: `${word} was ${text(had)}, is ${text(has)}` };
    }
  }
}

function* restricting(
  word: string,
  old: JsonObject,
  next: JsonObject,
  path: string,
): Generator<SchemaChange> {
  if (isSame(old[word], next[word])) return;
  if (next[word] === undefined) yield { path, kind: "widened", what: `${word} is gone` };
  else {yield {
      path,
      kind: "narrowed",
      what: `${word} ${old[word] === undefined ? "is new" : "changed"}`,
    };}
}

/** A schema with its local reference followed; `true` accepts all, and so does what is no schema. */
function resolved(schema: unknown, root: unknown): JsonObject {
  const ref = at(schema, "$ref");
  if (typeof ref !== "string" || !ref.startsWith("#/")) return isObject(schema) ? schema : {};
  const steps = ref.slice(2).split("/").map((step) =>
    decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")
  );
  const found = at(root, ...steps);
  const { $ref: _ref, ...beside } = isObject(schema) ? schema : {};
  return { ...isObject(found) ? found : {}, ...beside };
}

/** The members of a set, each as text; undefined where anything fits. */
type Members = ReadonlySet<string> | undefined;

function typesOf({ type }: JsonObject): Members {
  if (type === undefined) return undefined;
  const types = new Set((Array.isArray(type) ? type : [type]).map(String));
  return types.has("number") ? types.add("integer") : types;
}

function valuesOf(schema: JsonObject): Members {
  return Object.hasOwn(schema, "const") ? membersOf([schema.const]) : membersOf(schema.enum);
}

function membersOf(list: unknown): Members {
  return Array.isArray(list) ? new Set(list.map((item) => canonicalJson(item))) : undefined;
}

function minus(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((member) => !b.has(member));
}

function shown(members: readonly string[]): string {
  const text = members.join(", ");
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

function fieldsOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): Set<string> {
  return new Set(Array.isArray(required) ? required.map(String) : []);
}

function isSame(a: unknown, b: unknown): boolean {
  return a === undefined || b === undefined ? a === b : canonicalJson(a) === canonicalJson(b);
}
