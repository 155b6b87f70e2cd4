/**
 * Colours for a terminal, as a port: what is printed says what each part is, and
 * a painter decides how that looks.
 *
 * @module
 */

/** What a piece of text is. */
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

/** Dresses a piece of text; its visible width must not change. */
export type Paint = (role: PaintRole, text: string) => string;

/** Select Graphic Rendition codes, from the eight colours every terminal theme sets. */
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

/** Leaves text as it is. */
export const plainPaint: Paint = (_role, text) => text;

/** Colours text with ANSI codes. */
export const ansiPaint: Paint = (role, text) =>
  text === "" ? "" : `\u001b[${CODES[role]}m${text}\u001b[0m`;
