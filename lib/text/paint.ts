/**
 * Terminal colours as a port: callers name the role of each text, a painter chooses
 * the colour.
 *
 * @module
 */

/** The role of a text. */
export type PaintRole =
  | "agent"
  | "error"
  | "faint"
  | "flow"
  | "heading"
  | "host"
  | "proxy"
  | "server"
  | "user";

/** Colours a text; its visible width stays the same. */
export type Paint = (role: PaintRole, text: string) => string;

/** SGR codes from the eight colours that every terminal theme defines. */
const CODES: Readonly<Record<PaintRole, string>> = {
  agent: "36",
  error: "1;31",
  faint: "2",
  flow: "35",
  heading: "1",
  host: "34",
  proxy: "33",
  server: "32",
  user: "1;36",
};

/** Returns the text unchanged. */
export const plainPaint: Paint = (_role, text) => text;

/** Colours text with ANSI codes. */
export const ansiPaint: Paint = (role, text) =>
  text === "" ? "" : `\u001b[${CODES[role]}m${text}\u001b[0m`;
