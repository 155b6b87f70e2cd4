/**
 * Reads the index for the pages over all sessions.
 *
 * @module
 */

import type { DrawnSession } from "../../savings/compare_arms.ts";
import type { RefusedCall } from "../record/refusal_report.ts";
import type { Outcome } from "../record/session_row.ts";
import { type ToolLine, ToolTally } from "../record/tool_report.ts";
import type { PartyLine } from "../view/servers_page.ts";
import type { IndexDatabase } from "./index_database.ts";

/** Days of a chart. */
const MAX_DAYS = 120;
/** Refusals that are read. */
const MAX_REFUSALS = 20_000;

/** What happened on one day. */
export interface DayTotals {
  readonly day: string;
  readonly calls: number;
  readonly lookups: number;
  readonly errors: number;
  readonly refused: number;
}

/** A measured session with a flow, and where it belongs. */
export interface MeasuredFlow {
  readonly domain: string;
  readonly server: string;
  readonly session: DrawnSession;
}

const SHOWN = "dir in (select value from json_each(?))";

/** Reads an index. */
export class IndexTotals {
  readonly #index: IndexDatabase;
  readonly #folders: () => readonly string[];

  /**
   * Makes the reader of an index.
   *
   * @param index The index.
   * @param folders The folders that are shown.
   */
  constructor(index: IndexDatabase, folders: () => readonly string[]) {
    this.#index = index;
    this.#folders = folders;
  }

  /** The tools; of lookups alone, or of every call. */
  tools({ onlyLookups = false }: { readonly onlyLookups?: boolean } = {}): ToolLine[] {
    const tally = new ToolTally();
    const calls = this.#index.sql(
      `select server, name, sender, outcome, t_ms, end_ms, out_chars
       from messages indexed by calls join logs on logs.id = log
       where messages.kind = 'call' and ${SHOWN}${onlyLookups ? " and sender = 'flow'" : ""}`,
    ).iterate(this.#shown());
    for (const row of calls) {
      tally.add({
        server: String(row.server),
        tool: String(row.name),
        by: String(row.sender),
        outcome: String(row.outcome) as Outcome,
        ms: row.end_ms === null ? undefined : Number(row.end_ms) - Number(row.t_ms),
        chars: Number(row.out_chars),
      });
    }
    return tally.lines();
  }

  /** The last days with sessions, oldest first. */
  days(): DayTotals[] {
    return this.#index.sql(
      `select date(started_ms / 1000, 'unixepoch') as day, sum(calls) as calls,
       sum(lookups) as lookups, sum(errors) as errors, sum(refused) as refused
       from logs where ${SHOWN} and session is not null and started_ms > 0
       group by day order by day desc limit ${MAX_DAYS}`,
    ).all(this.#shown()).map((row) => ({
      day: String(row.day),
      calls: Number(row.calls),
      lookups: Number(row.lookups),
      errors: Number(row.errors),
      refused: Number(row.refused),
    })).filter(({ day }) => /^\d{4}-/.test(day)).reverse();
  }

  /** The sessions by server or by host, most first. */
  parties(column: "server" | "host"): PartyLine[] {
    return this.#index.sql(
      `select ${column} as name, count(*) as sessions, sum(calls) as calls, sum(errors) as errors,
       sum(refused) as refused, sum(lookups) as lookups, max(started_ms) as latest,
       group_concat(distinct protocol) as protocols
       from logs where ${SHOWN} and ${column} <> '' group by name order by sessions desc, name
       limit 500`,
    ).all(this.#shown()).map((row) => ({
      name: String(row.name),
      sessions: Number(row.sessions),
      calls: Number(row.calls),
      errors: Number(row.errors),
      refused: Number(row.refused),
      lookups: Number(row.lookups),
      protocols: String(row.protocols ?? "").split(",").filter((text) => text !== "").join(", "),
      latestMs: Number(row.latest),
    }));
  }

  /** The refused calls, newest first. */
  refusals(): RefusedCall[] {
    return this.#index.sql(
      `select key, n, name, server, started_ms + t_ms as at, reply
       from messages indexed by refusals join logs on logs.id = log
       where outcome = 'refused' and ${SHOWN} order by at desc limit ${MAX_REFUSALS}`,
    ).all(this.#shown()).map((row) => ({
      key: String(row.key),
      n: Number(row.n),
      tool: String(row.name),
      server: String(row.server),
      unixMs: Number(row.at),
      reply: String(row.reply),
    }));
  }

  /** The sessions that ran with a flow. */
  flows(): MeasuredFlow[] {
    return this.#index.sql(
      `select domain, server, measured from flows join logs on logs.id = log where ${SHOWN}`,
    ).all(this.#shown()).map((row) => ({
      domain: String(row.domain),
      server: String(row.server),
      session: JSON.parse(String(row.measured)),
    }));
  }

  /** The shown folders, for `json_each`. */
  #shown(): string {
    return JSON.stringify(this.#folders());
  }
}
