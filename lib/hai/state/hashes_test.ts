import { assert, assertEquals } from "@std/assert";
import vectors from "../../../testdata/hai/hash_vectors.json" with { type: "json" };
import {
  codeHash,
  fingerprint,
  isSameSecret,
  legacyFingerprint,
  recordHash,
  seal,
  sha256,
} from "./hashes.ts";
import { byCodePoint, floatText, hashableJson, indentedJson } from "./state_json.ts";

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

for (const { id, what, input, sha256: expected } of vectors.canonical) {
  Deno.test(`hashableJson() gives the hash of vector ${id}: ${what}`, () => {
    assertEquals(sha256(hashableJson(input)), expected);
    assertEquals(legacyFingerprint(input), `sha256:${expected}`);
    assertEquals(
      recordHash({ ...input, own_hash: "x" }, "own_hash"),
      `sha256:${expected}`,
    );
  });
}

Deno.test("hashableJson() writes vector A-1 to the letter, never the wrong float", () => {
  const contract = vectors.canonical.find((vector) => vector.id === "A-1")?.input;
  assertEquals(hashableJson(contract), vectors.canonical_text.text);
  assert(sha256(hashableJson(contract)) !== vectors.wrong_float.sha256);
});

Deno.test("sha256() gives vectors A-3 and A-7", () => {
  assertEquals(sha256(vectors.body.text), vectors.body.sha256);
  const { salt, code, sha256: expected } = vectors.legacy_code;
  assertEquals(sha256(`${salt}:${code}`), expected);
});

for (const { id, change, sha256: expected } of vectors.fingerprints) {
  Deno.test(`fingerprint() gives vector ${id}`, () => {
    assertEquals(fingerprint(change), `sha256:${expected}`);
  });
}

Deno.test("codeHash() gives vector H-3", () => {
  const { key_hex, challenge_id, code, scrypt } = vectors.code_hash;
  assertEquals(codeHash(bytesOf(key_hex), challenge_id, code), scrypt);
});

Deno.test("seal() gives vector H-4 and covers every member but itself", () => {
  const { key_hex, record, seal: expected } = vectors.seal;
  const key = bytesOf(key_hex);
  assertEquals(seal(key, record), expected);
  assertEquals(seal(key, { ...record, seal: "x" }), expected);
  assert(seal(key, { ...record, attempts: 1 }) !== expected);
});

Deno.test("floatText() writes floats as the hash format does", () => {
  for (const [value, expected] of vectors.floats) assertEquals(floatText(Number(value)), expected);
});

Deno.test("indentedJson() sorts by code point, leaves text raw and drops nothing but undefined", () => {
  const value = { "😀": [], "ﬁ": {}, b: "é\u2028", a: [1, { time_limit_hours: 6 }], no: undefined };
  assertEquals(
    indentedJson(value),
    [
      "{",
      '  "a": [',
      "    1,",
      "    {",
      '      "time_limit_hours": 6.0',
      "    }",
      "  ],",
      '  "b": "é\u2028",',
      '  "ﬁ": {},',
      '  "😀": []',
      "}",
    ].join("\n"),
  );
});

Deno.test("byCodePoint() orders what UTF-16 order would not", () => {
  assertEquals(["😀", "ﬁ", "b", "a", "aa"].sort(byCodePoint), ["a", "aa", "b", "ﬁ", "😀"]);
});

Deno.test("isSameSecret() compares whole texts", () => {
  assertEquals([isSameSecret("abc", "abc"), isSameSecret("abc", "abd")], [true, false]);
  assertEquals(isSameSecret("abc", "abcd"), false);
});
