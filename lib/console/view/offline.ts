/**
 * Makes pages of the console stand alone: links between them lead to files, and links that only a
 * server can follow become plain text.
 *
 * It works on markup that our own templates made: their attributes are quoted, and no text holds a
 * quotation mark that is not escaped.
 *
 * @module
 */

/** A policy for files: nothing but what lies beside them. */
export const OFFLINE_POLICY =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file:; " +
  "img-src 'self' file: data:; base-uri 'none'; form-action 'none'";

/** The pages over all sessions and their files. */
export const OFFLINE_FILES: Readonly<Record<string, string>> = {
  "/": "index.html",
  "/tools": "tools.html",
  "/servers": "servers.html",
  "/flows": "flows.html",
  "/guards": "guards.html",
};

/** The name of a session's file, safe on every system. */
export function offlineName(key: string): string {
  return `${encodeURIComponent(key).replaceAll("%", "_").slice(0, 200)}.html`;
}

/**
 * Rewrites the links of a page.
 *
 * @param page The document.
 * @param options Where it lies.
 * @returns The document for a file.
 */
export function offlinePage(
  page: string,
  { isBelow, keys }: {
    /** Whether it lies in the folder of sessions. */
    readonly isBelow: boolean;
    /** Keys of the sessions that have a file. */
    readonly keys: ReadonlySet<string>;
  },
): string {
  const up = isBelow ? "../" : "";
  return page.replaceAll(/ href="(\/[^"]*)"/g, (_, address: string) => {
    const [path = "", fragment] = address.replaceAll("&amp;", "&").split("#");
    const file = OFFLINE_FILES[path];
    if (file !== undefined) return ` href="${up}${file}"`;
    const [, encoded, row] = /^\/s\/([^/?]+)(?:\/rows\/(\d+)|\?from=\d+)?$/.exec(path) ?? [];
    const key = encoded === undefined ? undefined : decodeURIComponent(encoded);
    if (key === undefined || !keys.has(key)) return "";
    const anchor = row === undefined ? fragment : `r${row}`;
    const end = anchor === undefined ? "" : `#${anchor}`;
    return ` href="${isBelow ? "" : "s/"}${offlineName(key)}${end}"`;
  });
}
