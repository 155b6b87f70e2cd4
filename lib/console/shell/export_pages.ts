/**
 * `--export`: the console's pages as files that need no server, for whoever looks at them later.
 *
 * @module
 */

import { writeFileAtomically } from "../../disk/atomic_write.ts";
import { IndexDatabase } from "../index/index_database.ts";
import { type IndexedSession, IndexQueries } from "../index/index_queries.ts";
import { IndexTotals } from "../index/index_totals.ts";
import { LogScanner, type ScanProgress } from "../index/log_scanner.ts";
import { imageOf } from "../record/message_record.ts";
import { sessionQuery } from "../record/session_query.ts";
import type { SessionRow } from "../record/session_row.ts";
import { type Html, markup } from "../view/html.ts";
import { layout, type NavPlace } from "../view/layout.ts";
import { OFFLINE_FILES, OFFLINE_POLICY, offlineName, offlinePage } from "../view/offline.ts";
import { rowBody } from "../view/row_page.ts";
import { sessionPage } from "../view/session_page.ts";
import { sessionsPage } from "../view/sessions_page.ts";
import { CLIENT_FILES } from "./client_files.ts";
import { addressesOf, type PageText, recordAt } from "./console_pages.ts";
import { NAV } from "./console_server.ts";
import { flowsText, guardsText, serversText, toolsText } from "./totals_pages.ts";

/** Sessions of the list, and rows of a session, that are written. */
const MAX_SESSIONS = 5000;
const MAX_ROWS = 2000;
/** Characters of a picture that a page holds. */
const MAX_IMAGE = 2_000_000;

/** What is written, and where. */
export interface ExportOptions {
  /** Folders of logs. */
  readonly dirs: readonly string[];
  /** Folder to write into. */
  readonly out: string;
  onProgress(progress: ScanProgress): void;
}

/**
 * Writes the pages.
 *
 * @param options What is written, and where.
 * @returns The number of sessions.
 */
export async function exportPages({ dirs, out, onProgress }: ExportOptions): Promise<number> {
  using index = new IndexDatabase(undefined);
  const scanner = new LogScanner(dirs, index, { onProgress });
  await scanner.scan();
  const queries = new IndexQueries(index, () => scanner.folders);
  const totals = new IndexTotals(index, () => scanner.folders);
  const all = queries.sessions(sessionQuery(new URLSearchParams()), Infinity, MAX_SESSIONS);
  const keys = new Set(all.entries.map(({ key }) => key));
  const put = (file: string, place: NavPlace, { title, body }: PageText) => {
    const isBelow = file.startsWith("s/");
    const assets = isBelow ? "../_/" : "_/";
    const frame = { title, place, nav: NAV, assets, isLive: false, policy: OFFLINE_POLICY };
    const page = layout({ ...frame, notice: "" }, body);
    writeFileAtomically(`${out}/${file}`, offlinePage(page, { isBelow, keys }), FILE);
  };
  for (const folder of ["_", "s"]) Deno.mkdirSync(`${out}/${folder}`, { recursive: true });
  for (const [name, { text }] of Object.entries(CLIENT_FILES)) {
    writeFileAtomically(`${out}/_/${name}`, text, FILE);
  }
  put("index.html", "sessions", { title: "Sessions", body: list(all, dirs) });
  put(fileOf("/tools"), "tools", toolsText(totals));
  put(fileOf("/servers"), "servers", serversText(totals));
  put(fileOf("/flows"), "flows", flowsText(totals));
  put(fileOf("/guards"), "guards", guardsText(totals));
  for (const key of keys) {
    const session = queries.session(key);
    if (session === undefined) continue;
    const title = session.session ?? key;
    put(`s/${offlineName(key)}`, "sessions", { title, body: sessionBody(session, queries) });
  }
  return all.entries.length;
}

/** A page that was lost to a power cut is written again: nothing is flushed. */
const FILE = { flushFolder: false } as const;

function fileOf(address: string): string {
  return OFFLINE_FILES[address] ?? "";
}

function list(
  found: ReturnType<IndexQueries["sessions"]>,
  dirs: readonly string[],
): Html {
  return sessionsPage({
    query: sessionQuery(new URLSearchParams()),
    ...found,
    hosts: [],
    servers: [],
    tools: [],
    folders: [],
    dirs,
    nowMs: Infinity,
    address: (key) => `/s/${encodeURIComponent(key)}`,
    isLive: false,
  });
}

function sessionBody(session: IndexedSession, queries: IndexQueries): Html {
  const rows = queries.rows(session.id, 0, MAX_ROWS);
  const count = queries.rowCount(session.id);
  const page = sessionPage({
    entry: session,
    rows,
    turns: queries.turns(session.id, rows[0]?.n ?? 0, rows.at(-1)?.n ?? 0),
    rowCount: count,
    previous: undefined,
    next: undefined,
    isRunning: false,
    address: addressesOf(session.key),
    isLive: false,
    body: (row) => wholeRow(session, row),
  });
  return count <= MAX_ROWS
    ? page
    : markup`${page}<p class="cut">The first ${MAX_ROWS} of ${count} rows; the log has the rest.</p>`;
}

function wholeRow(session: IndexedSession, row: SessionRow): Html {
  const answers = row.answers.map((place) => ({ place, record: recordAt(session, place, 2) }));
  return rowBody({
    row,
    asked: recordAt(session, row.place, row.line),
    answers,
    isAll: false,
    isRaw: false,
    address: addressesOf(session.key),
    image: (answer, item) => {
      const message = answers[answer]?.record?.message;
      const image = message === undefined ? undefined : imageOf(message, item);
      if (image === undefined || image.bytes.length > MAX_IMAGE) return "";
      const text = Array.from(image.bytes, (byte) => String.fromCharCode(byte)).join("");
      return `data:${image.type};base64,${btoa(text)}`;
    },
    isLive: false,
  });
}
