import { assertEquals } from "@std/assert";
import { readLog } from "../disk/read_log.ts";
import { SessionSpans } from "./session_spans.ts";
import { parseTraceparent, type SessionSpan } from "./spans.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

/** The spans of a session: a header, and lines by who and what. */
function spansOf(
  lines: readonly (readonly [string, unknown])[],
  withValues = false,
): SessionSpan[] {
  const spans: SessionSpan[] = [];
  const maker = new SessionSpans(
    {
      hoist_mcp_log: 2,
      session: "s1",
      started_unix_ms: 1_000,
      server_command: ["x"],
      domain: "shop",
      agent_model: null,
    },
    (span) => spans.push(span),
    { withValues },
  );
  for (const [i, [from, message]] of lines.entries()) {
    const text = JSON.stringify(message);
    const source = from as "client" | "server" | "proxy";
    maker.take({ kind: "message", line: i + 2, t_ms: i * 10, from: source, text, message });
  }
  maker.end();
  return spans;
}

const call = (id: unknown, more = {}) => ({
  id,
  method: "tools/call",
  params: { name: "find", arguments: { email: "lea@post.example" }, ...more },
});

Deno.test("a call is a span by the conventions, in the host's trace where it names one", () => {
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  const [span, session] = spansOf([
    ["client", call(1, { _meta: { traceparent } })],
    ["server", { id: 1, result: { content: [{ type: "text", text: "P-7" }] } }],
  ]);
  assertEquals(span, {
    traceId: TRACE,
    spanId: span?.spanId ?? "",
    parentSpanId: PARENT,
    link: { traceId: session?.traceId ?? "", spanId: session?.spanId ?? "" },
    name: "tools/call find",
    isRequest: true,
    startUnixMs: 1_000,
    endUnixMs: 1_010,
    error: undefined,
    attributes: {
      "mcp.method.name": "tools/call",
      "mcp.session.id": "s1",
      "jsonrpc.request.id": "1",
      "network.transport": "pipe",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "find",
      "hoist.caller": "agent",
      "hoist.outcome": "done",
    },
    place: 2,
  });
  assertEquals([session?.name, session?.parentSpanId, session?.isRequest], [
    "session shop",
    undefined,
    false,
  ]);
});

Deno.test("errors, refusals, lookups, cancelled and unanswered requests are told apart", () => {
  const spans = spansOf([
    ["client", call(1)],
    ["server", { id: 1, result: { isError: true, content: [] } }],
    ["client", call(2)],
    ["server", { id: 2, error: { code: -32602, message: "secret words" } }],
    ["client", call(3)],
    ["proxy", { id: 3, result: { isError: true, content: [{ type: "text", text: "no" }] } }],
    ["proxy", call("hoist-1")],
    ["server", { id: "hoist-1", result: { content: [] } }],
    ["client", call(4)],
    ["client", { method: "notifications/cancelled", params: { requestId: 4 } }],
    ["client", { id: 5, method: "resources/read", params: { uri: "file:///secret" } }],
  ]);
  const told = spans.map(({ error, attributes: a }) =>
    [error, a["hoist.outcome"], a["hoist.caller"]].join(" ")
  );
  assertEquals(told, [
    "tool_error error agent",
    "-32602 error agent",
    "tool_error refused agent",
    " done flow",
    "cancelled cancelled agent",
    "unanswered unanswered host",
    "  ",
  ]);
  assertEquals(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  assertEquals(JSON.stringify(spans).includes("secret"), false, "no value without --values");
});

Deno.test("spans hold values when they are asked for, and the same ids each time", async () => {
  const lines = [["client", call(1)], ["server", {
    id: 1,
    result: { content: [{ type: "text", text: "P-7" }] },
  }]] as const;
  const [span] = spansOf(lines, true);
  assertEquals(span?.attributes["gen_ai.tool.call.arguments"], '{"email":"lea@post.example"}');
  assertEquals(span?.attributes["gen_ai.tool.call.result"], "P-7");
  const { header, lines: read } = await readLog("testdata/sessions/v2/shop.jsonl");
  const ids = () => {
    const found: string[] = [];
    const maker = new SessionSpans(header, ({ spanId }) => found.push(spanId), {
      withValues: false,
    });
    for (const line of read) maker.take(line);
    maker.end();
    return found;
  };
  assertEquals(ids(), ids());
  assertEquals(ids().length, 16);
});

Deno.test("parseTraceparent() takes what W3C Trace Context allows", () => {
  assertEquals(parseTraceparent(`00-${TRACE}-${PARENT}-00`), { traceId: TRACE, spanId: PARENT });
  assertEquals(parseTraceparent(`01-${TRACE}-${PARENT}-01-more`)?.spanId, PARENT);
  for (
    const wrong of [
      undefined,
      "",
      `ff-${TRACE}-${PARENT}-01`,
      `00-${"0".repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}`,
    ]
  ) assertEquals(parseTraceparent(wrong), undefined, wrong);
});
