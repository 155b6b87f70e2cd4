import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { editJson } from "../json/edit_json.ts";
import { readMessage } from "../wire/message.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header_value.ts";
import { modernHeaders, requestFault } from "./request_headers.ts";
import { listedToolHeaders, paramHeaders, toolHeaders, withoutInvalid } from "./tool_headers.ts";

const message = (value: unknown) => readMessage(new TextEncoder().encode(JSON.stringify(value)));

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

function request(method: string, params: Record<string, unknown> = {}, meta: unknown = META) {
  return message({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
}

Deno.test("modernHeaders() repeats version, method and what the request is about (C17)", () => {
  const named = (method: string, params: Record<string, unknown>) =>
    modernHeaders(request(method, params)).map(([, value]) => value);
  assertEquals(modernHeaders(request("tools/list")), [
    ["MCP-Protocol-Version", "2026-07-28"],
    ["Mcp-Method", "tools/list"],
  ]);
  assertEquals(named("tools/call", { name: "é" }).at(-1), "=?base64?w6k=?=");
  assertEquals(named("resources/read", { uri: "a://b" }).at(-1), "a://b");
  assertEquals(named("prompts/get", { name: "p" }).at(-1), "p");
  assertEquals(named("tasks/get", { taskId: "t" }).at(-1), "t");
  assertEquals(named("toString", { name: "x" }).length, 2);
});

Deno.test("encodeHeaderValue() leaves plain text and turns the rest into base64 (C18)", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["us-west1", "us-west1"],
    ["us west 1", "us west 1"],
    ["", ""],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["\tindented", "=?base64?CWluZGVudGVk?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    ["=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="],
  ];
  for (const [text, header] of rows) assertEquals(encodeHeaderValue(text), header);
});

Deno.test("decodeHeaderValue() reads back what encodeHeaderValue() wrote", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const header = encodeHeaderValue(text);
    assertEquals(/^[\x20-\x7e]*$/.test(header), true);
    assertEquals(decodeHeaderValue(header), text);
  }));
  for (const bad of ["=?base64?x?=", "=?base64?eA=?=", "=?base64?/w==?=", "=?base64?e_-=?="]) {
    assertEquals(decodeHeaderValue(bad), undefined, bad);
  }
});

const schema = (property: unknown) => ({ type: "object", properties: { a: property } });

Deno.test("toolHeaders() finds annotations that properties alone lead to", () => {
  const nested = { type: "object", properties: { b: { type: "string", "x-mcp-header": "B" } } };
  assertEquals(toolHeaders(schema(nested)), {
    kind: "valid",
    params: [{ path: ["a", "b"], header: "Mcp-Param-B" }],
  });
  assertEquals(toolHeaders({ type: "object" }), { kind: "valid", params: [] });
});

const annotated = (name: unknown, type = "string") => ({ type, "x-mcp-header": name });
const INVALID: readonly (readonly [string, unknown])[] = [
  ["an empty name", schema(annotated(""))],
  ["a name with a space", schema(annotated("a b"))],
  ["a name with a colon", schema(annotated("a:b"))],
  ["a name that is no string", schema(annotated(1))],
  ["a number", schema(annotated("A", "number"))],
  ["an object", schema(annotated("A", "object"))],
  ["an array", schema(annotated("A", "array"))],
  ["no type", schema({ "x-mcp-header": "A" })],
  ["under items", schema({ type: "array", items: annotated("A") })],
  ["under oneOf", schema({ oneOf: [annotated("A")] })],
  ["under $defs", { $defs: { x: annotated("A") } }],
  ["at the top", { type: "object", "x-mcp-header": "A" }],
  ["a name used twice", {
    properties: { a: annotated("Region"), b: annotated("REGION") },
  }],
];

for (const [why, bad] of INVALID) {
  Deno.test(`toolHeaders() refuses ${why} (C20)`, () => {
    assertEquals(toolHeaders(bad).kind, "invalid");
  });
}

Deno.test("paramHeaders() writes strings as they are, integers in decimals, booleans, and no null (C19)", () => {
  const text =
    '{"id":1,"method":"tools/call","params":{"arguments":{"s":"é","i":9007199254740993,' +
    '"b":false,"n":null,"f":1.0}}}';
  const call = readMessage(new TextEncoder().encode(text));
  const params = ["s", "i", "b", "n", "f", "x"].map((name) => ({ path: [name], header: name }));
  assertEquals(paramHeaders(params, call), [
    ["s", "=?base64?w6k=?="],
    ["i", "9007199254740993"],
    ["b", "false"],
    ["f", "1"],
  ]);
});

Deno.test("withoutInvalid() cuts bad tools and their commas out of the list (C20)", () => {
  const good = (name: string) => ({ name, inputSchema: { type: "object" } });
  const bad = (name: string) => ({ name, inputSchema: schema(annotated("")) });
  const lists = [
    [good("a"), bad("b"), good("c")],
    [bad("a"), bad("b"), good("c")],
    [good("a"), bad("b"), bad("c")],
    [bad("a"), bad("b")],
    [bad("a"), good("b"), bad("c"), bad("d"), good("e"), bad("f")],
    [good("a")],
  ];
  for (const tools of lists) {
    for (const pad of [undefined, 2]) {
      const text = JSON.stringify({ id: 1, result: { tools, ttlMs: 0 } }, null, pad);
      const answer = readMessage(new TextEncoder().encode(text));
      const spans = withoutInvalid(answer, listedToolHeaders(answer));
      const left = editJson(answer.bytes, spans.map((span) => ({ span, text: "" })));
      const kept = JSON.parse(new TextDecoder().decode(left)).result;
      const wanted = tools.filter((tool) => toolHeaders(tool.inputSchema).kind === "valid");
      assertEquals(kept, { tools: wanted, ttlMs: 0 }, text);
    }
  }
});

const HEADERS = {
  "MCP-Protocol-Version": "2026-07-28",
  "Mcp-Method": "tools/call",
  "Mcp-Name": "t",
  "Mcp-Param-N": "7",
};
const CALL = request("tools/call", { name: "t", arguments: { n: 7 } });
const PARAMS = [{ path: ["n"], header: "Mcp-Param-N" }];

function fault(change: Record<string, string | undefined>, call = CALL) {
  const headers: Record<string, string | undefined> = { ...HEADERS, ...change };
  return requestFault(call, (name) => headers[name], PARAMS)?.code;
}

Deno.test("requestFault() finds headers that are missing, malformed, or not the body's (S18)", () => {
  assertEquals(fault({}), undefined);
  assertEquals(
    fault({ "Mcp-Param-N": "7.0", "Mcp-Name": " t\t" }),
    undefined,
    "equal numbers, spaces",
  );
  const bad: readonly Record<string, string | undefined>[] = [
    { "MCP-Protocol-Version": undefined },
    { "MCP-Protocol-Version": "2025-11-25" },
    { "Mcp-Method": undefined },
    { "Mcp-Method": "Tools/Call" },
    { "Mcp-Name": undefined },
    { "Mcp-Name": "T" },
    { "Mcp-Name": "=?base64?x?=" },
    { "Mcp-Param-N": undefined },
    { "Mcp-Param-N": "8" },
  ];
  for (const change of bad) assertEquals(fault(change), -32020, JSON.stringify(change));
});

Deno.test("requestFault() wants the version and the capabilities in _meta (S19)", () => {
  const { "io.modelcontextprotocol/protocolVersion": version } = META;
  const key = "io.modelcontextprotocol/protocolVersion";
  const call = (meta: unknown) => request("tools/call", { name: "t", arguments: { n: 7 } }, meta);
  assertEquals(fault({}, call({ [key]: version })), -32602);
  assertEquals(fault({}, call({})), -32602);
});
