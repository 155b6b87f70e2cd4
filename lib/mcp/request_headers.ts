/**
 * The headers of a modern request, which say again what its body says: derived
 * where the proxy is the client, checked where it is the server.
 *
 * @module
 */

import { stringAt, valueAt } from "../wire/json_spans.ts";
import type { Message } from "../wire/message.ts";
import { modernVersion } from "./era.ts";
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
export function nameOf({ bytes, method, params }: Message): string | undefined {
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
  const name = nameOf(message);
  if (name !== undefined) headers.push(["Mcp-Name", encodeHeaderValue(name)]);
  return headers;
}

/**
 * Holds the headers of a modern request against its body.
 *
 * @param message The request.
 * @param header Reads a header of the exchange.
 * @param params The called tool's mirrored arguments.
 * @returns What does not match, or undefined.
 */
export function headerMismatch(
  message: Message,
  header: (name: string) => string | undefined,
  params: readonly ParamHeader[] = [],
): string | undefined {
  const version = header("MCP-Protocol-Version")?.trim();
  if (version === undefined) return "the MCP-Protocol-Version header is missing";
  if (version !== modernVersion(message)) {
    return `the MCP-Protocol-Version header is "${version}", the body's is another`;
  }
  return mismatch("Mcp-Method", header("Mcp-Method"), message.method) ??
    mismatch("Mcp-Name", header("Mcp-Name"), nameOf(message)) ??
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
