/**
 * What the list of sessions is asked: words, filters, a page; from an address and back.
 *
 * @module
 */

/** A question to the list of sessions. */
export interface SessionQuery {
  /** Words that all occur in the session. */
  readonly words: readonly string[];
  readonly host: string;
  readonly server: string;
  readonly tool: string;
  readonly folder: string;
  /** Only sessions with these. */
  readonly only: Only;
  /** First day and last day, `2026-11-12`, UTC. */
  readonly from: string;
  readonly to: string;
  /** From 1. */
  readonly page: number;
}

/** What a session must have to be listed. */
export type Only = "" | "errors" | "refused" | "unanswered" | "lookups" | "faults" | "running";

/** The choices of {@linkcode Only} with their names. */
export const ONLY: readonly (readonly [Only, string])[] = [
  ["", "all sessions"],
  ["errors", "with errors"],
  ["refused", "with refusals"],
  ["unanswered", "with calls without an answer"],
  ["lookups", "with a flow's lookups"],
  ["faults", "with unreadable lines"],
  ["running", "changed in the last minutes"],
];

/** Sessions on one page of the list. */
export const PAGE_SESSIONS = 50;

/** A session counts as running for this long after its log grew. */
export const RUNNING_MS = 120_000;

const MAX_WORDS = 12;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads the question of an address.
 *
 * @param params Its parameters; what is not understood is left out.
 * @returns The question.
 */
export function sessionQuery(params: URLSearchParams): SessionQuery {
  const text = (name: string) => (params.get(name) ?? "").slice(0, 500);
  const day = (name: string) => DAY.test(text(name)) ? text(name) : "";
  const page = Number(params.get("page") ?? "1");
  return {
    words: text("q").split(/\s+/).filter((word) => word !== "").slice(0, MAX_WORDS),
    host: text("host"),
    server: text("server"),
    tool: text("tool"),
    folder: text("folder"),
    only: ONLY.find(([only]) => only === text("only"))?.[0] ?? "",
    from: day("from"),
    to: day("to"),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/**
 * Prints a question as an address.
 *
 * @param query The question; what is left out asks for everything.
 * @returns The path with its parameters.
 */
export function sessionsAddress(query: Partial<SessionQuery>): string {
  const params = new URLSearchParams();
  const { words = [], page = 1, ...rest } = query;
  if (words.length > 0) params.set("q", words.join(" "));
  for (const [name, value] of Object.entries(rest)) if (value !== "") params.set(name, value);
  if (page > 1) params.set("page", String(page));
  const text = params.toString();
  return text === "" ? "/" : `/?${text}`;
}

/** Whether a question asks for less than everything. */
export function isFiltered(query: SessionQuery): boolean {
  return sessionsAddress({ ...query, page: 1 }) !== "/";
}

/**
 * A word as the full-text index takes it: the start of a word, whatever its characters.
 *
 * @param word The word.
 * @returns The expression; undefined when the word has no letter or digit.
 */
export function wordExpression(word: string): string | undefined {
  return /[\p{L}\p{N}]/u.test(word) ? `"${word.replaceAll('"', '""')}"*` : undefined;
}
