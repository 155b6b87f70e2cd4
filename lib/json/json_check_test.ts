import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { JsonCheck } from "./json_check.ts";

const encoder = new TextEncoder();

/** What the platform says: valid UTF-8, no byte order mark, and `JSON.parse` takes it. */
function platform(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

const check = new JsonCheck();

function ours(bytes: Uint8Array, cuts: readonly number[] = []): boolean {
  const at = [0, ...cuts.map((c) => c % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < at.length; i++) check.push(bytes, at[i - 1] ?? 0, at[i] ?? 0);
  return check.end();
}

const CASES: readonly (readonly [string, boolean])[] = [
  ['{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[1,2,{"b":null}]}}', true],
  [' \t\r {"a" : 1 , "a" : 2 } \r', true],
  ['{"n":12345678901234567890,"m":1e400,"z":-0,"f":1.0,"e":1E+2}', true],
  ['{"s":"\\u00e9\\u2028\\/\\ud800 \u2028\u2029 \\u0000"}', true],
  ['"é€🚀漢"', true],
  ["null", true],
  ["true", true],
  ["false", true],
  ["42", true],
  ["0", true],
  ["-0", true],
  ["-0.5e-7 ", true],
  ["[]", true],
  ["{}", true],
  [" [ ] ", true],
  ["[[],[[]]]", true],
  ['""', true],
  ["", false],
  ["   ", false],
  ["nul", false],
  ["nulll", false],
  ["truefalse", false],
  ["01", false],
  ["-", false],
  ["-a", false],
  ["1.", false],
  [".5", false],
  ["1e", false],
  ["1e+", false],
  ["1.5.2", false],
  ["+1", false],
  ["1 2", false],
  ["[1,2", false],
  ["[1,]", false],
  ["[,1]", false],
  ["[1 2]", false],
  ["[1}", false],
  ["{]", false],
  ['{"a":1]', false],
  ['{"a"}', false],
  ['{"a":}', false],
  ['{"a":1,}', false],
  ["{a:1}", false],
  ['{1:"a"}', false],
  ["{foo}", false],
  ['"a', false],
  ['"\\x"', false],
  ['"\\u12"', false],
  ['"\\u12g4"', false],
  ['"a\tb"', false],
  ['{"a":"o\0k"}', false],
  ["\ufeff{}", false],
  ["{}{}", false],
  ["NaN", false],
  ["Infinity", false],
  ["Listening on stdio", false],
  ["]", false],
  ["}", false],
  [",", false],
  ["1,2", false],
];

for (const [text, valid] of CASES) {
  Deno.test(`JsonCheck says ${valid} to ${JSON.stringify(text).slice(0, 60)}`, () => {
    const bytes = encoder.encode(text);
    assertEquals(platform(bytes), valid, "the case itself");
    assertEquals(ours(bytes), valid);
    assertEquals(ours(bytes, bytes.length > 0 ? [...bytes.keys()] : []), valid, "byte by byte");
  });
}

const BAD_UTF8: readonly (readonly number[])[] = [
  [0xff],
  [0xc3, 0x28],
  [0xc0, 0x80],
  [0xe2, 0x82],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x80, 0x80, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0x80],
];

for (const bad of BAD_UTF8) {
  Deno.test(`JsonCheck refuses the bytes ${bad.map((b) => b.toString(16)).join(" ")}`, () => {
    const bytes = new Uint8Array([0x22, ...bad, 0x22]);
    assertEquals(platform(bytes), false, "the case itself");
    assertEquals(ours(bytes), false);
  });
}

Deno.test("JsonCheck takes 200,000 nested arrays", () => {
  const deep = encoder.encode("[".repeat(200_000) + "]".repeat(200_000));
  assert(ours(deep));
  assert(!ours(deep.subarray(1)));
});

Deno.test("JsonCheck takes whatever JSON.stringify prints, however it is cut", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 6 }),
      (v, pad, cuts) => {
        const bytes = encoder.encode(JSON.stringify(v, null, pad ? "\t" : undefined));
        return ours(bytes, cuts);
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("JsonCheck agrees with JSON.parse on damaged JSON and on any bytes", () => {
  const damaged = fc.tuple(fc.jsonValue(), fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(2))
    .map(([value, at, byte, kind]) => {
      const bytes = [...encoder.encode(JSON.stringify(value))];
      const i = at % (bytes.length + 1);
      bytes.splice(i, kind === 0 ? 0 : 1, ...(kind === 2 ? [] : [byte]));
      return new Uint8Array(bytes);
    });
  const symbols = fc.array(
    fc.constantFrom(...'{}[]:,"\\/0123456789eE+-. \tnulltruefasuD8é\u2028'),
    {
      maxLength: 24,
    },
  ).map((chars) => encoder.encode(chars.join("")));
  fc.assert(
    fc.property(
      fc.oneof(damaged, symbols, fc.uint8Array({ maxLength: 20 })),
      fc.array(fc.nat(), { maxLength: 4 }),
      (bytes, cuts) => ours(bytes, cuts) === platform(bytes),
    ),
    { numRuns: 20_000 },
  );
});
