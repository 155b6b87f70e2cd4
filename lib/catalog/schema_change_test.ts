import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { schemaChanges } from "./schema_change.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

Deno.test.each<{ why: string; before: unknown; after: unknown; changes: readonly string[] }>([
  {
    why: "a description",
    before: object({ a: { type: "string", description: "x" } }),
    after: object({ a: { type: "string", description: "y" } }),
    changes: ["reworded a description changed"],
  },
  {
    why: "a new optional field",
    before: object({}),
    after: object({ a: {} }),
    changes: ["widened a is new"],
  },
  {
    why: "a new required field",
    before: object({}),
    after: object({ a: {} }, { required: ["a"] }),
    changes: ["narrowed a is new and required"],
  },
  {
    why: "a field that is gone",
    before: object({ a: {} }),
    after: object({}),
    changes: ["narrowed a is gone"],
  },
  {
    why: "fields that become required and optional",
    before: object({ a: {}, b: {} }, { required: ["b"] }),
    after: object({ a: {}, b: {} }, { required: ["a"] }),
    changes: ["narrowed a is required", "widened b is optional"],
  },
  {
    why: "types, of which an integer is a number",
    before: object({ a: { type: "integer" }, b: { type: ["string", "null"] } }),
    after: object({ a: { type: "number" }, b: { type: "string" } }),
    changes: ["widened a type also takes number", "narrowed b type no longer takes null"],
  },
  {
    why: "an enum and a constant",
    before: object({ a: { enum: ["x", "y"] }, b: { const: 1 } }),
    after: object({ a: { enum: ["y", "z"] }, b: {} }),
    changes: [
      'narrowed a enum no longer takes "x"',
      'widened a enum also takes "z"',
      "widened b enum also takes others",
    ],
  },
  {
    why: "bounds",
    before: object({ a: { minimum: 1, maxLength: 9 } }),
    after: object({ a: { minimum: 2, maxLength: 10, minItems: 1 } }),
    changes: [
      "narrowed a minimum was 1, is 2",
      "narrowed a minItems was none, is 1",
      "widened a maxLength was 9, is 10",
    ],
  },
  {
    why: "patterns",
    before: object({ a: { pattern: "x" }, b: {}, c: { pattern: "z" } }),
    after: object({ a: { pattern: "y" }, b: { format: "uri" }, c: {} }),
    changes: [
      "narrowed a pattern changed",
      "narrowed b format is new",
      "widened c pattern is gone",
    ],
  },
  {
    why: "items of a list, at any depth",
    before: object({ a: { items: object({ b: { type: "string" } }) } }),
    after: object({ a: { items: object({ b: { type: "number" } }) } }),
    changes: [
      "narrowed a[].b type no longer takes string",
      "widened a[].b type also takes number, integer",
    ],
  },
  {
    why: "other fields",
    before: object({}),
    after: object({}, { additionalProperties: false }),
    changes: ["narrowed other fields are refused"],
  },
  {
    why: "alternatives",
    before: { anyOf: [{ type: "string" }] },
    after: { anyOf: [{ type: "string" }, { type: "null" }] },
    changes: ['widened anyOf also takes {"type":"null"}'],
  },
  {
    why: "a definition that is referred to",
    before: object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: { type: "string" } } }),
    after: object({ a: { $ref: "#/$defs/A" } }, { $defs: { A: { type: "string", minLength: 1 } } }),
    changes: ["narrowed a minLength was none, is 1"],
  },
])("schemaChanges() of $why", ({ before, after, changes }) => {
  assertEquals(
    schemaChanges(before, after).map(({ kind, path, what }) =>
      [kind, ...path === "" ? [] : [path], what].join(" ")
    ),
    changes,
  );
});

Deno.test("schemaChanges() ends on recursive definitions", () => {
  const tree = (type: string) => ({
    $ref: "#/$defs/T",
    $defs: {
      T: object({ v: { type }, l: { $ref: "#/$defs/T" }, r: { items: { $ref: "#/$defs/T" } } }),
    },
  });
  assertEquals(schemaChanges(tree("string"), tree("string")), []);
  assertEquals(schemaChanges(tree("string"), tree("null")).map(({ path }) => path), ["v", "v"]);
});

Deno.test("schemaChanges() finds nothing between equal schemas, and throws on no value", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
    assertEquals(schemaChanges(a, structuredClone(a)), []);
    schemaChanges(a, b);
  }));
});
