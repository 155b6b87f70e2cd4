/**
 * A session whose every text tries to be more than text: markup, scripts, terminal escapes, reversed
 * reading, broken characters, huge lines.
 *
 * @module
 */

import { answer, call, says } from "./script_log.ts";

/** Markup that would set `hacked` on a page that runs it. */
export const MARKUP =
  `"'><img src=x onerror="window.hacked=1"></script></title></textarea><script>window.hacked=2</script><svg onload=window.hacked=3>`;

const BIDI = "abc\u202edcba\u2066\u200b";
const ANSI = "\u001b[31mred\u001b]0;title\u0007";
const NASTY = `${MARKUP}${BIDI}${ANSI}\ud800`;

/** A picture of one point. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * Makes the log.
 *
 * @param hugeChars Characters of its longest text.
 * @returns The file's bytes.
 */
export function hostileLog(hugeChars: number): Uint8Array<ArrayBuffer> {
  const header = {
    hoist_mcp_log: 2,
    session: NASTY,
    started_unix_ms: 1_794_471_303_077,
    server_command: ["server", NASTY],
    domain: NASTY,
    agent_model: NASTY,
    host_session: NASTY,
    server_name: NASTY,
  };
  const content = [
    { type: "text", text: NASTY },
    { type: "text", text: JSON.stringify({ [NASTY]: NASTY, url: "javascript:window.hacked=4" }) },
    { type: "image", mimeType: "image/png", data: PNG },
    { type: "image", mimeType: "image/svg+xml", data: btoa("<svg onload='top.hacked=5'/>") },
    { type: "image", mimeType: "text/html", data: btoa(MARKUP) },
    {
      type: "resource",
      resource: { uri: "data:text/html,x", mimeType: "text/html", text: MARKUP },
    },
    { type: NASTY, [NASTY]: NASTY },
  ];
  const deep = `${"[".repeat(2000)}${"]".repeat(2000)}`;
  const lines: (readonly [string, unknown])[] = [
    ["client", {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { clientInfo: { name: NASTY, version: NASTY }, protocolVersion: NASTY },
    }],
    ["server", { jsonrpc: "2.0", id: 0, result: { serverInfo: { name: NASTY } } }],
    ["context", says("user", NASTY)],
    ["client", call(NASTY, NASTY, { [NASTY]: NASTY, __proto__: { a: 1 } })],
    ["server", { jsonrpc: "2.0", id: NASTY, result: { content, structuredContent: { x: NASTY } } }],
    ["client", call(2, "refuse_me")],
    ["proxy", answer(2, `${NASTY} (policy check ${MARKUP})`, true)],
    ["client", call(3, "huge", { text: "x".repeat(hugeChars) })],
    ["server", answer(3, MARKUP + "y".repeat(hugeChars))],
    ["client", { jsonrpc: "2.0", id: 4, method: NASTY, params: { deep: JSON.parse(deep) } }],
    ["server", { jsonrpc: "2.0", id: 4, error: { code: 1, message: NASTY, data: NASTY } }],
    ["client", { jsonrpc: "2.0", method: NASTY }],
    ["server", { jsonrpc: "2.0", id: "nobody asked", result: { [NASTY]: NASTY } }],
  ];
  const texts = lines.map(([from, message], i) =>
    JSON.stringify({ t_ms: i * 7, from, message }) + "\n"
  );
  const text = [JSON.stringify(header) + "\n", ...texts].join("");
  const broken = new Uint8Array([0xff, 0xfe, 0x3c, 0x62, 0x3e, 0xc3, 10]);
  const raw = JSON.stringify({ t_ms: 900, from: "server", raw: NASTY }) + "\n";
  const parts = [text, raw].map((part) => new TextEncoder().encode(part));
  return concat([...parts, broken, new TextEncoder().encode('{"t_ms":901,"from":"ser')]);
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
