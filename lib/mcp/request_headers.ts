/**
 * The headers of a modern request, which say again what its body says: derived
 * where the proxy is the client, checked where it is the server.
 *
 * @module
 */

import { isObjectAt, stringAt, valueAt } from "../json/json_spans.ts";
import type { Message } from "../wire/message.ts";
import { CAPABILITIES_KEY, modernVersion, VERSION_KEY } from "./era.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header_value.ts";
import { headerText, type ParamHeader } from "./tool_headers.ts";

/** The parameter that `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** What a message is about, for `Mcp-Name`; undefined where there is no such thing. */
export function mcpName({ bytes, method, params }: Message): string | undefined {
  const key = method !== undefined && Object.hasOwn(NAMED_BY, method)
    ? NAMED_BY[method]
    : undefined;
  return key === undefined ? undefined : stringAt(bytes, valueAt(bytes, params, key));
}

/**
 * The headers of a modern request or notification.
 *
 * @param message The message.
 * @returns Names and values, from the message's own bytes and nothing else.
 */
export function modernHeaders(message: Message): [string, string][] {
  const headers: [string, string][] = [];
  const version = modernVersion(message);
  if (version !== undefined) headers.push(["MCP-Protocol-Version", encodeHeaderValue(version)]);
  if (message.method !== undefined) {
    headers.push(["Mcp-Method", encodeHeaderValue(message.method)]);
  }
  const name = mcpName(message);
  if (name !== undefined) headers.push(["Mcp-Name", encodeHeaderValue(name)]);
  return headers;
}

/** What is wrong with a modern request, as the JSON-RPC error it gets. */
export interface RequestFault {
  /** The error's code. */
  readonly code: number;
  /** The error's words. */
  readonly message: string;
}

/**
 * Holds a modern request's headers against its body, and its `_meta` against what must be there.
 *
 * @param message The request.
 * @param header Reads a header of the exchange.
 * @param params The called tool's mirrored arguments.
 * @returns The first fault, or undefined.
 */
export function requestFault(
  message: Message,
  header: (name: string) => string | undefined,
  params: readonly ParamHeader[] = [],
): RequestFault | undefined {
  const version = header("MCP-Protocol-Version")?.trim();
  const said = modernVersion(message);
  if (said === undefined) {
    return { code: -32602, message: `Invalid params: _meta lacks ${VERSION_KEY}` };
  }
  if (version === undefined) return mismatched("the MCP-Protocol-Version header is missing");
  if (version !== said) {
    return mismatched(`the MCP-Protocol-Version header is "${version}", the body's is another`);
  }
  const capabilities = valueAt(message.bytes, message.params, "_meta", CAPABILITIES_KEY);
  if (capabilities === undefined || !isObjectAt(message.bytes, capabilities)) {
    return { code: -32602, message: `Invalid params: _meta lacks ${CAPABILITIES_KEY}` };
  }
  const fault = headerMismatch(message, header, params);
  return fault === undefined ? undefined : mismatched(fault);
}

function mismatched(what: string): RequestFault {
  return { code: -32020, message: `Header mismatch: ${what}` };
}

function headerMismatch(
  message: Message,
  header: (name: string) => string | undefined,
  params: readonly ParamHeader[],
): string | undefined {
  return mismatch("Mcp-Method", header("Mcp-Method"), message.method) ??
    mismatch("Mcp-Name", header("Mcp-Name"), mcpName(message)) ??
    paramMismatch(message, header, params);
}

function paramMismatch(
  { bytes, params: at }: Message,
  header: (name: string) => string | undefined,
  params: readonly ParamHeader[],
): string | undefined {
  for (const { path, header: name } of params) {
    const value = valueAt(bytes, at, "arguments", ...path);
    const text = value === undefined ? undefined : headerText(bytes, value);
    const fault = mismatch(name, header(name), text);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function mismatch(
  name: string,
  header: string | undefined,
  body: string | undefined,
): string | undefined {
  if (header === undefined) return body === undefined ? undefined : `the ${name} header is missing`;
  const said = decodeHeaderValue(header);
  if (said === undefined) return `the ${name} header is not base64 of UTF-8`;
  if (body === undefined) return `the ${name} header is not the body's: it has no such value`;
  if (said === body) return undefined;
  const isSameNumber = /^-?\d+(\.\d+)?$/.test(said) && /^-?\d/.test(body) &&
    Number(said) === Number(body);
  return isSameNumber ? undefined : `the ${name} header is "${said}", the body says another`;
}
