import { assertEquals } from "@std/assert";
import { turns } from "../../tests/util/hand_timers.ts";
import { bare, json, result, type Scripted, stream } from "../../tests/util/upstream_rig.ts";
import { ModernEra } from "../session/upstream/modern_era.ts";
import type { HeaderList, SendLimits, UpstreamLink } from "../session/upstream/link.ts";
import { OwnExchanges } from "./own_exchanges.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const VERSION = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const request = (id: string, params = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "prompts/get",
  params,
});
const cancellation = (requestId: string, params = {}) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, ...params },
});

/** The exchanges of a session whose host sent these headers; what crosses is a transcript. */
function rig(
  script: (method: string) => Scripted | Promise<Scripted>,
  hostHeaders: Record<string, string> = { "mcp-session-id": "s" },
) {
  const transcript: string[] = [];
  const post = async (body: Uint8Array, headers: HeaderList, limits: SendLimits) => {
    const { method } = JSON.parse(decoder.decode(body));
    const named = headers.map(([name, value]) => ` ${name}=${value}`).join("");
    const within = limits.withinMs === undefined ? "" : ` within ${limits.withinMs}`;
    transcript.push(`POST ${method}${named}${within}`);
    const gone = new Promise<string>((resolve) =>
      limits.signal?.addEventListener("abort", () => resolve("aborted"))
    );
    const scripted = await Promise.race([script(method), gone]);
    if (typeof scripted === "string") throw new Error(scripted);
    return scripted;
  };
  const link = { post } as unknown as UpstreamLink;
  const own = new OwnExchanges({
    link,
    tools: new ModernEra({ link, tap: undefined, ownId: () => "hoist-9", say: () => {} }),
    chain: () => ({
      fromServer: (line) => void transcript.push(`chain < ${decoder.decode(line)}`),
      lost: (id) => void transcript.push(`lost ${id}`),
    }),
    headers: () => new Headers(hostHeaders),
  });
  const send = (message: unknown) => own.send(encoder.encode(JSON.stringify(message)));
  return { send, transcript };
}

const ANSWER = JSON.stringify(result("hoist-1"));
const NOTE = '{"jsonrpc":"2.0","method":"n"}';

/** What the upstream answers, and the lines that the session gets. */
const ANSWERS: readonly (readonly [
  why: string,
  answer: Scripted,
  lines: readonly string[],
])[] = [
  ["a body", json(result("hoist-1")), [ANSWER]],
  ["a body of several lines", json(ANSWER.replace(",", ",\n")), [ANSWER.replace(",", ", ")]],
  ["a stream", stream([{ data: NOTE }, { data: ANSWER }]), [NOTE, ANSWER]],
  ["events that are no messages", stream([{ data: NOTE, type: "ping" }, { id: "1" }]), []],
  ["a stream that is cut off after a line", stream([{ data: NOTE }], "breaks"), [NOTE]],
  ["a body that is cut off", { ...json(""), body: () => Promise.resolve(undefined) }, []],
  ["a status alone", bare(202), []],
  ["a refusal in words", bare(500, "text/plain"), []],
  ["an upstream that is not reachable", "refused", []],
];

for (const [why, answer, lines] of ANSWERS) {
  Deno.test(`OwnExchanges.send() of a request, and ${why}`, async () => {
    const { send, transcript } = rig(() => answer);
    await send(request("hoist-1"));
    assertEquals(transcript, [
      "POST prompts/get mcp-session-id=s",
      ...lines.map((line) => `chain < ${line}`),
      'lost "hoist-1"',
    ]);
  });
}

/** A request, the headers of the host's last one, and those it is sent with. */
const HEADERS: readonly (readonly [
  why: string,
  params: Record<string, unknown>,
  host: Record<string, string>,
  sent: string,
])[] = [
  [
    "legacy: the session and the version of the host, nothing else of it",
    {},
    { "mcp-session-id": "s", "mcp-protocol-version": "2025-06-18", authorization: "Bearer x" },
    " mcp-session-id=s mcp-protocol-version=2025-06-18",
  ],
  ["legacy without a session", {}, { accept: "*/*" }, ""],
  [
    "modern: what goes with the message",
    { name: "p", _meta: VERSION },
    { "mcp-session-id": "s", "mcp-protocol-version": "2025-06-18" },
    " MCP-Protocol-Version=2026-07-28 Mcp-Method=prompts/get Mcp-Name=p",
  ],
];

for (const [why, params, host, sent] of HEADERS) {
  Deno.test(`OwnExchanges sends headers, ${why}`, async () => {
    const { send, transcript } = rig(() => bare(202), host);
    await send(request("hoist-1", params));
    assertEquals(transcript[0], `POST prompts/get${sent}`);
  });
}

Deno.test("OwnExchanges discards a response that carries nothing", async () => {
  let discarded = 0;
  const answer = { ...bare(202), discard: () => Promise.resolve(void discarded++) };
  const { send } = rig(() => answer);
  await send(request("hoist-1"));
  await send(cancellation("hoist-1"));
  assertEquals(discarded, 2);
});

Deno.test("OwnExchanges gives a request up that is cancelled, and tells a legacy upstream", async () => {
  const { send, transcript } = rig((method) =>
    method === "prompts/get" ? new Promise<Scripted>(() => {}) : bare(202)
  );
  const asked = send(request("hoist-1"));
  await turns();
  await send(cancellation("hoist-2"));
  await turns();
  assertEquals(transcript.includes('lost "hoist-1"'), false, "that was another");
  await send(cancellation("hoist-1"));
  await asked;
  assertEquals(transcript, [
    "POST prompts/get mcp-session-id=s",
    "POST notifications/cancelled mcp-session-id=s within 5000",
    "POST notifications/cancelled mcp-session-id=s within 5000",
    'lost "hoist-1"',
  ]);
});

Deno.test("OwnExchanges closes the stream of a modern request, and sends no cancellation", async () => {
  const { send, transcript } = rig(() => new Promise<Scripted>(() => {}), {});
  const asked = send(request("hoist-1", { _meta: VERSION }));
  await turns();
  await send(cancellation("hoist-1", { _meta: VERSION }));
  await asked;
  assertEquals(transcript.slice(1), ['lost "hoist-1"']);
});

Deno.test("OwnExchanges takes no harm from a cancellation that does not arrive", async () => {
  const { send, transcript } = rig(() => "refused");
  await send(cancellation("hoist-1"));
  assertEquals(transcript, ["POST notifications/cancelled mcp-session-id=s within 5000"]);
});
