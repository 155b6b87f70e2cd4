/**
 * Values of `Mcp-*` headers: text that a header field can carry as it is, else
 * base64 of its UTF-8 between `=?base64?` and `?=`.
 *
 * @module
 */

const PREFIX = "=?base64?";
const SUFFIX = "?=";

/**
 * Writes a value.
 *
 * @param text The value.
 * @returns What the header carries.
 */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) || text === "";
  if (isPlain && !(text.startsWith(PREFIX) && text.endsWith(SUFFIX))) return text;
  const bytes = new TextEncoder().encode(text);
  return PREFIX + btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join("")) + SUFFIX;
}

/**
 * Reads a value.
 *
 * @param header What the header carries.
 * @returns The value; undefined when it claims to be base64 and is none.
 */
export function decodeHeaderValue(header: string): string | undefined {
  const trimmed = header.replace(/^[ \t]+|[ \t]+$/g, "");
  if (!trimmed.startsWith(PREFIX) || !trimmed.endsWith(SUFFIX)) return trimmed;
  const base64 = trimmed.slice(PREFIX.length, -SUFFIX.length);
  if (!/^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/.test(base64) || base64.includes("_")) {
    return undefined;
  }
  try {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
