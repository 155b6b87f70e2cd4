/**
 * Reads the index for the pages: lists of sessions, one session, its rows.
 *
 * @module
 */

import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import {
  PAGE_SESSIONS,
  RUNNING_MS,
  type SessionQuery,
  wordExpression,
} from "../record/session_query.ts";
import type { AnswerPlace, Outcome, SessionEntry, SessionRow } from "../record/session_row.ts";
import type { IndexDatabase } from "./index_database.ts";

type Row = Record<string, SQLOutputValue>;

/** A page of the list. */
export interface FoundSessions {
  readonly total: number;
  readonly entries: readonly SessionEntry[];
}

/** A session and its number in the index. */
export interface IndexedSession extends SessionEntry {
  readonly id: number;
}

/** Reads an index. */
export class IndexQueries {
  readonly #index: IndexDatabase;
  readonly #folders: () => readonly string[];

  /**
   * Makes the reader of an index.
   *
   * @param index The index.
   * @param folders The folders that are shown; the index may know others.
   */
  constructor(index: IndexDatabase, folders: () => readonly string[]) {
    this.#index = index;
    this.#folders = folders;
  }

  /** Finds sessions, newest first. */
  sessions(query: SessionQuery, nowMs: number, perPage = PAGE_SESSIONS): FoundSessions {
    const { where, values } = this.#where(query, nowMs);
    const count = this.#index.sql(`select count(*) as n from logs where ${where}`).get(...values);
    const rows = this.#index.sql(
      `select * from logs where ${where} order by started_ms desc, key limit ? offset ?`,
    ).all(...values, perPage, (query.page - 1) * perPage);
    return { total: Number(count?.n ?? 0), entries: rows.map(entryOf) };
  }

  /** One session by its key. */
  session(key: string): IndexedSession | undefined {
    const row = this.#index.sql(
      "select * from logs where key = ? and dir in (select value from json_each(?))",
    ).get(key, this.#shown());
    return row === undefined ? undefined : { ...entryOf(row), id: Number(row.id) };
  }

  /** Keys of sessions by their numbers. */
  keysOf(ids: readonly number[]): string[] {
    return this.#index.sql("select key from logs where id in (select value from json_each(?))")
      .all(JSON.stringify(ids)).map((row) => String(row.key));
  }

  /** Rows of a session from one on. */
  rows(id: number, from: number, limit: number): SessionRow[] {
    return this.#index.sql("select * from messages where log = ? and n >= ? order by n limit ?")
      .all(id, from, limit).map(rowOf);
  }

  /** The first calls of a session. */
  calls(id: number, limit: number): SessionRow[] {
    return this.#index.sql(
      "select * from messages where log = ? and kind = 'call' order by n limit ?",
    ).all(id, limit).map(rowOf);
  }

  /** The first row of the page before a row. */
  pageBefore(id: number, from: number, limit: number): number | undefined {
    const row = this.#index.sql(`select min(n) as n from
       (select n from messages where log = ? and n < ? order by n desc limit ?)`).get(
      id,
      from,
      limit,
    );
    return row?.n === null || row === undefined ? undefined : Number(row.n);
  }

  /** The number of rows of a session. */
  rowCount(id: number): number {
    return Number(this.#index.sql("select count(*) as n from messages where log = ?").get(id)?.n);
  }

  /** One row. */
  row(id: number, n: number): SessionRow | undefined {
    const row = this.#index.sql("select * from messages where log = ? and n = ?").get(id, n);
    return row === undefined ? undefined : rowOf(row);
  }

  /** First messages of the turns of a session between two rows, and the number of turns before. */
  turns(
    id: number,
    from: number,
    to: number,
  ): { readonly before: number; readonly starts: number[] } {
    const before = this.#index.sql("select count(*) as n from turns where log = ? and n < ?")
      .get(id, from);
    const starts = this.#index.sql(
      "select n from turns where log = ? and n between ? and ? order by n",
    )
      .all(id, from, to);
    return { before: Number(before?.n ?? 0), starts: starts.map((row) => Number(row.n)) };
  }

  /** Values of a column of the shown sessions, most frequent first. */
  choices(column: "host" | "server" | "dir"): string[] {
    return this.#index.sql(
      `select ${column} as v from logs where dir in (select value from json_each(?)) and ${column} <> ''
       group by v order by count(*) desc, v limit 100`,
    ).all(this.#shown()).map((row) => String(row.v));
  }

  /** Names of called tools, most calls first. */
  toolNames(): string[] {
    return this.#index.sql(`select name from tools where log in
       (select id from logs where dir in (select value from json_each(?)))
       group by name order by sum(calls) desc, name limit 300`).all(this.#shown()).map((row) =>
      String(row.name)
    );
  }

  /** The shown folders, for `json_each`. */
  #shown(): string {
    return JSON.stringify(this.#folders());
  }

  #where(query: SessionQuery, nowMs: number): { where: string; values: SQLInputValue[] } {
    const parts = ["dir in (select value from json_each(?))"];
    const values: SQLInputValue[] = [this.#shown()];
    const add = (part: string, ...more: SQLInputValue[]) => {
      parts.push(part);
      values.push(...more);
    };
    for (const word of query.words) addWord(word, add);
    if (query.host !== "") add("host = ?", query.host);
    if (query.server !== "") add("server = ?", query.server);
    if (query.folder !== "") add("dir = ?", query.folder);
    if (query.tool !== "") add("id in (select log from tools where name = ?)", query.tool);
    if (query.from !== "") add("started_ms >= ?", Date.parse(`${query.from}T00:00:00Z`));
    if (query.to !== "") add("started_ms < ?", Date.parse(`${query.to}T00:00:00Z`) + 86_400_000);
    switch (query.only) {
      case "errors":
      case "refused":
      case "lookups":
        add(`${query.only} > 0`);
        break;
      case "unanswered": {
        const some =
          "select log from messages where kind = 'call' and outcome in ('open', 'cancelled')";
        if (query.tool === "") add(`id in (${some})`);
        else add(`id in (${some} and name = ?)`, query.tool);
        break;
      }
      case "faults":
        add("(faults <> '' or raw_lines > 0)");
        break;
      case "running":
        add("changed_ms > ?", nowMs - RUNNING_MS);
    }
    return { where: parts.join(" and "), values };
  }
}

const NAMES = ["key", "host", "server", "domain", "model", "command", "host_session"] as const;

function addWord(word: string, add: (part: string, ...more: SQLInputValue[]) => void): void {
  const like = `%${word.replaceAll(/[\\%_]/g, (c) => `\\${c}`)}%`;
  const named = NAMES.map((name) => `${name} like ? escape '\\'`).join(" or ");
  const likes = NAMES.map(() => like);
  const expression = wordExpression(word);
  if (expression === undefined) return add(`(${named})`, ...likes);
  add(
    `(${named} or id in (select rowid >> 20 from words where words match ?))`,
    ...likes,
    expression,
  );
}

function entryOf(row: Row): SessionEntry {
  const text = (name: string) => String(row[name] ?? "");
  const number = (name: string) => Number(row[name] ?? 0);
  return {
    key: text("key"),
    path: text("path"),
    session: row.session === null ? undefined : text("session"),
    startedMs: number("started_ms"),
    command: text("command"),
    host: text("host"),
    server: text("server"),
    protocol: text("protocol"),
    domain: text("domain"),
    model: text("model"),
    hostSession: text("host_session"),
    turns: number("turns"),
    calls: number("calls"),
    lookups: number("lookups"),
    errors: number("errors"),
    refused: number("refused"),
    durationMs: number("duration_ms"),
    lines: number("lines"),
    rawLines: number("raw_lines"),
    isProbe: number("is_probe") === 1,
    bytes: number("bytes"),
    changedMs: number("changed_ms"),
    faults: text("faults"),
  };
}

function rowOf(row: Row): SessionRow {
  const answers: AnswerPlace[] = JSON.parse(String(row.answers));
  return {
    n: Number(row.n),
    line: Number(row.line),
    place: { at: Number(row.at), length: Number(row.length), part: Number(row.part) },
    answers,
    tMs: Number(row.t_ms),
    endMs: row.end_ms === null ? undefined : Number(row.end_ms),
    kind: String(row.kind) as SessionRow["kind"],
    by: String(row.sender),
    name: String(row.name),
    outcome: String(row.outcome) as Outcome,
    brief: String(row.brief),
    reply: String(row.reply),
    inChars: Number(row.in_chars),
    outChars: Number(row.out_chars),
    progress: Number(row.progress),
  };
}
