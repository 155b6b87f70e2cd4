/**
 * Every feature of the reference server `server-everything`, used once.
 *
 * Give it the command that starts the server, directly or behind a proxy: the
 * transcripts must be equal.
 *
 * @module
 */

// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { FeatureTour, type Mask, type Tour, type TourOptions } from "./feature_tour.ts";

/** The command that starts the server, under the Deno that runs this. */
export const EVERYTHING: readonly string[] = [
  Deno.execPath(),
  "run",
  "-A",
  "npm:@modelcontextprotocol/server-everything@2026.8.31",
  "stdio",
];

/** Options for {@linkcode everythingFeatures}. */
export interface EverythingOptions extends TourOptions {
  /**
   * Whether to run a task. That takes four seconds, and then the server keeps a timer until the
   * task expires, so it does not end when its stdin does: set `graceMs` to what you can wait.
   *
   * @default {true}
   */
  tasks?: boolean;
  /**
   * Whether to ask for the server's environment, which may hold what no log should.
   *
   * @default {true}
   */
  environment?: boolean;
}

const MASKS: readonly Mask[] = [
  [/created at \d{1,2}:\d{2}:\d{2}(?:[\s\u202f]?[AP]M)?/g, "created at <time>"],
  // The same sentence, in base64.
  [/"blob":"UmVzb3VyY2[^"]*"/g, '"blob":"<text with a time>"'],
  [/"level":"\w+","data":"\w+[ -]level[ -]message"/g, '"level":"<random>","data":"<random>"'],
  [/"(taskId|createdAt|lastUpdatedAt)":"[^"]*"/g, '"$1":"<$1>"'],
  [/"elicitationId":"[0-9a-f-]{36}"/g, '"elicitationId":"<random>"'],
  // The environment, as get-env prints it: in no order.
  [/(?<="text":"\{\\n)(?: {2}\\"\w+\\": \\".*?\\",?\\n)+(?=\})/g, sortedLines],
];

function sortedLines(text: string): string {
  return text.split("\\n").map((line) => line.replace(/,$/, "")).sort().join("\\n");
}

const STATIC = "demo://resource/static/document/features.md";
const DYNAMIC = "demo://resource/dynamic";

/**
 * Uses every feature of server-everything.
 *
 * @param argv The command, whole.
 * @param options Its surroundings.
 * @returns The transcript and the wire.
 */
export async function everythingFeatures(
  argv: readonly string[],
  options: EverythingOptions = {},
): Promise<Tour> {
  const tour = new FeatureTour(argv, MASKS, {
    capabilities: {
      roots: { listChanged: true },
      sampling: {},
      elicitation: { form: {}, url: {} },
    },
    options,
  });
  answerTheServer(tour);
  // The server asks for roots by itself a while after the start, and logs that it has them.
  await tour.connect(/Roots updated/);
  await tour.ask("ping", { method: "ping" });
  await useTools(tour);
  if (options.environment ?? true) await tour.call("get-env");
  await letTheServerAsk(tour);
  await useResources(tour);
  await usePrompts(tour);
  await useLogging(tour);
  if (options.tasks ?? true) await useTasks(tour);
  await tour.ask("an unknown method", { method: "tools/frobnicate", params: { x: 1 } });
  return await tour.end();
}

function answerTheServer({ client }: FeatureTour): void {
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: "file:///srv/tour", name: "Tour" }],
  }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: "no-model",
    role: "assistant",
    content: { type: "text", text: "Sampled: Zoë 東京 \u2028 👩🏽" },
    stopReason: "endTurn",
  }));
  client.setRequestHandler(
    ElicitRequestSchema,
    ({ params }) =>
      params.mode === "url" ? { action: "accept" } : {
        action: "accept",
        content: { name: "Ada", check: true, integer: 42 },
      },
  );
}

async function useTools(tour: FeatureTour): Promise<void> {
  await tour.ask("tools/list", { method: "tools/list" });
  await tour.call("echo", { message: 'Zoë 東京 👩🏽 "quoted" \\ \u2028 \u0085 \r\n end' });
  await tour.call("echo", { message: 7 });
  await tour.call("get-sum", { a: 0.1, b: 9007199254740991 });
  await tour.call("get-sum", { a: "one" });
  await tour.call("get-annotated-message", { messageType: "error", includeImage: true });
  await tour.call("get-annotated-message", { messageType: "debug" });
  await tour.call("get-resource-links", { count: 3 });
  await tour.call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  await tour.call("get-resource-reference", { resourceType: "Blob", resourceId: 2 });
  await tour.call("get-resource-reference", { resourceType: "Text", resourceId: -1 });
  await tour.call("get-structured-content", { location: "Chicago" });
  await tour.call("get-tiny-image");
  const file = { name: "tour.txt.gz", data: `data:text/plain,${"hoist ".repeat(200)}` };
  await tour.call("gzip-file-as-resource", { ...file, outputType: "resourceLink" });
  await tour.call("gzip-file-as-resource", { ...file, outputType: "resource" });
  await tour.call("no-such-tool");
  const work = { duration: 1, steps: 4 };
  await tour.call("trigger-long-running-operation", work, { progress: true });
  for (const progressToken of ["tour", 0]) {
    const params = { _meta: { progressToken } };
    await tour.call("trigger-long-running-operation", { duration: 0.2, steps: 2 }, { params });
  }
  await tour.call("trigger-long-running-operation", { duration: 0.6, steps: 3 }, {
    cancelAtProgress: true,
    last: /"progress":3,"total":3/, // This server works on after a cancellation.
  });
}

async function letTheServerAsk(tour: FeatureTour): Promise<void> {
  await tour.call("get-roots-list");
  await tour.notify("notifications/roots/list_changed", /Roots updated/);
  await tour.call("trigger-sampling-request", { prompt: "Say something", maxTokens: 20 });
  await tour.call("trigger-elicitation-request");
  const link = { url: "https://example.com/authorize", elicitationId: "tour-1" };
  await tour.call("trigger-url-elicitation", link);
  await tour.call("trigger-url-elicitation", { ...link, errorPath: true });
  await tour.call("trigger-url-elicitation", { ...link, errorPath: true });
}

async function useResources(tour: FeatureTour): Promise<void> {
  const read = (uri: string) => tour.ask(uri, { method: "resources/read", params: { uri } });
  await tour.ask("resources/list", { method: "resources/list" });
  await tour.ask("resources/templates/list", { method: "resources/templates/list" });
  await read(STATIC);
  await read(`${DYNAMIC}/text/3`);
  await read(`${DYNAMIC}/blob/4`);
  await read("demo://resource/session/tour.txt.gz");
  await read("demo://resource/nowhere");
  await complete(
    tour,
    { type: "ref/resource", uri: `${DYNAMIC}/text/{resourceId}` },
    "resourceId",
    "5",
  );
  const params = { uri: STATIC };
  await tour.ask("subscribe", { method: "resources/subscribe", params });
  await tour.call("toggle-subscriber-updates", {}, { last: /resources\/updated/ });
  await tour.call("toggle-subscriber-updates");
  await tour.ask("unsubscribe", { method: "resources/unsubscribe", params });
}

async function usePrompts(tour: FeatureTour): Promise<void> {
  const get = (name: string, args?: Record<string, string>) =>
    tour.ask(`prompts/get ${name}`, {
      method: "prompts/get",
      params: args === undefined ? { name } : { name, arguments: args },
    });
  await tour.ask("prompts/list", { method: "prompts/list" });
  await get("simple-prompt");
  await get("args-prompt", { city: "Tokyo", state: "-" });
  await get("args-prompt");
  await get("completable-prompt", { department: "Engineering", name: "Alice" });
  await get("resource-prompt", { resourceType: "Text", resourceId: "1" });
  await get("no-such-prompt");
  const ref = { type: "ref/prompt", name: "completable-prompt" };
  await complete(tour, ref, "department", "E");
  await complete(tour, ref, "name", "A", { department: "Engineering" });
}

async function complete(
  tour: FeatureTour,
  ref: Record<string, string>,
  name: string,
  value: string,
  known?: Record<string, string>,
): Promise<void> {
  await tour.ask(`completion/complete ${name}`, {
    method: "completion/complete",
    params: {
      ref,
      argument: { name, value },
      ...(known === undefined ? {} : { context: { arguments: known } }),
    },
  });
}

async function useLogging(tour: FeatureTour): Promise<void> {
  await tour.ask("logging/setLevel", { method: "logging/setLevel", params: { level: "debug" } });
  await tour.call("toggle-simulated-logging", {}, { last: /notifications\/message/ });
  await tour.call("toggle-simulated-logging");
  await tour.ask("a bad level", { method: "logging/setLevel", params: { level: "loud" } });
}

async function useTasks(tour: FeatureTour): Promise<void> {
  const params = { task: { ttl: 60_000 } };
  await tour.call("simulate-research-query", { topic: "byte order" });
  await tour.call("simulate-research-query", { topic: "byte order" }, { params });
  const taskId = tour.seen(/"taskId":"([^"]+)"/) ?? "";
  // This answers once the task is done, so the steps after it are the same in each run.
  await tour.ask("tasks/result", { method: "tasks/result", params: { taskId } });
  await tour.ask("tasks/get", { method: "tasks/get", params: { taskId } });
  await tour.ask("tasks/list", { method: "tasks/list" });
  await tour.ask("tasks/cancel", { method: "tasks/cancel", params: { taskId } });
}
