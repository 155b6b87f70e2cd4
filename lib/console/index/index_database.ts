/**
 * The console's index in SQLite: its file, its tables, what is written into it.
 *
 * The index can be made again from the logs at any time. Its file is 0600, as the logs are, because
 * it holds the starts of their texts.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { messageOf } from "../../text/reason.ts";
import type { IndexedFacts } from "../record/session_indexer.ts";
import type { SessionRow } from "../record/session_row.ts";

/** Name of the index in its folder. */
export const INDEX_FILE = ".hoist-console.sqlite";

/** Raised with every change of the tables: an index of another version is made again. */
const VERSION = 1;

/** Search texts of one log have rowids from `id << 20`. */
export const WORDS_PER_LOG = 1_048_576;

const TABLES = `
create table logs (
  id integer primary key, key text not null unique, dir text not null, path text not null unique,
  bytes integer not null, changed_ms integer not null, inode integer not null,
  read_to integer not null, chunks integer not null default 0,
  session text, started_ms integer not null default 0, command text not null default '',
  host text not null default '', server text not null default '',
  protocol text not null default '', domain text not null default '',
  model text not null default '', host_session text not null default '',
  turns integer not null default 0, calls integer not null default 0,
  lookups integer not null default 0, errors integer not null default 0,
  refused integer not null default 0, duration_ms integer not null default 0,
  lines integer not null default 0, raw_lines integer not null default 0,
  is_probe integer not null default 0, faults text not null default ''
) strict;
create index logs_by_start on logs (started_ms desc, key);
create index logs_by_dir on logs (dir);
create table messages (
  log integer not null, n integer not null, line integer not null,
  at integer not null, length integer not null, part integer not null, answers text not null,
  t_ms integer not null, end_ms integer, kind text not null, sender text not null,
  name text not null, outcome text not null, brief text not null, reply text not null,
  in_chars integer not null, out_chars integer not null, progress integer not null,
  primary key (log, n)
) strict, without rowid;
create index calls on messages (name, sender, outcome, log, t_ms, end_ms, out_chars)
  where kind = 'call';
create index refusals on messages (log) where outcome = 'refused';
create table flows (log integer primary key, measured text not null) strict;
create table tools (
  name text not null, log integer not null, calls integer not null, primary key (name, log)
) strict, without rowid;
create table turns (
  log integer not null, n integer not null, primary key (log, n)
) strict, without rowid;
create virtual table words using fts5(
  text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);
pragma user_version = ${VERSION};
`;

/** A log as the index knows it. */
export interface IndexedFile {
  readonly id: number;
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
  readonly inode: number;
  /** Bytes that were read. */
  readonly readTo: number;
}

/** What was read of a log since the last time. */
export interface IndexedPiece {
  readonly file: Omit<IndexedFile, "id" | "path">;
  readonly facts: IndexedFacts;
  readonly faults: string;
  readonly rows: readonly SessionRow[];
  /** Calls of each tool among the rows that are new. */
  readonly tools: ReadonlyMap<string, number>;
  readonly turns: readonly number[];
  readonly words: string;
}

/** The index, open. */
export class IndexDatabase implements Disposable {
  readonly db: DatabaseSync;
  #isGathering = false;
  readonly #prepared = new Map<string, StatementSync>();

  /**
   * Opens the index of a folder; makes it where there is none or one of another version.
   *
   * @param dir The folder; undefined for an index that is in memory alone.
   * @throws {Error} When it cannot be read or written, with what to do.
   */
  constructor(dir: string | undefined) {
    if (dir === undefined) {
      this.db = new DatabaseSync(":memory:");
      this.#makeTables();
      return;
    }
    const path = `${dir}/${INDEX_FILE}`;
    try {
      // SQLite gives its journal the mode of the database, and would make the database itself 0644.
      Deno.openSync(path, { create: true, write: true, mode: 0o600 }).close();
      if (Deno.build.os !== "windows") Deno.chmodSync(path, 0o600);
      this.db = new DatabaseSync(path);
      this.db.exec("pragma busy_timeout = 5000; pragma journal_mode = wal;");
      this.db.exec("pragma synchronous = normal; pragma temp_store = memory;");
      this.#makeTables();
    } catch (error) {
      const hint = error instanceof Deno.errors.PermissionDenied ||
          error instanceof Deno.errors.NotCapable
        ? "--index DIR puts it into another folder"
        : "it can be removed, the console makes it again from the logs";
      throw new Error(`Cannot open the index "${path}": ${messageOf(error)}; ${hint}`);
    }
  }

  /** A statement, prepared once. */
  sql(text: string): StatementSync {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const made = this.db.prepare(text);
    this.#prepared.set(text, made);
    return made;
  }

  /**
   * Whether changes are gathered: a commit for each of 10,000 logs would take most of the time. A
   * log whose changes are only half there when the program ends is read anew.
   */
  get isGathering(): boolean {
    return this.#isGathering;
  }

  /** Starts or ends gathering changes; the end writes them. */
  gather(isGathering: boolean): void {
    if (this.#isGathering === isGathering) return;
    this.db.exec(isGathering ? "begin immediate" : "commit");
    this.#isGathering = isGathering;
  }

  /** Runs several changes as one. */
  transaction<T>(change: () => T): T {
    if (this.#isGathering) return change();
    this.db.exec("begin immediate");
    try {
      const made = change();
      this.db.exec("commit");
      return made;
    } catch (error) {
      this.db.exec("rollback");
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#prepared.clear();
    this.db.close();
  }

  #makeTables(): void {
    const version = this.sql("pragma user_version").get()?.user_version;
    if (version === VERSION) return;
    this.transaction(() => {
      for (const table of ["logs", "messages", "flows", "tools", "turns", "words"]) {
        this.db.exec(`drop table if exists ${table}`);
      }
      this.db.exec(TABLES);
    });
  }
}
