/**
 * Writes logs into the index: pieces as they are read, and their removal.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { DrawnSession } from "../../savings/compare_arms.ts";
import type { SessionRow } from "../record/session_row.ts";
import {
  type IndexDatabase,
  type IndexedFile,
  type IndexedPiece,
  WORDS_PER_LOG,
} from "./index_database.ts";

const PUT_ROW = `insert into messages values
  (:log, :n, :line, :at, :length, :part, :answers, :t, :end, :kind, :by, :name, :outcome, :brief,
   :reply, :in, :out, :progress)
  on conflict (log, n) do update set answers = :answers, end_ms = :end, outcome = :outcome,
  reply = :reply, out_chars = :out, progress = :progress`;

const PUT_TOOL = `insert into tools values (?, ?, ?)
  on conflict do update set calls = calls + excluded.calls`;

const PUT_FACTS = `update logs set bytes = :bytes, changed_ms = :changedMs, inode = :inode,
  read_to = :readTo, session = :session, started_ms = :startedMs, command = :command, host = :host,
  server = :server, protocol = :protocol, domain = :domain, model = :model,
  host_session = :hostSession, turns = :turns, calls = :calls, lookups = :lookups,
  errors = :errors, refused = :refused, duration_ms = :durationMs, lines = :lines,
  raw_lines = :rawLines, is_probe = :isProbe, faults = :faults where id = :id`;

/** Writes into an index. */
export class IndexWriter {
  readonly #index: IndexDatabase;
  readonly #sql: IndexDatabase["sql"];

  /** Makes the writer of an index. */
  constructor(index: IndexDatabase) {
    this.#index = index;
    this.#sql = (text) => index.sql(text);
  }

  /** The logs of a folder that the index knows, by path. */
  filesOf(dir: string): Map<string, IndexedFile> {
    const rows = this.#index.sql(
      "select id, path, bytes, changed_ms, inode, read_to from logs where dir = ?",
    ).all(dir);
    return new Map(rows.map((row) => [String(row.path), fileOf(row)]));
  }

  /** One log, if the index knows it. */
  file(path: string): IndexedFile | undefined {
    const row = this.#sql(
      "select id, path, bytes, changed_ms, inode, read_to from logs where path = ?",
    ).get(path);
    return row === undefined ? undefined : fileOf(row);
  }

  /** Removes a log. */
  remove(id: number): void {
    this.#index.transaction(() => this.#empty(id));
  }

  /**
   * Begins a log anew, under the address it had.
   *
   * @param dir Its folder.
   * @param path Its file.
   * @returns Its number in the index.
   */
  begin(dir: string, path: string): number {
    return this.#index.transaction(() => {
      const sql = this.#sql;
      const old = sql("select id, key from logs where path = ?").get(path);
      if (old !== undefined) this.#empty(Number(old.id));
      const stem = path.slice(path.lastIndexOf("/") + 1).replace(/\.jsonl$/, "");
      const isTaken = sql("select 1 from logs where key = ?").get(stem) !== undefined;
      const hash = createHash("sha256").update(path).digest("hex").slice(0, 8);
      const key = old?.key ?? (isTaken ? `${stem}~${hash}` : stem);
      const { lastInsertRowid } = sql(
        "insert into logs (key, dir, path, bytes, changed_ms, inode, read_to) values (?, ?, ?, 0, 0, 0, 0)",
      ).run(key, dir, path);
      return Number(lastInsertRowid);
    });
  }

  /**
   * Writes what was read of a log.
   *
   * @param id The log.
   * @param piece What was read.
   */
  put(id: number, { file, facts, faults, rows, tools, turns, words }: IndexedPiece): void {
    this.#index.transaction(() => {
      const sql = this.#sql;
      const { session = null, isProbe, ...rest } = facts;
      sql(PUT_FACTS).run({ id, ...file, ...rest, session, isProbe: isProbe ? 1 : 0, faults });
      for (const row of rows) this.#putRow(id, row);
      for (const [name, calls] of tools) sql(PUT_TOOL).run(name, id, calls);
      for (const n of turns) sql("insert or ignore into turns values (?, ?)").run(id, n);
      if (words !== "") {
        const chunk = Number(sql("select chunks from logs where id = ?").get(id)?.chunks ?? 0);
        sql("insert into words (rowid, text) values (?, ?)").run(id * WORDS_PER_LOG + chunk, words);
        sql("update logs set chunks = chunks + 1 where id = ?").run(id);
      }
    });
  }

  /** Writes what was measured of a session with a flow. */
  putFlow(id: number, session: DrawnSession): void {
    this.#sql("insert or replace into flows values (?, ?)").run(id, JSON.stringify(session));
  }

  #putRow(log: number, row: SessionRow): void {
    const sql = this.#sql;
    const { n, line, place, answers, tMs, endMs, kind, by, name, outcome, brief, reply } = row;
    sql(PUT_ROW).run({
      log,
      n,
      line,
      at: place.at,
      length: place.length,
      part: place.part,
      answers: JSON.stringify(answers),
      t: tMs,
      end: endMs ?? null,
      kind,
      by,
      name,
      outcome,
      brief,
      reply,
      in: row.inChars,
      out: row.outChars,
      progress: row.progress,
    });
  }

  #empty(id: number): void {
    const sql = this.#sql;
    sql("delete from logs where id = ?").run(id);
    sql("delete from messages where log = ?").run(id);
    sql("delete from tools where log = ?").run(id);
    sql("delete from flows where log = ?").run(id);
    sql("delete from turns where log = ?").run(id);
    sql("delete from words where rowid between ? and ?")
      .run(id * WORDS_PER_LOG, (id + 1) * WORDS_PER_LOG - 1);
  }
}

function fileOf(row: Readonly<Record<string, unknown>>): IndexedFile {
  return {
    id: Number(row.id),
    path: String(row.path),
    bytes: Number(row.bytes),
    changedMs: Number(row.changed_ms),
    inode: Number(row.inode),
    readTo: Number(row.read_to),
  };
}
