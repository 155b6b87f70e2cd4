/**
 * The pages of the console, each of what the index and the logs hold now.
 *
 * @module
 */

import { compareSessions, MAX_COMPARED } from "../record/compare_sessions.ts";
import {
  imageOf,
  MAX_SHOWN_LINE,
  type MessageRecord,
  messageRecord,
} from "../record/message_record.ts";
import { PAGE_SESSIONS, RUNNING_MS, sessionQuery } from "../record/session_query.ts";
import type { MessagePlace } from "../record/session_row.ts";
import { chooseSecond, comparePage } from "../view/compare_page.ts";
import type { Html } from "../view/html.ts";
import { rowPage } from "../view/row_page.ts";
import { PAGE_ROWS, sessionPage } from "../view/session_page.ts";
import { sessionsPage } from "../view/sessions_page.ts";
import type { IndexedSession, IndexQueries } from "../index/index_queries.ts";
import { readLineAt } from "../index/log_files.ts";

/** A page's title and content. */
export interface PageText {
  readonly title: string;
  readonly body: Html;
}

/** What the pages are made of. */
export interface PageSources {
  readonly queries: IndexQueries;
  /** Folders that were asked for. */
  readonly dirs: readonly string[];
  nowMs(): number;
}

/** The list of sessions. */
export function sessionsText(
  { queries, dirs, nowMs }: PageSources,
  params: URLSearchParams,
): PageText {
  const query = sessionQuery(params);
  const now = nowMs();
  let found = queries.sessions(query, now);
  const last = Math.max(1, Math.ceil(found.total / PAGE_SESSIONS));
  const page = Math.min(query.page, last);
  if (page !== query.page) found = queries.sessions({ ...query, page }, now);
  return {
    title: "Sessions",
    body: sessionsPage({
      query: { ...query, page },
      ...found,
      hosts: queries.choices("host"),
      servers: queries.choices("server"),
      folders: queries.choices("dir"),
      tools: queries.toolNames(),
      dirs,
      nowMs: now,
      address: (key) => `/s/${encodeURIComponent(key)}`,
      isLive: true,
    }),
  };
}

/** One session; undefined when there is none with this key. */
export function sessionText(
  { queries, nowMs }: PageSources,
  key: string,
  params: URLSearchParams,
): PageText | undefined {
  const session = queries.session(key);
  if (session === undefined) return undefined;
  const { id } = session;
  const from = params.get("from") === "end"
    ? queries.pageBefore(id, Number.MAX_SAFE_INTEGER, PAGE_ROWS) ?? 0
    : wholeNumber(params.get("from"));
  const rows = queries.rows(id, from, PAGE_ROWS + 1);
  const shown = rows.slice(0, PAGE_ROWS);
  return {
    title: session.session ?? key,
    body: sessionPage({
      entry: session,
      rows: shown,
      turns: queries.turns(id, shown[0]?.n ?? 0, shown.at(-1)?.n ?? 0),
      rowCount: queries.rowCount(id),
      previous: queries.pageBefore(id, shown[0]?.n ?? from, PAGE_ROWS),
      next: rows[PAGE_ROWS]?.n,
      isRunning: nowMs() - session.changedMs < RUNNING_MS,
      address: addressesOf(key),
      isLive: true,
    }),
  };
}

/** Two sessions side by side, or the choice of the second; undefined when one is not there. */
export function compareText(
  { queries, nowMs }: PageSources,
  params: URLSearchParams,
): PageText | undefined {
  const a = queries.session(params.get("a") ?? "");
  if (a === undefined) return undefined;
  if (!params.has("b")) {
    const { server, key } = a;
    const { entries } = queries.sessions(
      { ...sessionQuery(new URLSearchParams()), server },
      nowMs(),
    );
    const others = entries.filter((entry) => entry.key !== key);
    return { title: "Compare", body: chooseSecond(a, others) };
  }
  const b = queries.session(params.get("b") ?? "");
  if (b === undefined) return undefined;
  const [first, second] = [a, b].map(({ id }) => queries.calls(id, MAX_COMPARED + 1));
  const [left, right] = [first ?? [], second ?? []].map((rows) => rows.slice(0, MAX_COMPARED));
  return {
    title: "Two sessions",
    body: comparePage({
      a,
      b,
      lines: compareSessions(left ?? [], right ?? []),
      isCut: (first?.length ?? 0) > MAX_COMPARED || (second?.length ?? 0) > MAX_COMPARED,
    }),
  };
}

/** One row of a session; undefined when there is none. */
export function rowText(
  sources: PageSources,
  { key, n }: { readonly key: string; readonly n: number },
  params: URLSearchParams,
): PageText | undefined {
  const found = findRow(sources, key, n);
  if (found === undefined) return undefined;
  const { session, row } = found;
  const address = addressesOf(key);
  return {
    title: row.name,
    body: rowPage({
      row,
      asked: recordAt(session, row.place, row.line),
      answers: row.answers.map((place) => ({ place, record: recordAt(session, place, 2) })),
      isAll: params.get("all") === "1",
      isRaw: params.get("raw") === "1",
      address,
      image: (answer, item) => address(`rows/${n}/answers/${answer}/images/${item}`),
      isLive: true,
    }),
  };
}

/** The bytes of a row's own line, or of an answer's. */
export function lineBytes(
  sources: PageSources,
  { key, n, answer }: { readonly key: string; readonly n: number; readonly answer?: number },
): Uint8Array | undefined {
  const found = findRow(sources, key, n);
  const place = answer === undefined ? found?.row.place : found?.row.answers[answer];
  return found === undefined || place === undefined
    ? undefined
    : readLineAt(found.session.path, place);
}

/** A picture of an answer. */
export function imageBytes(
  sources: PageSources,
  { key, n, answer, item }: {
    readonly key: string;
    readonly n: number;
    readonly answer: number;
    readonly item: number;
  },
): ReturnType<typeof imageOf> {
  const found = findRow(sources, key, n);
  const place = found?.row.answers[answer];
  if (found === undefined || place === undefined) return undefined;
  const message = recordAt(found.session, place, 2)?.message;
  return message === undefined ? undefined : imageOf(message, item);
}

function findRow({ queries }: PageSources, key: string, n: number) {
  const session = queries.session(key);
  const row = session === undefined ? undefined : queries.row(session.id, n);
  return session === undefined || row === undefined ? undefined : { session, row };
}

/** A message of a session, read from its line; undefined when that cannot be shown. */
export function recordAt(
  { path }: IndexedSession,
  place: MessagePlace,
  line: number,
): MessageRecord | undefined {
  if (place.length > MAX_SHOWN_LINE) return undefined;
  try {
    return messageRecord(readLineAt(path, place), line, place.part);
  } catch {
    return undefined; // The log is gone; the index notices soon.
  }
}

/** The addresses of a session's pages. */
export function addressesOf(key: string): (rest: string) => string {
  const own = `/s/${encodeURIComponent(key)}`;
  return (rest) => rest === ".." ? "/" : /^[?#]|^$/.test(rest) ? own + rest : `${own}/${rest}`;
}

function wholeNumber(text: string | null): number {
  const value = Number(text ?? 0);
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
