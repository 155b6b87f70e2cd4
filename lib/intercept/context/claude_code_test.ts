import { assertEquals } from "@std/assert";
import { type HookFiles, hookWork } from "./claude_code.ts";
import type { ContextMessage } from "./conversation.ts";

const NO_FILES: HookFiles = { lastMessage: () => undefined, transcriptEnd: () => "" };

function lines(...entries: readonly unknown[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join("\n");
}
function words(input: unknown, files: HookFiles = NO_FILES): string[] {
  return hookWork(input, files).messages.map(({ role, content }) => `${role}: ${content}`);
}

Deno.test.each<{ why: string; input: unknown; says: readonly string[] }>([
  {
    why: "a prompt",
    input: { hook_event_name: "UserPromptSubmit", prompt: "Cancel #W1" },
    says: ["user: Cancel #W1"],
  },
  {
    why: "the end of a turn",
    input: { hook_event_name: "Stop", last_assistant_message: "Shall I?", stop_hook_active: false },
    says: ["assistant: Shall I?"],
  },
  { why: "a turn without words", input: { hook_event_name: "Stop" }, says: [] },
  {
    why: "an empty prompt",
    input: { hook_event_name: "UserPromptSubmit", prompt: " \n" },
    says: [],
  },
  {
    why: "a subagent's end",
    input: { hook_event_name: "Stop", agent_id: "a1", last_assistant_message: "Done" },
    says: [],
  },
  {
    why: "a question that was answered",
    input: {
      hook_event_name: "PostToolUse",
      tool_name: "AskUserQuestion",
      tool_input: {
        questions: [{
          question: "Cancel #W1?",
          options: [{ label: "Yes", description: "cancel it" }, { label: "No" }],
        }],
      },
      tool_response: { answers: { "Cancel #W1?": "Yes" } },
    },
    says: ["assistant: Cancel #W1?\n- Yes: cancel it\n- No", "user: Yes"],
  },
  {
    why: "two questions, one with several answers",
    input: {
      hook_event_name: "PostToolUse",
      tool_name: "AskUserQuestion",
      tool_input: { questions: [{ question: "Which?" }, { question: "When?" }] },
      tool_response: { answers: { "Which?": ["A", "B"], "When?": "Now" } },
    },
    says: ["assistant: Which?\n\nWhen?", "user: Which? A, B\nWhen? Now"],
  },
  {
    why: "a question that nobody answered",
    input: {
      hook_event_name: "PostToolUse",
      tool_name: "AskUserQuestion",
      tool_input: { questions: [{ question: "Which?" }] },
    },
    says: ["assistant: Which?"],
  },
  { why: "another tool", input: { hook_event_name: "PostToolUse", tool_name: "Bash" }, says: [] },
  { why: "another event", input: { hook_event_name: "PreCompact" }, says: [] },
  { why: "no object", input: [1], says: [] },
])("hookWork() writes $says for $why", ({ input, says }) => {
  assertEquals(words(input), says);
});

Deno.test("hookWork() begins anew when a session starts or is cleared, not when it is resumed", () => {
  const starts = ["startup", "clear", "resume", "compact", undefined].map((source) =>
    hookWork({ hook_event_name: "SessionStart", source }, NO_FILES).isNew
  );
  assertEquals(starts, [true, true, false, false, false]);
});

Deno.test("hookWork() takes from the transcript what an interrupted agent had said", () => {
  const user: ContextMessage = { role: "user", content: "Cancel #W1" };
  const say = (text: string, more = {}) => ({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text }] },
    ...more,
  });
  const call = { type: "assistant", message: { content: [{ type: "tool_use", id: "1" }] } };
  const result = { type: "user", message: { content: [{ type: "tool_result" }] } };
  const prompt = (content: string, more = {}) => ({ type: "user", message: { content }, ...more });
  const input = { hook_event_name: "UserPromptSubmit", prompt: "Yes", transcript_path: "/t.jsonl" };
  const after = (last: ContextMessage | undefined, ...entries: readonly unknown[]) =>
    words(input, {
      lastMessage: () => last,
      transcriptEnd: (path) => path === "/t.jsonl" ? 'cut"}\n' + lines(...entries) : "",
    });
  const cancel = prompt("Cancel #W1");
  assertEquals(
    after(user, cancel, say("Shall I?"), call, result, say("no", { isSidechain: true })),
    ["assistant: Shall I?", "user: Yes"],
  );
  const meta = prompt("<note>", { isMeta: true });
  assertEquals(after(user, cancel, say("Shall I?"), meta, prompt("Yes")), [
    "assistant: Shall I?",
    "user: Yes",
  ]);
  assertEquals(after(user, say("Old"), cancel, call), ["user: Yes"]);
  assertEquals(after({ role: "assistant", content: "x" }, cancel, say("Shall I?")), ["user: Yes"]);
  assertEquals(after(undefined, say("Hello")), ["user: Yes"]);
});
