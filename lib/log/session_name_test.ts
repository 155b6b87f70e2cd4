import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { expandSession, sessionFileFault } from "./session_name.ts";

const ROWS: readonly (readonly [string, string, string])[] = [
  ["/l/{session}.flow.jsonl", "host-12", "/l/host-12.flow.jsonl"],
  ["{session}/{session}", "a.b_c-1", "a.b_c-1/a.b_c-1"],
  ["flow.jsonl", "host-12", "flow.jsonl"],
  ["/l/{session}", "../../etc/passwd", "/l/%2E.%2F..%2Fetc%2Fpasswd"],
  ["/l/{session}", "..", "/l/%2E."],
  ["/l/{session}", "C:\\x\0", "/l/C%3A%5Cx%00"],
  ["/l/{session}", "é", "/l/%C3%A9"],
  ["/l/{session}", "$&{session}", "/l/%24%26%7Bsession%7D"],
];

for (const [template, session, expected] of ROWS) {
  Deno.test(`expandSession() of ${template} for ${JSON.stringify(session)}`, () => {
    assertEquals(expandSession(template, session), expected);
  });
}

Deno.test("expandSession() makes one part of a path of any name, and keeps names apart", () => {
  fc.assert(fc.property(
    fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
    (a, b) => {
      const [x, y] = [expandSession("{session}", a), expandSession("{session}", b)];
      assert(/^[\w%-][\w.%-]*$/.test(x), x);
      assertEquals(x === y, a === b);
    },
  ));
});

Deno.test("expandSession() keeps a name within what a file system takes", () => {
  assertEquals(expandSession("{session}", "a".repeat(500)), "a".repeat(160));
});

Deno.test("sessionFileFault() refuses other braces, and a conversation that sessions would share", () => {
  const many = { hasManySessions: true };
  const one = { hasManySessions: false };
  for (const template of ["{sesion}.jsonl", "a{", "}", "{{session}}", "{session", "{}"]) {
    assertEquals(
      sessionFileFault(template, { use: "append", ...one }),
      "has a brace that is not of {session}",
      template,
    );
  }
  assertEquals(
    sessionFileFault("talk.jsonl", { use: "read", ...many }),
    "must have {session} in it: with --listen each session reads a file of its own",
  );
  assertEquals(sessionFileFault("talk.jsonl", { use: "read", ...one }), undefined);
  assertEquals(sessionFileFault("talk-{session}.jsonl", { use: "read", ...many }), undefined);
  assertEquals(sessionFileFault("flow.jsonl", { use: "append", ...many }), undefined);
});
