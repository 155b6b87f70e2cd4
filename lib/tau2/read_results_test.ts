import { assertEquals, assertThrows } from "@std/assert";
import { readResults } from "./read_results.ts";
import { ResultsSyntaxError } from "./results_error.ts";

const MESSAGES = [
  { role: "assistant", content: "Hi! How can I help you today?", tool_calls: null },
  { role: "user", content: "Where is #W1?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", name: "get_order_details", arguments: { order_id: "#W1" } }],
  },
  { role: "tool", id: "a", content: "Error: Order not found", requestor: "assistant" },
  { role: "assistant", content: "Not there.", tool_calls: [] },
  { role: "user", content: "###STOP###" },
];
const RUN = { task_id: "7", trial: 2, reward_info: { reward: 1 }, messages: MESSAGES };
const CHAT = [
  { role: "system", content: "policy" },
  { role: "user", content: "Where is #W1?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ function: { name: "get_order_details", arguments: '{"order_id":"#W1"}' } }],
  },
  { role: "tool", name: "get_order_details", content: "Error: Order not found" },
  { role: "assistant", content: "Not there." },
];
const EVENTS = [
  "user Where is #W1?",
  'assistant null get_order_details {"order_id":"#W1"}',
  "result get_order_details true Error: Order not found",
  "assistant Not there.",
];

for (
  const [format, text] of [
    ["tau2-results", {
      info: { agent_info: { llm: "m" }, environment_info: { domain_name: "retail" } },
      simulations: [RUN],
    }],
    ["tau2-eval-dump", {
      config: { domain: "retail" },
      task_results: [{ task_id: "7", trajectory: RUN }],
    }],
    ["tau2-task-jsonl", { ...RUN, run_info: { trial: 2 } }],
    ["tau1-list", [{ task_id: 7, trial: 2, reward: 1, traj: CHAT }]],
  ] as const
) {
  Deno.test(`readResults() reads ${format}`, () => {
    const found = readResults(JSON.stringify(text), { path: "x/f.json", agent: "m" });
    assertEquals([found.format, found.skipped], [format, 0]);
    const [episode] = found.episodes;
    assertEquals([
      episode?.id,
      episode?.task_id,
      episode?.trial,
      episode?.domain,
      episode?.reward,
      episode?.agent_model,
    ], ["f#0", "7", 2, "retail", 1, "m"]);
    assertEquals(
      episode?.events.map((e) =>
        e.kind === "user"
          ? `user ${e.text}`
          : e.kind === "assistant"
          ? `assistant ${e.text}${
            e.calls.map((c) => ` ${c.name} ${JSON.stringify(c.arguments)}`).join("")
          }`
          : `result ${e.name} ${e.error} ${e.content}`
      ),
      EVENTS,
    );
  });
}

Deno.test("readResults() counts runs without messages", () => {
  const text = JSON.stringify({
    simulations: [RUN, { task_id: "8", messages: [] }, { task_id: "9", messages: null }],
  });
  const { episodes, skipped } = readResults(text, { path: "f" });
  assertEquals([episodes.length, skipped], [1, 2]);
});

for (
  const [text, message] of [
    ["{}", 'Cannot read "f": $ has neither simulations, task_results nor runs'],
    ["", 'Cannot read "f": the file is empty'],
    ["[{}]", 'Cannot read "f": $[0] has no traj'],
    ["no", 'Cannot read "f": line 1 is not JSON'],
    [
      JSON.stringify({ simulations: [{ messages: MESSAGES }] }),
      'Cannot read "f": $.simulations[0].task_id is neither text nor number',
    ],
    [
      JSON.stringify({ simulations: [{ task_id: 1, messages: [{}] }] }),
      'Cannot read "f": $.simulations[0].messages[0] has no role',
    ],
  ] as const
) {
  Deno.test(`readResults() refuses ${text.slice(0, 30)}`, () => {
    assertThrows(() => readResults(text, { path: "f" }), ResultsSyntaxError, message);
  });
}
