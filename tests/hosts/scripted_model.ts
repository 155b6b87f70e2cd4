/**
 * A model that follows a script, on loopback: it speaks the APIs of the hosts under test,
 * checks no key and no schema, and keeps what each request showed it.
 *
 * @module
 */

import { MODEL_APIS, type ModelApi, type ShownResult, type ShownTool } from "./model_apis.ts";

/** A call of the script. */
export interface ScriptedCall {
  /** The tool's name as the server has it. */
  readonly tool: string;
  readonly args?: unknown;
}

/** One answer of the model. */
export interface ScriptStep {
  readonly calls?: readonly ScriptedCall[];
  readonly text?: string;
  /** Milliseconds before the answer. */
  readonly sleepMs?: number;
  /** Milliseconds after each block of a streamed answer. */
  readonly gapMs?: number;
  /** The step is skipped when a result shows this text: the model has what the call would bring. */
  readonly unlessSeen?: string;
}

/** A request that the model got. */
export interface ModelRequest {
  /** The step it was answered with; undefined for side requests, such as one for a title. */
  readonly step: number | undefined;
  readonly tools: readonly ShownTool[];
  readonly results: readonly ShownResult[];
  /** What it was answered with, by call id. */
  readonly calls: ReadonlyMap<string, ScriptedCall & { readonly isShown: boolean }>;
}

/** The running model. */
export interface ScriptedModel extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
}

const plain = (name: string) => name.replaceAll("-", "_");

/** The tool that the script means: hosts put the server's name before it, and may change `-`. */
export function findTool(tools: readonly ShownTool[], wanted: string): ShownTool | undefined {
  return tools.find(({ name }) => name === wanted) ??
    tools.find(({ name }) => name.endsWith(`_${wanted}`) || name.endsWith(`-${wanted}`)) ??
    tools.find(({ name }) =>
      plain(name) === plain(wanted) || plain(name).endsWith(`_${plain(wanted)}`)
    );
}

/** The first step after the last one played that is not skipped. */
function nextStep(
  steps: readonly ScriptStep[],
  lastPlayed: number,
  results: readonly ShownResult[],
): number {
  for (let n = lastPlayed + 1; n < steps.length; n++) {
    const seen = steps[n]?.unlessSeen;
    if (seen === undefined || !results.some(({ text }) => text.includes(seen))) return n;
  }
  return steps.length;
}

/**
 * Starts the model.
 *
 * @param steps The script. A request is answered with the step after the last one whose calls the
 *   conversation holds, so a repeated request gets the same answer.
 * @returns The model; dispose it to stop listening.
 */
export function startModel(steps: readonly ScriptStep[]): ScriptedModel {
  const run = crypto.randomUUID().slice(0, 6);
  const requests: ModelRequest[] = [];

  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const where = url.pathname + url.search;
    const api = MODEL_APIS.find(({ path }) => path.test(where));
    const raw = await request.text();
    if (request.method !== "POST" || api === undefined) return sideAnswer(where);
    const body = JSON.parse(raw);
    const tools = api.tools(body);
    const results = api.results(body);
    const ids = [...raw.matchAll(new RegExp(`call_${run}_(\\d+)_`, "g"))].map(([, n]) => Number(n));
    const step = tools.length === 0 ? undefined : nextStep(steps, Math.max(-1, ...ids), results);
    const played: ScriptStep = step === undefined ? { text: "ok" } : steps[step] ?? { text: "end" };
    const calls = (played.calls ?? []).map((call, n) => {
      const tool = findTool(tools, call.tool);
      const { name = call.tool, namespace } = tool ?? {};
      const id = `call_${run}_${step}_${n}`;
      return { id, name, namespace, args: call.args ?? {}, of: call, isShown: tool !== undefined };
    });
    requests.push({
      step,
      tools,
      results,
      calls: new Map(calls.map(({ id, of, isShown }) => [id, { ...of, isShown }])),
    });
    if (played.sleepMs !== undefined) await new Promise((go) => setTimeout(go, played.sleepMs));
    return written(api, { text: played.text, calls, gapMs: played.gapMs ?? 0 }, body, where);
  };

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Requests that are no turn: token counts, lists of models. */
function sideAnswer(where: string): Response {
  if (/count_?tokens/i.test(where)) return Response.json({ input_tokens: 10, totalTokens: 10 });
  if (where.includes("models")) return Response.json({ object: "list", data: [], models: [] });
  return Response.json({ error: { message: "not here" } }, { status: 404 });
}

function written(
  api: ModelApi,
  answer: Parameters<ModelApi["reply"]>[0],
  body: unknown,
  where: string,
): Response {
  const reply = api.reply(answer, body, where);
  if (!Array.isArray(reply)) return Response.json(reply.whole);
  const encoder = new TextEncoder();
  const stream = ReadableStream.from(async function* () {
    for (const [name, data, waitMs] of reply) {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      yield encoder.encode(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
      if (waitMs) await new Promise((go) => setTimeout(go, waitMs));
    }
  }());
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}
