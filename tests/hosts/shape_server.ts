/**
 * A server with one tool for each shape a result can have, for the host lab. Every `open_<shape>`
 * answers with its own text, which ends with `OWN-END`, and names the parts that an agent reads
 * next with `get_part`, whose text ends with `PART-END`.
 *
 * Run as a program: `shape_server.ts [BYTES [PARTS]]`, the size of an own answer and how many
 * parts it names.
 *
 * @module
 */

import process from "node:process";
import { createInterface } from "node:readline";

/** What `open_<shape>` tells of the document it opened. */
interface Opened {
  readonly shape: string;
  readonly parts: readonly string[];
  readonly body: string;
}

// deno-lint-ignore no-explicit-any
type Json = any;

/** One shape: the schema its tool declares, and its result around what it opened. */
interface Shape {
  readonly outputSchema?: Json;
  result(opened: Opened): Json;
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", mimeType: "image/png", data: PIXEL };

const text = (value: unknown) => ({
  type: "text",
  text: typeof value === "string" ? value : JSON.stringify(value),
});

const OPEN_SCHEMA = {
  type: "object",
  properties: {
    shape: { type: "string" },
    parts: { type: "array", items: { type: "string" } },
    body: { type: "string" },
  },
  required: ["shape", "parts", "body"],
};
const CLOSED_SCHEMA = { ...OPEN_SCHEMA, additionalProperties: false };

/** The shapes, by name. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  plain: { result: (o) => ({ content: [text(o)] }) },
  two_items: { result: (o) => ({ content: [text(o), text("and this is all")] }) },
  structured: { result: (o) => ({ content: [text(o)], structuredContent: o }) },
  structured_schema: {
    outputSchema: OPEN_SCHEMA,
    result: (o) => ({ content: [text(o)], structuredContent: o }),
  },
  structured_closed: {
    outputSchema: CLOSED_SCHEMA,
    result: (o) => ({ content: [text(o)], structuredContent: o }),
  },
  structured_summary: {
    outputSchema: CLOSED_SCHEMA,
    result: (o) => ({
      content: [text(`opened, parts ${JSON.stringify(o.parts)}`)],
      structuredContent: o,
    }),
  },
  structured_empty: { result: (o) => ({ content: [], structuredContent: o }) },
  structured_image: { result: (o) => ({ content: [text(o), IMAGE], structuredContent: o }) },
  image: { result: (o) => ({ content: [text(o), IMAGE] }) },
  resource: {
    result: (o) => ({
      content: [text(o), {
        type: "resource",
        resource: { uri: "lab://note", mimeType: "text/plain", text: "a note" },
      }],
    }),
  },
};

/** An error result, which carries no lookups. */
export const ERROR_TEXT = "OWN-ERROR";

const KEYS = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

/** The tools, as `tools/list` has them. */
function listing(): Json[] {
  const read = { annotations: { readOnlyHint: true }, inputSchema: KEYS };
  return [
    ...Object.entries(SHAPES).map(([name, { outputSchema }]) => ({
      name: `open_${name}`,
      description: `Opens a document; its result has the shape ${name}.`,
      ...read,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    })),
    { name: "open_broken", description: "Opens nothing.", ...read },
    {
      name: "get_part",
      description: "Returns a part.",
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: "object",
        properties: { part: { type: "string" } },
        required: ["part"],
      },
    },
  ];
}

function called(name: string, args: Json, bytes: number, parts: number): Json {
  if (name === "get_part") return { content: [text(`${args.part} PART-END`)] };
  if (name === "open_broken") return { isError: true, content: [text(ERROR_TEXT)] };
  const shape = name.replace(/^open_/, "");
  const body = "lorem ipsum dolor sit amet ".repeat(Math.ceil(bytes / 27)).slice(0, bytes);
  return SHAPES[shape]?.result({
    shape,
    parts: Array.from({ length: parts }, (_, n) => `${args.id}-part-${n + 1}`),
    body: `${body} OWN-END`,
  });
}

if (import.meta.main) {
  const [bytes = 20, parts = 1] = Deno.args.map(Number);
  const send = (message: Json) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    if (method === "initialize") {
      const serverInfo = { name: "shapes", version: "1.0.0" };
      const { protocolVersion } = params;
      send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    } else if (method === "tools/list") send({ id, result: { tools: listing() } });
    else if (method === "ping") send({ id, result: {} });
    else if (method === "tools/call") {
      const result = called(params.name, params.arguments ?? {}, bytes, parts);
      send(result ? { id, result } : { id, error: { code: -32602, message: "no such tool" } });
    } else send({ id, error: { code: -32601, message: "no such method" } });
  });
}
