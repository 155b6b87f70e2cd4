/**
 * What a hook of Claude Code is told, as messages of the conversation.
 *
 * `UserPromptSubmit` brings the customer's words, `Stop` the agent's, `PostToolUse` of
 * `AskUserQuestion` a question and its answer. What a subagent does is no conversation.
 *
 * @module
 */

import { at, isObject, textAt } from "../../json/json.ts";
import type { ContextMessage } from "./conversation.ts";

/** What is to be done to the conversation file. */
export interface HookWork {
  /** Whether a new conversation begins, so that the file is emptied first. */
  readonly isNew: boolean;
  /** The messages to append. */
  readonly messages: readonly ContextMessage[];
}

/** What may have to be looked up, only where it is needed. */
export interface HookFiles {
  /** The last message of the conversation file; undefined when it has none. */
  lastMessage(): ContextMessage | undefined;
  /** The end of a transcript, from the start of a line; empty when it cannot be read. */
  transcriptEnd(path: string): string;
}

const NOTHING: HookWork = { isNew: false, messages: [] };

/**
 * Reads a hook's input.
 *
 * @param input What stood on its standard input, parsed.
 * @param files The conversation file and the transcript.
 * @returns What to do; nothing for events that say nothing.
 */
export function hookWork(input: unknown, files: HookFiles): HookWork {
  if (textAt(input, "agent_id") !== undefined) return NOTHING;
  switch (textAt(input, "hook_event_name")) {
    case "SessionStart": {
      const source = textAt(input, "source");
      return { isNew: source === "startup" || source === "clear", messages: [] };
    }
    case "UserPromptSubmit":
      return said(...missed(input, files), ["user", textAt(input, "prompt")]);
    case "Stop":
      return said(["assistant", textAt(input, "last_assistant_message")]);
    case "PostToolUse":
      return textAt(input, "tool_name") === "AskUserQuestion" ? said(...asked(input)) : NOTHING;
    default:
      return NOTHING;
  }
}

type Said = readonly [role: ContextMessage["role"], text: string | undefined];

function said(...all: readonly Said[]): HookWork {
  const messages = all.flatMap(([role, content]) =>
    content === undefined || content.trim() === "" ? [] : [{ role, content }]
  );
  return { isNew: false, messages };
}

/** What the agent said before it was interrupted: then no `Stop` came, and the customer spoke last. */
function missed(input: unknown, files: HookFiles): Said[] {
  const path = textAt(input, "transcript_path");
  if (path === undefined || files.lastMessage()?.role !== "user") return [];
  return [["assistant", lastSaid(files.transcriptEnd(path), textAt(input, "prompt") ?? "")]];
}

/** The agent's last words after the last prompt but the new one. */
function lastSaid(transcript: string, prompt: string): string | undefined {
  for (const line of transcript.split("\n").toReversed()) {
    const entry = parsed(line);
    if (at(entry, "isSidechain") === true || at(entry, "isMeta") === true) continue;
    const type = textAt(entry, "type");
    const text = textOf(at(entry, "message", "content"));
    if (text === undefined) continue; // Tool calls and results.
    if (type === "assistant") return text;
    if (type === "user" && text !== prompt) return undefined;
  }
  return undefined;
}

function asked(input: unknown): Said[] {
  const questions = at(input, "tool_input", "questions");
  const answers = at(input, "tool_response", "answers");
  if (!Array.isArray(questions)) return [];
  const texts = Array.isArray(answers)
    ? answers.filter((answer) => typeof answer === "string")
    : isObject(answers)
    ? Object.entries(answers).map(([question, answer]) =>
      questions.length > 1 ? `${question} ${plain(answer)}` : plain(answer)
    )
    : [];
  return [
    ["assistant", questions.map(questionText).join("\n\n")],
    ["user", texts.join("\n")],
  ];
}

function questionText(question: unknown): string {
  const options = at(question, "options");
  return [
    textAt(question, "question") ?? "",
    ...(Array.isArray(options) ? options : []).map((option) => {
      const about = textAt(option, "description");
      return `- ${textAt(option, "label") ?? ""}${about === undefined ? "" : `: ${about}`}`;
    }),
  ].join("\n");
}

function plain(answer: unknown): string {
  return Array.isArray(answer) ? answer.map(plain).join(", ") : String(answer);
}

function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((item) =>
    textAt(item, "type") === "text" ? textAt(item, "text") ?? [] : []
  );
  return texts.length === 0 ? undefined : texts.join("\n");
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // The first line of what was read may be cut, the last not finished.
  }
}
