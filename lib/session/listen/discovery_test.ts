import { assertEquals } from "@std/assert";
import { readMessage } from "../../wire/message.ts";
import { discoverVersions, type DiscoveryRequest, errorCode, listPages } from "./discovery.ts";

/** An answer as a message; undefined stays the answer that never comes. */
function answer(fields: object | undefined) {
  if (fields === undefined) return undefined;
  const text = JSON.stringify({ jsonrpc: "2.0", id: "hoist-1", ...fields });
  return readMessage(new TextEncoder().encode(text));
}

/** A server that gives these answers in order, and the requests it was sent. */
function answering(...answers: readonly (object | undefined)[]) {
  const asked: DiscoveryRequest[] = [];
  const ask = (request: DiscoveryRequest) => {
    asked.push(request);
    return Promise.resolve(answer(answers[asked.length - 1]));
  };
  return { ask, asked };
}

/** An answer to server/discover, and the revisions it names; undefined is a legacy server. */
const ANSWERS: readonly (readonly [
  why: string,
  answered: object | undefined,
  versions: string[] | undefined,
])[] = [
  ["its list", { result: { supportedVersions: ["2026-07-28", "x"] } }, ["2026-07-28", "x"]],
  ["a result without a list is modern", { result: {} }, []],
  ["what is no text is no name", { result: { supportedVersions: [1, "x", null] } }, ["x"]],
  [
    "a refusal of our revision names the others",
    { error: { code: -32022, message: "no", data: { supported: ["2027-01-01"] } } },
    ["2027-01-01"],
  ],
  ["a refusal that names none is modern", { error: { code: -32022, message: "no" } }, []],
  ["an unknown method is legacy", { error: { code: -32601, message: "no" } }, undefined],
  ["an error without a code is legacy", { error: { message: "no" } }, undefined],
  ["silence is legacy", undefined, undefined],
];

for (const [why, answered, versions] of ANSWERS) {
  Deno.test(`discoverVersions(): ${why}`, async () => {
    const { ask, asked } = answering(answered);
    assertEquals(await discoverVersions(ask), versions);
    assertEquals(asked, [{ method: "server/discover", params: {}, timeoutMs: 30_000 }]);
  });
}

const page = (nextCursor?: unknown) => ({ result: { tools: [], nextCursor } });

/** The answers to tools/list, the cursors asked for, and how many pages are handed on. */
const LISTS: readonly (readonly [
  why: string,
  answers: readonly (object | undefined)[],
  cursors: readonly (string | undefined)[],
  pages: number,
])[] = [
  ["one page", [page()], [undefined], 1],
  ["three pages", [page("a"), page("b"), page()], [undefined, "a", "b"], 3],
  ["an empty cursor ends it", [page("")], [undefined], 1],
  ["a repeated cursor ends it", [page("a"), page("a")], [undefined, "a"], 2],
  ["a cursor that is no text ends it", [page(1)], [undefined], 1],
  ["an error ends it", [page("a"), { error: { code: 1 } }], [undefined, "a"], 1],
  ["silence ends it", [page("a"), undefined], [undefined, "a"], 1],
];

for (const [why, answers, cursors, pages] of LISTS) {
  Deno.test(`listPages(): ${why}`, async () => {
    const { ask, asked } = answering(...answers);
    let taken = 0;
    await listPages(ask, () => taken++);
    assertEquals(asked.map(({ params }) => params["cursor"]), [...cursors]);
    assertEquals(taken, pages);
    assertEquals(new Set(asked.map(({ timeoutMs }) => timeoutMs)), new Set([5_000]));
  });
}

Deno.test("listPages() stops after 50 pages of a list that has no end", async () => {
  let count = 0;
  await listPages(() => Promise.resolve(answer(page(`c${count++}`))), () => {});
  assertEquals(count, 50);
});

Deno.test("errorCode() reads the code of an error, and nothing of a result", () => {
  assertEquals(
    [{ error: { code: -32000 } }, { error: {} }, { result: { code: 1 } }, undefined]
      .map((fields) => errorCode(answer(fields))),
    [-32000, undefined, undefined, undefined],
  );
});
