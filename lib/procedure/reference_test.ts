import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { actionText, parseAction } from "./action_text.ts";
import { parseReference } from "./reference.ts";
import { compilePattern, patternOf } from "./ticket_pattern.ts";

const NONE = {
  fields: {},
  ticket: undefined,
  isOnly: false,
  isAll: false,
  instead: undefined,
};

Deno.test("parseReference() reads each kind", () => {
  assertEquals(parseReference("@input.email"), {
    kind: "input",
    name: "email",
    text: "@input.email",
  });
  const text = '@get_order$.items[*].id?{"kind":"a?b}"}?said?only?all';
  assertEquals(parseReference(text), {
    kind: "result",
    tool: "get_order",
    path: "$.items[*].id",
    selectors: { ...NONE, fields: { kind: "a?b}" }, ticket: "said", isOnly: true, isAll: true },
    text,
  });
  assertEquals(parseReference("@find$"), {
    kind: "result",
    tool: "find",
    path: "$",
    selectors: NONE,
    text: "@find$",
  });
  assertEquals(parseReference("@find@.id?described"), {
    kind: "result",
    tool: "find",
    path: "@.id",
    selectors: { ...NONE, ticket: "described" },
    text: "@find@.id?described",
  });
  const instead = parseReference("@find$.kinds.*~?instead(item_ids)?all");
  assertEquals(instead.kind === "result" && instead.selectors, {
    ...NONE,
    instead: "item_ids",
    isAll: true,
  });
  const ticket = parseReference("@ticket#W\\d{7}");
  assertEquals(ticket.kind === "ticket" && ticket.pattern.source, "#W\\d{7}");
});

Deno.test("parseReference() says what is wrong", () => {
  for (
    const [text, message] of [
      ["@nothing", '"@nothing" is none of @input.NAME'],
      ["@t$.a?first", '"@t$.a?first": "?first" is none of ?said'],
      [
        '@t$.a?{"a":[1]}',
        'is none of ?said, ?described, ?only, ?all, ?instead(ARGUMENT) and ?{"field":"value"}',
      ],
      ["@ticket", "a pattern is empty"],
      ["@ticketA\\", 'the pattern "A\\" ends in a backslash'],
    ] as const
  ) assertThrows(() => parseReference(text), SyntaxError, message);
});

Deno.test("compilePattern() finds whole values alone", () => {
  const pattern = compilePattern("#W\\d{4}");
  assertEquals(pattern.find("see #W12345, then #W4321."), "#W4321");
  assertEquals(pattern.find("see xW4321"), undefined);
  assertEquals([pattern.fits("#W0000"), pattern.fits("#W00000")], [true, false]);
  const address = compilePattern("\\e{}");
  assertEquals(address.find("Write to mei.li+2@post.example.org."), "mei.li+2@post.example.org");
  assertEquals(address.find("at home @ noon"), undefined);
  assertEquals(patternOf("mei.li+2@post.example.org"), "\\e{}");
  // What would be special in a regular expression stands for itself.
  assertEquals(compilePattern("a.(b)*").find("axb a.(b)*"), "a.(b)*");
});

Deno.test("patternOf() makes a pattern that finds the value again", () => {
  assertEquals(patternOf("555-0102"), "\\d{3}\\-\\d{4}");
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Z#$.*]{0,3}[0-9]{1,6}([-_][a-z0-9]{1,4})?$/), (value) => {
      const pattern = compilePattern(patternOf(value));
      assertEquals(pattern.fits(value), true);
      assertEquals(pattern.find(`about ${value}, please`), value);
    }),
  );
});

Deno.test("actionText() spells equal actions the same, and parseAction() reads them", () => {
  const text = actionText("send", { to: ["@input.a"], at: { y: 1, x: "@@b" } });
  assertEquals(text, 'send{"at": {"x": "@@b", "y": 1}, "to": ["@input.a"]}');
  const action = parseAction(text, true);
  assertEquals([action.tool, Object.keys(action.arguments ?? {})], ["send", ["at", "to"]]);
  assertEquals(parseAction("stop", true).arguments, undefined);
  assertEquals(parseAction('t{"a": "@input.x"}', false).arguments, {
    a: { kind: "value", json: "@input.x" },
  });
  assertThrows(() => parseAction("t{", true), SyntaxError, 'the arguments of "t{" are not JSON');
  assertThrows(() => parseAction('{"a": 1}', true), SyntaxError, "names no tool");
});

Deno.test("parseAction() reads any text or throws a SyntaxError", () => {
  fc.assert(fc.property(fc.string(), fc.jsonValue(), (name, value) => {
    for (const text of [name, `t${JSON.stringify({ a: value })}`, `t{"a": "@${name}"}`]) {
      try {
        parseAction(text, true);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
  }));
});
