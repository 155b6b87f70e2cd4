/**
 * A session log in memory: its header, its lines, and its unreadable lines.
 *
 * Field names are the file format's own (docs/formats.md). Types only:
 * parse_log.ts reads, recorder.ts writes.
 *
 * @module
 */

/** The first line of a session log. */
export interface LogHeader {
  /** Format version. */
  readonly hoist_mcp_log: 2;
  /** Session id; also the file's name without `.jsonl`. */
  readonly session: string;
  /** Start of the session, milliseconds since 1970 UTC. */
  readonly started_unix_ms: number;
  /** The server's command, credential-looking values redacted; or its URL alone. */
  readonly server_command: readonly string[];
  /** `--domain`, null when not given. */
  readonly domain: string | null;
  /** `--agent-model`, null when not given. */
  readonly agent_model: string | null;
  /** The host session, when known. */
  readonly host_session?: string;
  /** `--server-name`, when given. */
  readonly server_name?: string;
}

/** The source of a line: the host (`client`), the server, the proxy, or the conversation file. */
export type LineSource = "client" | "server" | "proxy" | "context";

/** The fields of every line. */
export interface LineBase {
  /** Line number in the file; the header is line 1. */
  readonly line: number;
  /** Milliseconds from the session's start to the moment the proxy read the line. */
  readonly t_ms: number;
  /** Its source. */
  readonly from: LineSource;
}

/** A wire line that is one JSON value. */
export interface MessageLine extends LineBase {
  /** Discriminates the two kinds of line. */
  readonly kind: "message";
  /** The wire line's text as it was sent: every digit, duplicate key and space. */
  readonly text: string;
  /** The parsed text: an object, or an array for a batch. */
  readonly message: unknown;
}

/** A wire line that is not JSON. */
export interface RawLine extends LineBase {
  /** Discriminates the two kinds of line. */
  readonly kind: "raw";
  /** The wire line's text; invalid UTF-8 is shown as U+FFFD. */
  readonly raw: string;
  /** Length of the wire line in bytes, when it was too long to record whole. */
  readonly line_bytes?: number;
}

/** A line after the header. */
export type LogLine = MessageLine | RawLine;

/** An unreadable line. */
export interface LogProblem {
  /** `cut`: a last line without its newline, left by a crash. `broken`: any other. */
  readonly kind: "cut" | "broken";
  /** Line number in the file. */
  readonly line: number;
  /** The fault, with the first 80 characters of the line. */
  readonly message: string;
}

/** One recorded session. */
export interface SessionLog {
  /** First line of the log. */
  readonly header: LogHeader;
  /** The lines after it, in the order the proxy read them. */
  readonly lines: readonly LogLine[];
  /** The skipped lines: at most one cut last line; anything worse is an error. */
  readonly problems: readonly LogProblem[];
}

/** The readable part of a log with a fault. */
export interface PartialLog {
  /** First line of the log; undefined when it is unreadable. */
  readonly header: LogHeader | undefined;
  /** The readable lines. */
  readonly lines: readonly LogLine[];
  /** The unreadable lines. */
  readonly problems: readonly LogProblem[];
}

/** A log in a folder, known by its header. */
export interface ListedLog {
  /** Its path. */
  readonly path: string;
  /** Its first line; undefined when unreadable. */
  readonly header: LogHeader | undefined;
}
