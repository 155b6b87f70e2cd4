/**
 * The files of the client layer, which are part of the program.
 *
 * @module
 */

import chart from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import chartStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import style from "../client/client.css" with { type: "text" };
import script from "../client/client.js" with { type: "text" };
import icon from "../client/icon.svg" with { type: "text" };

/** A file and its type. */
export interface ClientFile {
  readonly type: string;
  readonly text: string;
}

/** The files by name. */
export const CLIENT_FILES: Readonly<Record<string, ClientFile>> = {
  "client.css": { type: "text/css; charset=utf-8", text: `${style}\n${chartStyle}` },
  "client.js": { type: "text/javascript; charset=utf-8", text: script },
  "uplot.js": { type: "text/javascript; charset=utf-8", text: chart },
  "icon.svg": { type: "image/svg+xml", text: icon },
};
