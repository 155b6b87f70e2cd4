/**
 * One row of a session's page: a call, another request, something said, or a line that is none.
 *
 * @module
 */

/** Where a message lies in its log. */
export interface MessagePlace {
  /** First byte of its line. */
  readonly at: number;
  /** Length of the line in bytes. */
  readonly length: number;
  /** Its place in a batch; 0 for a line of one message. */
  readonly part: number;
}

/** An answer to a row's request. */
export interface AnswerPlace extends MessagePlace {
  /** `server`, or `proxy` for what the agent got instead or in addition. */
  readonly from: string;
  /** Milliseconds after the session's start. */
  readonly tMs: number;
}

/**
 * How a row ended. `refused`: the proxy answered the agent's call with an error, and the server
 * never saw it. `proxy`: the proxy answered it itself. `said`: nothing was asked.
 */
export type Outcome =
  | "open"
  | "ok"
  | "error"
  | "refused"
  | "proxy"
  | "cancelled"
  | "paused"
  | "said";

/** One row. */
export interface SessionRow {
  /** Index of its first message in the log; the row's name. */
  readonly n: number;
  /** Line of that message in the file. */
  readonly line: number;
  readonly place: MessagePlace;
  /** The answers in order; at most {@linkcode MAX_ANSWERS}. */
  readonly answers: readonly AnswerPlace[];
  readonly tMs: number;
  /** When it was answered or cancelled. */
  readonly endMs: number | undefined;
  readonly kind: "call" | "request" | "notice" | "spoken" | "noise";
  /** `agent`, `flow`, `commit`, `host`, `server`, `proxy`, `user`. */
  readonly by: string;
  /** Tool, method or role. */
  readonly name: string;
  readonly outcome: Outcome;
  /** The start of its arguments or text, not escaped. */
  readonly brief: string;
  /** The start of its answer, not escaped. */
  readonly reply: string;
  /** Characters of the arguments, and of the answer. */
  readonly inChars: number;
  readonly outChars: number;
  /** Notifications of progress. */
  readonly progress: number;
}

/** Answers that a row keeps; later ones are only in the log. */
export const MAX_ANSWERS = 8;

/** The numbers and names of one session in the index. */
export interface SessionEntry {
  /** Name in addresses: the file's name without its ending. */
  readonly key: string;
  readonly path: string;
  /** The session's id; undefined when the first line is unreadable. */
  readonly session: string | undefined;
  readonly startedMs: number;
  readonly command: string;
  readonly host: string;
  readonly server: string;
  readonly protocol: string;
  readonly domain: string;
  readonly model: string;
  readonly hostSession: string;
  readonly turns: number;
  readonly calls: number;
  readonly lookups: number;
  readonly errors: number;
  readonly refused: number;
  readonly durationMs: number;
  readonly lines: number;
  readonly rawLines: number;
  readonly isProbe: boolean;
  /** Bytes of the file. */
  readonly bytes: number;
  /** When the file changed last, milliseconds since 1970. */
  readonly changedMs: number;
  /** The first faults of the file, one a line; empty for none. */
  readonly faults: string;
}
