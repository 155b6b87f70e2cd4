/** The lab's model speaks each API, and follows its script. */

import { assertEquals } from "@std/assert";
import { seenIn } from "./matrix.ts";
import { findTool, startModel } from "./scripted_model.ts";

const CALL = { calls: [{ tool: "open-doc", args: { id: "7" } }] };

/** A request of each API with one tool, and with the result of the call that `id` names. */
const REQUESTS: Readonly<
  Record<string, { readonly path: string; readonly body: (id?: string) => object }>
> = {
  anthropic: {
    path: "/v1/messages",
    body: (id) => ({
      tools: [{ name: "mcp__lab__open_doc" }],
      messages: id === undefined ? [] : [{
        content: [{
          type: "tool_result",
          tool_use_id: `toolu_${id}`,
          content: [{ type: "text", text: "own" }],
        }],
      }],
    }),
  },
  responses: {
    path: "/v1/responses",
    body: (id) => ({
      tools: [{ type: "namespace", name: "mcp__lab", tools: [{ name: "open_doc" }] }],
      input: id === undefined
        ? []
        : [{ type: "function_call_output", call_id: id, output: [{ type: "text", text: "own" }] }],
    }),
  },
  chat: {
    path: "/v1/chat/completions",
    body: (id) => ({
      tools: [{ function: { name: "lab_open_doc" } }],
      messages: id === undefined ? [] : [{ role: "tool", tool_call_id: id, content: "own" }],
    }),
  },
  gemini: {
    path: "/v1beta/models/x:generateContent",
    body: (id) => ({
      tools: [{ functionDeclarations: [{ name: "mcp_lab_open_doc" }] }],
      contents: id === undefined
        ? []
        : [{ parts: [{ functionResponse: { id, response: { output: "own" } } }] }],
    }),
  },
};

for (const [name, { path, body }] of Object.entries(REQUESTS)) {
  Deno.test(`startModel() plays a call and then the end over ${name}`, async () => {
    await using model = startModel([CALL, { text: "done" }]);
    const ask = async (id?: string) => {
      const answer = await fetch(model.url + path, {
        method: "POST",
        body: JSON.stringify(body(id)),
      });
      return await answer.text();
    };
    const first = await ask();
    const [id] = first.match(/call_\w+_0_0/) ?? [];
    assertEquals(first.includes("open_doc"), true, first);
    assertEquals((await ask(id)).includes("done"), true);
    assertEquals(model.requests.map(({ step }) => step), [0, 1]);
    assertEquals(model.requests[1]?.results, [{ call: id ?? "", text: "own" }]);
  });
}

Deno.test("startModel() skips a call whose result it has seen", async () => {
  await using model = startModel([
    CALL,
    { calls: [{ tool: "get_part" }], unlessSeen: "own" },
    { text: "done" },
  ]);
  const { path, body } = REQUESTS.chat ?? { path: "", body: () => ({}) };
  const ask = async (id?: string) => {
    const init = { method: "POST", body: JSON.stringify(body(id)) };
    return await (await fetch(model.url + path, init)).text();
  };
  const [id] = (await ask()).match(/call_\w+_0_0/) ?? [];
  await ask(id);
  assertEquals(model.requests.map(({ step }) => step), [0, 2]);
});

Deno.test("findTool() knows a tool under a host's name for it", () => {
  const shown = [{ name: "lab_open" }, { name: "mcp__lab__get_sum" }];
  assertEquals(findTool(shown, "get-sum"), { name: "mcp__lab__get_sum" });
  assertEquals(findTool(shown, "sum_up"), undefined);
});

Deno.test("seenIn() counts lookups that are shown once, and those shown again", () => {
  const text = "OWN-END d-part-1 PART-END d-part-2 PART-END d-part-2 PART-END";
  assertEquals(seenIn("plain", text, "d", 3), { shape: "plain", own: true, once: 1, often: 1 });
});
