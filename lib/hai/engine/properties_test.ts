/**
 * Properties of the pure core: the drift check, canonical JSON, the boundary,
 * codes and diffs.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { classify, isAllowed, type JudgedPath, SENSITIVE_ACTIONS } from "../mission/activity.ts";
import { checkArgs } from "../call/boundary.ts";
import { sealContract } from "../mission/contract.ts";
import { recordHash } from "../state/hashes.ts";
import { isId, makeId } from "../state/ids.ts";
import { lineDiff } from "../owner/line_diff.ts";
import { codeText, drawCode, normalizeCode } from "../owner/owner_code.ts";
import { plainText } from "../../text/plain_text.ts";
import type { Contract, Lease } from "../state/records.ts";
import { CallRefusal } from "../state/refusal.ts";
import { byCodePoint, hashableJson, indentedJson } from "../state/state_json.ts";
import { TOOLS } from "../tools/tools.ts";

const CONTRACT: Contract = sealContract(
  {
    mission_id: "M-20260901T080000-0a1b2c3d",
    contract_version: 1,
    created_at: "2026-09-01T08:00:00Z",
  },
  {
    objective: "o",
    artifact: "a",
    done_criteria: ["dc-1", "dc-2"].map((id) => ({ id, description: id, verifiable: true })),
    non_goals: ["rewrite all"],
    constraints: {
      owner: "ana",
      project_id: null,
      project_path: "/p",
      allowed_paths: ["src"],
      capabilities: ["read", "push"],
      max_parallel_sessions: 1,
      time_limit_hours: null,
    },
  },
);

const LEASE: Lease = {
  session_id: "S-20260901T080000-0a1b2c3d",
  mission_id: CONTRACT.mission_id,
  contract_version: 1,
  contract_hash: CONTRACT.contract_hash,
  agent_identity: "x",
  role: "x",
  contribution: "x",
  expected_result: "x",
  criterion_ids: ["dc-1"],
  capabilities: ["read", "push"],
  granted_at: "2026-09-01T08:00:00Z",
  expires_at: "2026-09-01T09:00:00Z",
  status: "active",
};

const path = fc.record({
  path: fc.string(),
  outside: fc.option(fc.constant("it leads out")),
}) satisfies fc.Arbitrary<JudgedPath>;

const activity = fc.record({
  step: fc.oneof(fc.string(), fc.constant("Rewrite ALL of it")),
  criterionId: fc.option(fc.constantFrom("dc-1", " dc-1 ", "dc-2", "dc-9", " ")),
  paths: fc.array(path, { maxLength: 6 }),
  actions: fc.array(fc.oneof(fc.string(), fc.constantFrom(...SENSITIVE_ACTIONS, " PUSH ")), {
    maxLength: 6,
  }),
  declaresBlocker: fc.boolean(),
});

Deno.test("classify() is a function of its arguments, whatever their order", () => {
  fc.assert(
    fc.property(activity, fc.nat(), (given, turn) => {
      const before = JSON.stringify([CONTRACT, LEASE, given]);
      const verdict = classify(CONTRACT, LEASE, given);
      assertEquals(classify(CONTRACT, LEASE, given), verdict);
      const turned = {
        ...given,
        paths: rotate(given.paths, turn).reverse(),
        actions: rotate(given.actions, turn).reverse(),
      };
      const again = classify(CONTRACT, LEASE, turned);
      // The reason too, unless two offenders have one name and different faults.
      assertEquals(again, verdict);
      assertEquals(JSON.stringify([CONTRACT, LEASE, given]), before);
    }),
    { numRuns: 500 },
  );
});

Deno.test("classify() never lets a path or an action that is outside pass", () => {
  fc.assert(
    fc.property(activity, (given) => {
      const verdict = classify(CONTRACT, LEASE, given);
      const isOutside = given.paths.some((one) => one.outside !== null);
      const isForbidden = given.actions.map((name) => name.trim().toLowerCase())
        .some((name) => SENSITIVE_ACTIONS.has(name) && name !== "push");
      if (isOutside || isForbidden) {
        assertEquals([verdict.classification, verdict.required_action], ["drift", "stop"]);
      }
      if (verdict.classification === "in_scope") {
        assert(given.step.trim() !== "" && given.criterionId?.trim() === "dc-1");
      }
      assertEquals(verdict.classification === "in_scope", verdict.required_action === "continue");
    }),
    { numRuns: 500 },
  );
});

Deno.test("isAllowed() allows a prefix and what is below it, nothing beside it", () => {
  const name = fc.stringMatching(/^[a-z.]{1,6}$/).filter((n) => n !== "." && n !== "..");
  fc.assert(fc.property(name, name, (prefix, below) => {
    for (const spelled of [prefix, `${prefix}/`, `./${prefix}`, ` ${prefix} `]) {
      assert(isAllowed(prefix, [spelled]) && isAllowed(`${prefix}/${below}`, [spelled]));
      assert(!isAllowed(prefix + below, [spelled]) && !isAllowed("", [spelled]));
    }
  }));
});

Deno.test("hashableJson() reads back as the value, and so does indentedJson()", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const normal = JSON.parse(JSON.stringify(value));
    assertEquals(JSON.parse(hashableJson(normal)), normal);
    assertEquals(JSON.parse(indentedJson(normal)), normal);
  }));
});

Deno.test("recordHash() does not depend on the order of members", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
    const turned = Object.fromEntries(Object.entries(value).reverse());
    assertEquals(recordHash(turned, "h"), recordHash(value, "h"));
  }));
});

Deno.test("byCodePoint() orders as the code points do", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
    const points = (text: string) => [...text].map((point) => point.codePointAt(0) ?? 0);
    const [left, right] = [points(a), points(b)];
    let i = 0;
    while (i < left.length && i < right.length && left[i] === right[i]) i++;
    const expected = Math.sign((left[i] ?? -1) - (right[i] ?? -1));
    assertEquals(Math.sign(byCodePoint(a, b)), expected);
  }));
});

Deno.test("checkArgs() accepts or refuses with code, field, expected and got; it never throws", () => {
  const schemas = [...TOOLS.values()].map((tool) => tool.input);
  const args = fc.dictionary(fc.string(), fc.anything({ withNullPrototype: false, maxDepth: 3 }));
  fc.assert(
    fc.property(fc.constantFrom(...schemas), args, (schema, given) => {
      const checked = checkArgs(schema, given);
      if (!(checked instanceof CallRefusal)) return;
      const { code, field, expected, got } = checked.extra;
      assertEquals(code, "invalid_args");
      assert([field, expected, got].every((member) => typeof member === "string"));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("normalizeCode() reads every drawn code back in any spelling", () => {
  const random = fc.func(fc.uint8Array({ minLength: 8, maxLength: 8 }));
  fc.assert(fc.property(random, fc.constantFrom("-", " ", "_", ""), (draw, separator) => {
    let n = 0;
    const code = drawCode(() => draw(n++));
    assertEquals(normalizeCode(codeText(code).toLowerCase().replace("-", separator)), code);
  }));
  fc.assert(fc.property(fc.anything(), (given) => {
    const code = normalizeCode(given);
    assert(code === undefined || /^[2-9A-HJKMNP-Z]{8}$/.test(code));
  }));
});

Deno.test("isId() knows what makeId() makes and nothing beside it", () => {
  const prefix = fc.constantFrom("M", "S", "P", "A", "I", "C", "R", "LB" as const);
  const ms = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(prefix, ms, fc.uint8Array({ minLength: 4, maxLength: 4 }), (p, at, bytes) => {
      const id = makeId(p, at, () => bytes);
      assert(isId(p, id));
      for (const bad of [`${id}\n`, ` ${id}`, `${id}/x`, id.slice(1), id.toLowerCase()]) {
        assert(!isId(p, bad), bad);
      }
    }),
  );
});

Deno.test("lineDiff() holds both texts", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 8 })
    .map((lines) => lines.map((line) => `${line}\n`).join(""));
  fc.assert(fc.property(text, text, (before, after) => {
    const lines = lineDiff(before, after);
    const side = (skip: string) =>
      lines.filter((line) => !line.startsWith(skip)).map((line) => `${line.slice(2)}\n`).join("");
    assertEquals([side("+ "), side("- ")], [before, after]);
  }));
});

Deno.test("plainText() leaves nothing a terminal obeys", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (given) => {
    const shown = plainText(given);
    // deno-lint-ignore no-control-regex
    assert(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u200b-\u200f]/.test(shown));
    assertEquals(plainText(shown), shown);
  }));
});

function rotate<T>(items: readonly T[], by: number): T[] {
  const cut = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(cut), ...items.slice(0, cut)];
}
