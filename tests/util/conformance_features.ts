/**
 * The tools, prompts and resources that the official conformance suite calls by
 * name, on the SDK's second version: both eras from one definition.
 *
 * @module
 */

import {
  acceptedContent,
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
  type ServerNotifier,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

const codec = createRequestStateCodec<{ readonly round: number }>({
  key: new TextEncoder().encode("a key of thirty-two bytes, for us"),
});

const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Makes the fixture's server.
 *
 * @param notifier Tells subscribers what changed, on the modern era.
 * @returns A server, not connected yet.
 */
export function conformanceServer(notifier: () => ServerNotifier | undefined): McpServer {
  const server = new McpServer({ name: "conformance-fixture", version: "1.0.0" }, {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
      completions: {},
    },
    requestState: { verify: codec.verify },
  });
  addTools(server, notifier);
  addAsking(server);
  addInputRequired(server);
  addPrompts(server);
  addResources(server);
  return server;
}

// deno-lint-ignore hoist/function-length -- one tool after the other
function addTools(server: McpServer, notifier: () => ServerNotifier | undefined): void {
  const say = (
    name: string,
    description: string,
    result: Awaited<ReturnType<typeof text>> | {
      content: unknown[];
    },
  ) => server.registerTool(name, { description }, () => result as ReturnType<typeof text>);
  say("test_simple_text", "Text.", text("This is a simple text response for testing."));
  say("test_image_content", "An image.", { content: [image] });
  say("test_audio_content", "A sound.", {
    content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  });
  const resource = (uri: string, mimeType: string, words: string) => ({
    type: "resource",
    resource: { uri, mimeType, text: words },
  });
  say("test_embedded_resource", "A resource.", {
    content: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
  });
  say("test_multiple_content_types", "All kinds.", {
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  });
  server.registerTool("test_tool_with_logging", { description: "Logs." }, async (ctx) => {
    await ctx.mcpReq.log("info", "Tool execution started");
    await wait(50);
    await ctx.mcpReq.log("info", "Tool processing data");
    await wait(50);
    await ctx.mcpReq.log("info", "Tool execution completed");
    return text("Logged.");
  });
  server.registerTool("test_logging_tool", { description: "Logs once." }, async (ctx) => {
    await ctx.mcpReq.log("info", "A line of log");
    return text("Logged.");
  });
  server.registerTool("test_tool_with_progress", { description: "Progress." }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await wait(50);
      if (progressToken === undefined) continue;
      const params = { progressToken, progress, total: 100 };
      await ctx.mcpReq.notify({ method: "notifications/progress", params });
    }
    return text("Done.");
  });
  server.registerTool("test_error_handling", { description: "Fails." }, () => ({
    isError: true,
    ...text("This tool intentionally returns an error for testing"),
  }));
  server.registerTool("test_reconnection", { description: "Hangs up." }, async (ctx) => {
    ctx.http?.closeSSE?.();
    await wait(100);
    return text("Reconnection test completed successfully");
  });
  server.registerTool("json_schema_2020_12_tool", {
    description: "Keywords of JSON Schema.",
    inputSchema: fromJsonSchema(KEYWORDS),
  }, () => text("ok"));
  server.registerTool("test_x_mcp_header", {
    description: "Mirrors an argument in a header.",
    inputSchema: fromJsonSchema({ type: "object", properties: { region: REGION } }),
  }, () => text("ok"));
  server.registerTool("test_trigger_tool_change", { description: "Changes tools." }, () => {
    notifier()?.toolsChanged();
    return text("changed");
  });
  server.registerTool("test_trigger_prompt_change", { description: "Changes prompts." }, () => {
    notifier()?.promptsChanged();
    return text("changed");
  });
}

const REGION = { type: "string" as const, "x-mcp-header": "Region" };

const KEYWORDS = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** Tools of the legacy era, that ask the host in the middle of a call. */
function addAsking(server: McpServer): void {
  server.registerTool("test_sampling", {
    description: "Samples.",
    inputSchema: z.object({ prompt: z.string() }),
  }, async ({ prompt }, ctx) => {
    const { content } = await ctx.mcpReq.requestSampling({
      messages: [{ role: "user", content: { type: "text", text: prompt } }],
      maxTokens: 100,
    });
    const said = Array.isArray(content) ? content[0] : content;
    return text(`LLM response: ${said?.type === "text" ? said.text : JSON.stringify(content)}`);
  });
  const elicit = async (ctx: ServerContext, message: string, properties: Properties) => {
    const requestedSchema = { type: "object" as const, properties, required: [] as string[] };
    return await ctx.mcpReq.elicitInput({ message, requestedSchema });
  };
  server.registerTool("test_elicitation", {
    description: "Asks.",
    inputSchema: z.object({ message: z.string() }),
  }, async ({ message }, ctx) => {
    const answer = await elicit(ctx, message, {
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    });
    return text(`User response: ${JSON.stringify(answer)}`);
  });
  for (const [name, properties] of Object.entries(ELICITATIONS)) {
    server.registerTool(name, { description: "Asks." }, async (ctx) => {
      const { action, content } = await elicit(ctx, "Please fill in", properties);
      return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
    });
  }
}

type Properties = Parameters<ServerContext["mcpReq"]["elicitInput"]>[0] extends infer P
  ? P extends { requestedSchema: { properties: infer X } } ? X : never
  : never;

const titled = (names: readonly string[], title: string) =>
  names.map((name, i) => ({ const: name, title: `${["First", "Second", "Third"][i]} ${title}` }));

const ELICITATIONS: Readonly<Record<string, Properties>> = {
  test_elicitation_sep1034_defaults: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string", oneOf: titled(["value1", "value2", "value3"], "Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: {
      type: "array",
      items: { type: "string", enum: ["option1", "option2", "option3"] },
    },
    titledMulti: {
      type: "array",
      items: { anyOf: titled(["value1", "value2", "value3"], "Choice") },
    },
  },
};

const ask = (message: string, name: string, type: "string" | "boolean" = "string") => {
  const property = type === "string" ? { type } : { type };
  return inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties: { [name]: property }, required: [name] },
  });
};
const sample = (words: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: words } }],
    maxTokens,
  });

function capabilitiesOf(ctx: ServerContext): Record<string, unknown> {
  const envelope: Record<string, unknown> = { ...ctx.mcpReq.envelope };
  const found = envelope["io.modelcontextprotocol/clientCapabilities"];
  return typeof found === "object" && found !== null ? { ...found } : {};
}

/** Tools of the modern era, that answer with what they need to know first. */
// deno-lint-ignore hoist/function-length -- one tool after the other
function addInputRequired(server: McpServer): void {
  const add = (name: string, run: (ctx: ServerContext) => ReturnType<typeof step>) =>
    server.registerTool(name, { description: "Needs input." }, run);
  const step = async (
    ctx: ServerContext,
    requests: Parameters<typeof inputRequired>[0]["inputRequests"],
    options: { readonly state?: number; readonly done: (given: Given) => string },
  ) => {
    const given = ctx.mcpReq.inputResponses ?? {};
    const hasAll = Object.keys(requests ?? {}).every((key) => key in given);
    if (hasAll) return text(options.done(given));
    return inputRequired({
      ...(requests === undefined ? {} : { inputRequests: requests }),
      ...(options.state === undefined
        ? {}
        : { requestState: await codec.mint({ round: options.state }, ctx) }),
    });
  };
  add(
    "test_input_required_result_elicitation",
    (ctx) =>
      step(ctx, { user_name: ask("What is your name?", "name") }, {
        done: (given) => `Hello, ${acceptedContent(given, "user_name")?.name}!`,
      }),
  );
  add(
    "test_input_required_result_sampling",
    (ctx) =>
      step(ctx, { capital_question: sample("What is the capital of France?", 100) }, {
        done: (given) => JSON.stringify(given.capital_question),
      }),
  );
  add(
    "test_input_required_result_list_roots",
    (ctx) =>
      step(ctx, { client_roots: inputRequired.listRoots() }, {
        done: (given) => JSON.stringify(given.client_roots),
      }),
  );
  for (const name of ["request_state", "tampered_state"]) {
    add(
      `test_input_required_result_${name}`,
      (ctx) =>
        step(ctx, { confirm: ask("Please confirm", "ok", "boolean") }, {
          state: 1,
          done: () => ctx.mcpReq.requestState() === undefined ? "no state" : "state-ok",
        }),
    );
  }
  add("test_input_required_result_multiple_inputs", (ctx) =>
    step(ctx, {
      user_name: ask("What is your name?", "name"),
      greeting: sample("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    }, { state: 1, done: (given) => JSON.stringify(given) }));
  add("test_input_required_result_multi_round", (ctx) => {
    const round = ctx.mcpReq.requestState<{ round: number }>()?.round ?? 0;
    if (round === 0) {
      return step(ctx, { step1: ask("Step 1: What is your name?", "name") }, {
        state: 1,
        done: () => "no state",
      });
    }
    return step(ctx, { step2: ask("Step 2: What is your favorite color?", "color") }, {
      state: 2,
      done: (given) => JSON.stringify(given),
    });
  });
  add("test_input_required_result_capabilities", (ctx) => {
    const can = capabilitiesOf(ctx);
    return step(ctx, {
      ...("elicitation" in can ? { asked: ask("What is your name?", "name") } : {}),
      ...("sampling" in can ? { sampled: sample("Say something", 50) } : {}),
      ...("roots" in can ? { client_roots: inputRequired.listRoots() } : {}),
    }, { done: (given) => JSON.stringify(given) });
  });
  // Asks for what the host has not said it can: the SDK refuses that for us.
  add(
    "test_missing_capability",
    (ctx) => step(ctx, { sampled: sample("Say something", 50) }, { done: () => "sampled" }),
  );
  add(
    "test_streaming_elicitation",
    (ctx) =>
      step(ctx, { user_name: ask("What is your name?", "name") }, { done: () => "streamed" }),
  );
}

type Given = Record<string, unknown>;

function addPrompts(server: McpServer): void {
  const says = (...content: unknown[]) =>
    ({
      messages: content.map((item) => ({ role: "user" as const, content: item })),
    }) as { messages: { role: "user"; content: { type: "text"; text: string } }[] };
  const words = (said: string) => ({ type: "text", text: said });
  server.registerPrompt(
    "test_simple_prompt",
    { description: "Simple." },
    () => says(words("This is a simple prompt for testing.")),
  );
  server.registerPrompt("test_prompt_with_arguments", {
    description: "With arguments.",
    argsSchema: z.object({
      arg1: completable(
        z.string().describe("First test argument"),
        (value) => ["testValue1", "testValue2"].filter((word) => word.startsWith(value)),
      ),
      arg2: z.string().describe("Second test argument"),
    }),
  }, ({ arg1, arg2 }) => says(words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)));
  server.registerPrompt("test_prompt_with_embedded_resource", {
    description: "With a resource.",
    argsSchema: z.object({ resourceUri: z.string() }),
  }, ({ resourceUri: uri }) =>
    says({
      type: "resource",
      resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
    }, words("Please process the embedded resource above.")));
  server.registerPrompt(
    "test_prompt_with_image",
    { description: "With an image." },
    () => says(image, words("Please analyze the image above.")),
  );
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks." }, (ctx) => {
    const given = acceptedContent(ctx.mcpReq.inputResponses, "user_context");
    if (given !== undefined) return says(words(`Context: ${given.context}`));
    return inputRequired({
      inputRequests: { user_context: ask("What context should the prompt use?", "context") },
    });
  });
}

function addResources(server: McpServer): void {
  const config = (mimeType: string) => ({ description: "For tests.", mimeType });
  server.registerResource("static-text", "test://static-text", config("text/plain"), (uri) => ({
    contents: [{
      uri: uri.href,
      mimeType: "text/plain",
      text: "This is the content of the static text resource.",
    }],
  }));
  server.registerResource("static-binary", "test://static-binary", config("image/png"), (uri) => ({
    contents: [{ uri: uri.href, mimeType: "image/png", blob: PNG }],
  }));
  server.registerResource("watched", "test://watched-resource", config("text/plain"), (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "watched" }],
  }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    config("application/json"),
    (uri, { id }) => ({
      contents: [{
        uri: uri.href,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }],
    }),
  );
  for (const method of ["resources/subscribe", "resources/unsubscribe"] as const) {
    server.server.setRequestHandler(method, () => ({}));
  }
}
