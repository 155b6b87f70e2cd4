/**
 * The frame of every page: head, navigation, the notice of progress.
 *
 * @module
 */

import { type Html, type HtmlValue, markup } from "./html.ts";

/** The pages of the navigation. */
export type NavPlace = "sessions" | "tools" | "servers" | "flows" | "guards" | "answers" | "";

/** The frame around a page's content. */
export interface Frame {
  readonly title: string;
  readonly place: NavPlace;
  /** Pages that there are, with their addresses. */
  readonly nav: readonly (readonly [NavPlace, name: string, address: string])[];
  /** Where the files of the client layer lie: `/_/`, or `_/` and `../_/` in a copy. */
  readonly assets: string;
  /** Whether the page may ask for news: not in an offline copy. */
  readonly isLive: boolean;
  /** What the index is doing; empty when it is in step. */
  readonly notice: string;
  /** Where the browser goes at once. */
  readonly refresh?: string;
  /** A policy for pages that no server sends. */
  readonly policy?: string;
}

/**
 * Puts a page together.
 *
 * @param frame Its frame.
 * @param body Its content, with one h1.
 * @returns The document.
 */
export function layout(frame: Frame, body: Html): string {
  const { title, place, nav, assets, isLive, notice, policy, refresh } = frame;
  const links = nav.map(([name, text, address]) =>
    markup`<li><a href="${address}" ${
      name === place ? markup`aria-current="page"` : ""
    }>${text}</a></li>`
  );
  return String(markup`<!doctype html>
    <html lang="en">
      <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="same-origin">
    ${
    policy === undefined
      ? ""
      : markup`<meta http-equiv="Content-Security-Policy" content="${policy}">`
  }
    ${refresh === undefined ? "" : markup`<meta http-equiv="refresh" content="0; url=${refresh}">`}
    <title>${title} · Hoist</title>
    <link rel="icon" href="${assets}icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${assets}client.css">
    <script defer src="${assets}client.js"></script>
      </head>
      <body ${isLive ? markup`data-events="/events"` : ""}>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand"
            href="${
    nav[0]?.[2] ??
      "/"
  }"><svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true"><path d="M3 13 10 4l7 9M3 17h14" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>Hoist</a>
          <nav aria-label="Pages">
            <ul>${links}</ul>
          </nav>
        </header>
        <p id="notice" class="notice" role="status" data-live>${notice}</p>
        <main id="main" tabindex="-1">
    ${body}
        </main>
        </body>
        </html>`);
}

/** A moment, for the reader's own zone; without a script it is read in UTC. */
export function moment(unixMs: number): Html {
  if (!(Math.abs(unixMs) < 8.64e15)) return markup`${unixMs} ms after 1970`;
  const iso = new Date(unixMs).toISOString();
  return markup`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
}

/** A number with its noun: `1 call`, `2 calls`, `1,200 calls`. */
export function counted(n: number, noun: string): string {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

/** A size: `840 B`, `12 kB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1000).toFixed(bytes < 1e4 ? 1 : 0)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`;
}

/** What to do where there is nothing to show. */
export function emptyState(title: string, ...lines: readonly HtmlValue[]): Html {
  return markup`<div class="empty"><h2>${title}</h2>${
    lines.map((line) => markup`<p>${line}</p>`)
  }</div>`;
}
