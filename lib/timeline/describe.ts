/**
 * Describes messages in a few words for a person.
 *
 * The words come from the peers and are not escaped here; the printer escapes them.
 *
 * @module
 */

import { at, isObject, type JsonObject, jsonText, textAt } from "../json/json.ts";
import { callResult } from "../trace/call_result.ts";
import type { WireRequest, WireResponse } from "../trace/wire_messages.ts";

/** The lists in results, and the field that names an item. */
const LISTS: readonly (readonly [list: string, name: string])[] = [
  ["tools", "name"],
  ["prompts", "name"],
  ["resources", "uri"],
  ["resourceTemplates", "uriTemplate"],
  ["roots", "uri"],
  ["tasks", "taskId"],
];

/** The parameter that names the subject of a method. */
const SUBJECT: Readonly<Record<string, string>> = {
  "resources/read": "uri",
  "resources/subscribe": "uri",
  "resources/unsubscribe": "uri",
  "notifications/resources/updated": "uri",
  "logging/setLevel": "level",
  "tasks/get": "taskId",
  "tasks/result": "taskId",
  "tasks/cancel": "taskId",
};

/**
 * Describes a request or notification.
 *
 * @param method Its method.
 * @param params Its parameters.
 * @returns Words to print after the method; may be empty.
 */
export function describeParams(method: string, params: JsonObject): string {
  switch (method) {
    case "initialize":
      return describeParty(at(params, "clientInfo"), params);
    case "notifications/progress":
      return describeProgress(params);
    case "notifications/message": {
      const level = textAt(params, "level") ?? "";
      return `${level} ${textOrJson(at(params, "data"))}`.trim();
    }
    case "sampling/createMessage":
      return contentText(lastOf(at(params, "messages")));
    case "elicitation/create":
      return textAt(params, "message") ?? jsonText(params);
    case "prompts/get":
      return `${textAt(params, "name") ?? ""} ${objectText(at(params, "arguments"))}`.trim();
  }
  const subject = SUBJECT[method];
  const named = subject === undefined ? undefined : textAt(params, subject);
  return named ?? objectText(params);
}

/**
 * Describes a response.
 *
 * @param request Its request.
 * @param response The response.
 * @returns A few words.
 */
export function describeAnswer(request: WireRequest, response: WireResponse): string {
  const { result, error } = response;
  if (error !== undefined) {
    const message = textAt(error, "message");
    return message === undefined ? jsonText(error) : `${message} (${jsonText(at(error, "code"))})`;
  }
  if (result === undefined) return "";
  if (request.method === "tools/call" && at(result, "content") !== undefined) {
    return callResult(response).content;
  }
  if (request.method === "initialize") return describeParty(at(result, "serverInfo"), result);
  for (const [list, name] of LISTS) {
    const items = at(result, list);
    if (Array.isArray(items)) return describeList(list, items.map((item) => textAt(item, name)));
  }
  const said = contentText(result) || contentText(lastOf(at(result, "messages"))) ||
    (textAt(lastOf(at(result, "contents")), "text") ?? "");
  return said || objectText(result);
}

function describeList(list: string, names: readonly (string | undefined)[]): string {
  const noun = list === "resourceTemplates" ? "templates" : list;
  const count = `${names.length} ${names.length === 1 ? noun.slice(0, -1) : noun}`;
  return names.length === 0 ? count : `${count}: ${names.map((name) => name ?? "?").join(", ")}`;
}

function describeParty(party: unknown, hello: JsonObject): string {
  const capabilities = at(hello, "capabilities");
  const words = [
    [textAt(party, "name"), textAt(party, "version")].filter((word) => word !== undefined).join(
      " ",
    ),
    textAt(hello, "protocolVersion"),
    isObject(capabilities) ? Object.keys(capabilities).join(" ") : undefined,
  ];
  return words.filter((word) => word !== undefined && word !== "").join(", ");
}

function describeProgress(params: JsonObject): string {
  const progress = jsonText(at(params, "progress"));
  const total = at(params, "total");
  const message = textAt(params, "message");
  return [total === undefined ? progress : `${progress}/${jsonText(total)}`, message]
    .filter((word) => word !== undefined).join(" ");
}

/** The text of `content`: an item, a list of items, or a string. */
function contentText(holder: unknown): string {
  const content = at(holder, "content");
  const items: unknown[] = Array.isArray(content) ? content : [content];
  return items.flatMap((item) => {
    if (typeof item === "string") return [item];
    const type = textAt(item, "type");
    return textAt(item, "text") ?? (type === undefined ? [] : `[${type}]`);
  }).join(" ");
}

function lastOf(list: unknown): unknown {
  return Array.isArray(list) ? list.at(-1) : undefined;
}

function textOrJson(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}

/** An object as JSON without `_meta`; empty for `{}`. */
function objectText(value: unknown): string {
  if (!isObject(value)) return value === undefined ? "" : jsonText(value);
  const { _meta, ...rest } = value;
  return Object.keys(rest).length === 0 ? "" : jsonText(rest);
}
