/**
 * The model APIs that hosts speak: Anthropic Messages, OpenAI Responses, OpenAI chat and
 * Gemini generateContent. Each says how to read a request and how to write an answer.
 *
 * @module
 */

// deno-lint-ignore no-explicit-any
type Json = any;

/** A tool as the host showed it to the model. */
export interface ShownTool {
  readonly name: string;
  /** Codex groups the tools of a server in a namespace. */
  readonly namespace?: string;
}

/** A tool result as the host handed it on. */
export interface ShownResult {
  /** The id of the call it answers. */
  readonly call: string;
  /** All text blocks run together, any other block as `[type]`. */
  readonly text: string;
}

/** A call the model makes. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly args: unknown;
}

/** What the model answers: text, calls or both. */
export interface ModelAnswer {
  readonly text?: string | undefined;
  readonly calls: readonly ModelCall[];
  /** Milliseconds to wait after each block of a stream; Anthropic only. */
  readonly gapMs: number;
}

/** One event of a stream: its name, its data, and how long to wait after it. */
export type StreamEvent = readonly [name: string | undefined, data: Json, waitMs?: number];

/** One model API. */
export interface ModelApi {
  readonly name: string;
  /** Matches the path of its requests. */
  readonly path: RegExp;
  tools(body: Json): ShownTool[];
  results(body: Json): ShownResult[];
  /** The events of a stream, or one object where the host asked for no stream. */
  reply(answer: ModelAnswer, body: Json, url: string): StreamEvent[] | { readonly whole: Json };
}

const list = (value: Json): Json[] => Array.isArray(value) ? value : [];
const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 12)}`;

function flatText(content: Json): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content ?? null);
  return content.map((block) => block.text ?? block.resource?.text ?? `[${block.type}]`).join("");
}

const ANTHROPIC: ModelApi = {
  name: "anthropic",
  path: /\/messages(\?|$)/,
  tools: (body) => list(body.tools).map(({ name }) => ({ name })),
  results: (body) =>
    list(body.messages).flatMap(({ content }) => list(content))
      .filter(({ type }) => type === "tool_result")
      .map((block) => ({
        call: block.tool_use_id.replace(/^toolu_/, ""),
        text: flatText(block.content),
      })),
  reply({ text, calls, gapMs }, body) {
    const content = [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map(({ id, name, args }) => ({
        type: "tool_use",
        id: `toolu_${id}`,
        name,
        input: args,
      })),
    ];
    const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
    const usage = { input_tokens: 10, output_tokens: 5 };
    const message = {
      id: newId("msg"),
      type: "message",
      role: "assistant",
      model: body.model,
      content,
      stop_reason,
      stop_sequence: null,
      usage,
    };
    if (!body.stream) return { whole: message };
    const events: Json[] = [{
      type: "message_start",
      message: { ...message, content: [], stop_reason: null },
    }];
    content.forEach((block: Json, index) => {
      const isText = block.type === "text";
      events.push(
        {
          type: "content_block_start",
          index,
          content_block: { ...block, ...(isText ? { text: "" } : { input: {} }) },
        },
        {
          type: "content_block_delta",
          index,
          delta: isText
            ? { type: "text_delta", text: block.text }
            : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
        },
        { type: "content_block_stop", index },
      );
    });
    events.push(
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: "message_stop" },
    );
    return events.map((event) => [
      event.type,
      event,
      event.type === "content_block_stop" ? gapMs : 0,
    ]);
  },
};

const RESPONSES: ModelApi = {
  name: "responses",
  path: /\/responses(\?|$)/,
  tools: (body) =>
    [...list(body.tools), ...list(body.input).flatMap((item) => list(item.tools))].flatMap((tool) =>
      tool.type === "namespace"
        ? list(tool.tools).map(({ name }) => ({ name, namespace: tool.name }))
        : [{ name: tool.name ?? tool.type }]
    ),
  results: (body) =>
    list(body.input).filter((item) => /_output$/.test(item.type))
      .map((item) => ({ call: item.call_id, text: flatText(item.output ?? item.tools) })),
  reply({ text, calls }, body) {
    const id = newId("resp");
    const said = {
      type: "message",
      id: newId("msg"),
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    };
    const output: Json[] = [
      ...(text === undefined ? [] : [said]),
      ...calls.map((call) => ({
        type: "function_call",
        id: `item_${call.id}`,
        call_id: call.id,
        status: "completed",
        name: call.name,
        ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
        arguments: JSON.stringify(call.args),
      })),
    ];
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    };
    const response = {
      id,
      object: "response",
      created_at: 1,
      status: "completed",
      model: body.model,
      output,
      usage,
    };
    if (!body.stream) return { whole: response };
    const events: Json[] = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      ...output.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        ...(item.type === "message"
          ? [{
            type: "response.output_text.delta",
            item_id: item.id,
            output_index,
            content_index: 0,
            delta: text,
          }]
          : []),
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response },
    ];
    return events.map((event) => [event.type, event]);
  },
};

const CHAT: ModelApi = {
  name: "chat",
  path: /\/chat\/completions(\?|$)/,
  tools: (body) => list(body.tools).map((tool) => ({ name: tool.function?.name })),
  results: (body) =>
    list(body.messages).filter(({ role }) => role === "tool")
      .map((message) => ({ call: message.tool_call_id, text: flatText(message.content) })),
  reply({ text, calls }, body) {
    const tool_calls = calls.map((call, index) => ({
      index,
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    }));
    const asked = tool_calls.length > 0 ? { tool_calls } : {};
    const finish_reason = tool_calls.length > 0 ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const base = { id: newId("chatcmpl"), created: 1, model: body.model };
    if (!body.stream) {
      const message = { role: "assistant", content: text ?? null, ...asked };
      const choices = [{ index: 0, message, finish_reason }];
      return { whole: { ...base, object: "chat.completion", choices, usage } };
    }
    const chunk = (delta: Json, finish: string | null = null): StreamEvent => [undefined, {
      ...base,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    }];
    return [
      chunk({ role: "assistant", content: text ?? "" }),
      ...(tool_calls.length > 0 ? [chunk(asked)] : []),
      chunk({}, finish_reason),
      [undefined, { ...base, object: "chat.completion.chunk", choices: [], usage }],
      [undefined, "[DONE]"],
    ];
  },
};

const GEMINI: ModelApi = {
  name: "gemini",
  path: /:(streamGenerateContent|generateContent)/,
  tools: (body) =>
    list(body.tools).flatMap((tool) => list(tool.functionDeclarations))
      .map(({ name }) => ({ name })),
  results: (body) =>
    list(body.contents).flatMap((content) => list(content.parts))
      .filter((part) => part.functionResponse !== undefined)
      .map(({ functionResponse: { id, response } }) => ({
        call: id,
        text: flatText(response?.error ?? response?.output ?? response),
      })),
  reply({ text, calls }, _body, url) {
    const parts = [
      ...(text === undefined ? [] : [{ text }]),
      ...calls.map(({ id, name, args }) => ({ functionCall: { name, args, id } })),
    ];
    const answer = {
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "scripted",
    };
    return url.includes("streamGenerateContent") ? [[undefined, answer]] : { whole: answer };
  },
};

/** The APIs, by the path of a request. */
export const MODEL_APIS: readonly ModelApi[] = [ANTHROPIC, RESPONSES, CHAT, GEMINI];
