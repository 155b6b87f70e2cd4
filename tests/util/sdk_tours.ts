/**
 * One walk through server-everything's features with each version of the SDK's
 * client, over HTTP or a command's stdio: named steps and what each gave.
 *
 * @module
 */

import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** Where the server is. */
export interface Place {
  readonly url?: string;
  readonly command?: readonly string[];
}

/** Steps and results, times masked. */
export type Tour = readonly (readonly [string, unknown])[];

const CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };
const ROOTS = { roots: [{ uri: "file:///srv/tour", name: "Tour" }] };
const SAMPLED = {
  model: "none",
  role: "assistant" as const,
  content: { type: "text" as const, text: "Zoë 東京" },
};
const ELICITED = { action: "accept" as const, content: { name: "Ada", check: true } };

// deno-lint-ignore no-explicit-any
type AnyClient = any;

/** The walk with version 1. */
export async function tourV1({ url, command }: Place): Promise<Tour> {
  const client = new ClientV1({ name: "t", version: "0" }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED);
  const [program = "", ...args] = command ?? [];
  const transport = url === undefined
    ? new StdioV1({ command: program, args, env: Deno.env.toObject(), stderr: "ignore" })
    : new HttpV1(new URL(url));
  return await walk(
    client,
    () => client.connect(transport as Parameters<typeof client.connect>[0]),
  );
}

/** The walk with version 2. */
export async function tourV2({ url, command }: Place): Promise<Tour> {
  const client = new ClientV2({ name: "t", version: "0" }, { capabilities: CAPABILITIES });
  client.setRequestHandler("roots/list", () => ROOTS);
  client.setRequestHandler("sampling/createMessage", () => SAMPLED);
  client.setRequestHandler("elicitation/create", () => ELICITED);
  const [program = "", ...args] = command ?? [];
  const transport = url === undefined
    ? new StdioV2({ command: program, args, env: Deno.env.toObject(), stderr: "ignore" })
    : new HttpV2(new URL(url));
  return await walk(client, () => client.connect(transport));
}

// deno-lint-ignore hoist/function-length -- one line a step of the walk
async function walk(client: AnyClient, connect: () => Promise<void>): Promise<Tour> {
  const steps: [string, unknown][] = [];
  const heard: Record<string, number> = {};
  const waiting = new Set<() => void>();
  client.fallbackNotificationHandler = ({ method }: { method: string }) => {
    heard[method] = (heard[method] ?? 0) + 1;
    waiting.forEach((wake) => wake());
    return Promise.resolve();
  };
  const hear = (method: string) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        if ((heard[method] ?? 0) === 0) return;
        waiting.delete(wake);
        resolve();
      };
      waiting.add(wake);
      wake();
    });
  const step = async (name: string, run: () => Promise<unknown>) => {
    const result = await run().catch((error) => ({ code: error.code, message: error.message }));
    steps.push([name, JSON.parse(masked(JSON.stringify(result ?? null)))]);
  };
  const call = (name: string, args: unknown = {}) =>
    step(name, () => client.callTool({ name, arguments: args }));
  await connect();
  // The server asks for roots and then says so, by itself: on the GET stream.
  await hear("notifications/message");
  await step(
    "server",
    () => Promise.resolve([client.getServerVersion(), client.getServerCapabilities()]),
  );
  await step("tools/list", () => client.listTools());
  await call("echo", { message: "Zoë 東京 👩🏽 \u2028 \u0085 \\ end" });
  await call("get-sum", { a: 0.1, b: 9007199254740991 });
  await call("get-sum", { a: "one" });
  await call("get-annotated-message", { messageType: "error", includeImage: true });
  await call("get-resource-links", { count: 3 });
  await call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  await call("get-structured-content", { location: "Chicago" });
  await call("get-tiny-image");
  await call("no-such-tool");
  const progress: unknown[] = [];
  await step("progress", () =>
    client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.4, steps: 4 } },
      ...(client instanceof ClientV1 ? [undefined] : []),
      { onprogress: (p: unknown) => progress.push(p) },
    ));
  // The last may be on the wire right before the answer, and the SDK's second version then forgets
  // whom it is for: it hears notifications a turn later than answers.
  await step("progress seen", () => Promise.resolve(progress.slice(0, 3)));
  await call("get-roots-list");
  await call("trigger-sampling-request", { prompt: "Say something", maxTokens: 20 });
  await call("trigger-elicitation-request");
  await step("resources/list", () => client.listResources());
  await step("templates", () => client.listResourceTemplates());
  const read = (uri: string) => step(uri, () => client.readResource({ uri }));
  await read("demo://resource/static/document/features.md");
  await read("demo://resource/dynamic/blob/4");
  await read("demo://resource/nowhere");
  const uri = "demo://resource/static/document/features.md";
  await step("subscribe", () => client.subscribeResource({ uri }));
  await call("toggle-subscriber-updates");
  await hear("notifications/resources/updated");
  await call("toggle-subscriber-updates");
  await step("unsubscribe", () => client.unsubscribeResource({ uri }));
  await step("prompts/list", () => client.listPrompts());
  await step(
    "prompt",
    () => client.getPrompt({ name: "args-prompt", arguments: { city: "Tokyo", state: "-" } }),
  );
  await step("no prompt", () => client.getPrompt({ name: "no-such-prompt" }));
  await step("completion", () =>
    client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" },
    }));
  await step("level", () => client.setLoggingLevel("debug"));
  await step("ping", () => client.ping());
  await client.close();
  return steps;
}

/** Without what differs from run to run. */
function masked(text: string): string {
  return text.replace(/created at [\d:]+(?:[\s\u202f]?[AP]M)?/g, "created at <time>")
    .replace(/"blob":"UmVzb3VyY2[^"]*"/g, '"blob":"<text with a time>"')
    .replace(/for session [^" .\\]+/g, "for session <id>");
}
