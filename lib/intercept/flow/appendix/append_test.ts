import { assert, assertEquals } from "@std/assert";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { splitAppendix } from "../../../guard/appendix.ts";
import { readMessage } from "../../../wire/message.ts";
import { appendixText, appendText, withoutOutputSchemas } from "./append.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const LOOKUP = { tool: "get_part", args: '{"part":"7"}', content: "the part" };

/** A line with a result, after an appendix. */
function appended(line: string): string {
  const changed = appendText(readMessage(encode(line)), appendixText([LOOKUP]));
  assert(changed !== undefined);
  return decode(changed);
}

const FROM = '"_meta":{"hoist/from":"structuredContent"}';
const ITEM = JSON.stringify({ type: "text", text: appendixText([LOOKUP]) });

/** What a shape of result becomes: the result's text before and after. */
const SHAPES: readonly (readonly [why: string, before: string, after: string])[] = [
  [
    "text alone: one more item",
    `{"content": [{"type":"text","text":"own"}] }`,
    `{"content": [{"type":"text","text":"own"},${ITEM}] }`,
  ],
  ["no items: the only one", `{"content":[ ]}`, `{"content":[${ITEM} ]}`],
  [
    "structured content that an item repeats: set aside",
    `{"content":[{"type":"text","text":"{\\"a\\": 1}"}],"structuredContent":{"a":1}}`,
    `{"content":[{"type":"text","text":"{\\"a\\": 1}"},${ITEM}],"hoist/structuredContent":{"a":1}}`,
  ],
  [
    "structured content that only a summary tells of: its own text comes first",
    `{"structuredContent" : {"a":1}, "content":[{"type":"text","text":"one found"}]}`,
    `{"hoist/structuredContent" : {"a":1}, "content":[{"type":"text","text":"one found"},` +
    `{"type":"text","text":"{\\"a\\":1}",${FROM}},${ITEM}]}`,
  ],
  [
    "structured content that is null: set aside, and no text of it",
    `{"content":[{"type":"text","text":"own"}],"structuredContent":null}`,
    `{"content":[{"type":"text","text":"own"},${ITEM}],"hoist/structuredContent":null}`,
  ],
  [
    "an error with structured content: the same",
    `{"isError":true,"content":[],"structuredContent":[9007199254740993]}`,
    `{"isError":true,"content":[{"type":"text","text":"[9007199254740993]",${FROM}},${ITEM}],` +
    `"hoist/structuredContent":[9007199254740993]}`,
  ],
];

for (const [why, before, after] of SHAPES) {
  Deno.test(`appendText(): ${why}`, () => {
    const line = (result: string) => `{"jsonrpc":"2.0", "id":1.0, "result":${result}}`;
    assertEquals(appended(line(before)), line(after));
  });
}

Deno.test("appendText() leaves a result without a list of content alone", () => {
  const line = encode(`{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{}}}`);
  assertEquals(appendText(readMessage(line), "x"), undefined);
});

Deno.test("an appendix starts with a blank line and can be taken apart again", () => {
  const text = appendixText([LOOKUP], [{ tool: "get_part", args: '{"part":"8"}' }]);
  assertEquals(text.startsWith("\n---"), true);
  const { own, appended } = splitAppendix(`own${text}`);
  assertEquals(own, "own");
  assertEquals(appended, [{ tool: "get_part", arguments: { part: "7" }, content: "the part" }]);
});

/** Cuts the original out of a changed line: takes the added items away and the key back. */
function cutOut(line: string): string {
  const items: unknown[] = JSON.parse(line).result.content;
  const added = items.slice(-2).filter((item, n, last) =>
    n === last.length - 1 || JSON.stringify(item).includes('"hoist/from"')
  );
  const written = added.map((item) => JSON.stringify(item)).join();
  const at = line.lastIndexOf(written);
  const start = line[at - 1] === "," ? at - 1 : at;
  return (line.slice(0, start) + line.slice(at + written.length))
    .replace('"hoist/structuredContent"', '"structuredContent"');
}

Deno.test("property: a changed result validates, differs by the splice, and gives the original back", () => {
  const item = fc.oneof(
    fc.record({ type: fc.constant("text"), text: fc.string() }),
    fc.constant({ type: "image", data: "QQ==", mimeType: "image/png" }),
    fc.constant({ type: "resource", resource: { uri: "lab://n", text: "a note" } }),
  );
  const value = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean()));
  const result = fc.record(
    { content: fc.array(item), structuredContent: value, isError: fc.boolean() },
    { requiredKeys: ["content"] },
  );
  fc.assert(fc.property(result, fc.boolean(), (result, isRepeated) => {
    const repeated = isRepeated && result.structuredContent !== undefined;
    const content = repeated
      ? [...result.content, {
        type: "text",
        text: JSON.stringify(result.structuredContent),
        own: true,
      }]
      : result.content;
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { ...result, content } });
    const changed = appended(line);
    const after = JSON.parse(changed).result;
    assertEquals(after.structuredContent, undefined);
    assertEquals(after.content.slice(0, content.length), JSON.parse(JSON.stringify(content)));
    assertEquals(after.content.at(-1), { type: "text", text: appendixText([LOOKUP]) });
    assertEquals(CallToolResultSchema.safeParse(after).success, true);
    assertEquals(cutOut(changed), line);
  }));
});

Deno.test("withoutOutputSchemas() sets the schemas of chosen tools aside, to the byte", () => {
  const line = (a: string, b: string) =>
    `{"jsonrpc":"2.0","id":1,"result":{"tools":[ {"name":"a", "${a}" : {"type":"object"}},` +
    `{"name":"b","${b}":{}},{"name":"c"}],"nextCursor":"n"}}`;
  const message = readMessage(encode(line("outputSchema", "outputSchema")));
  assertEquals(
    decode(withoutOutputSchemas(message, (tool) => tool !== "b")),
    line("hoist/outputSchema", "outputSchema"),
  );
  assertEquals(withoutOutputSchemas(message, (tool) => tool === "c"), undefined);
});
