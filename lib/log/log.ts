/**
 * A session log in memory: its header, its lines, and what could not be read.
 *
 * Field names are the file's own (docs/formats.md), so that a header or line
 * can be held against the file it came from. Types only: reading is in
 * parse_log.ts, writing is the recorder's.
 *
 * @module
 */

/** First line of a session log. */
export interface LogHeader {
  /** Format version. */
  readonly hoist_mcp_log: 2;
  /** Session id, also the stem of the file's name. */
  readonly session: string;
  /** Start of the session, milliseconds since 1970, UTC. */
  readonly started_unix_ms: number;
  /** The server's command, credential-looking values redacted; or its URL alone. */
  readonly server_command: readonly string[];
  /** `--domain`, null when not given. */
  readonly domain: string | null;
  /** `--agent-model`, null when not given. */
  readonly agent_model: string | null;
  /** The host session the proxy ran in, when known. */
  readonly host_session?: string;
  /** `--server-name`, when given. */
  readonly server_name?: string;
}

/** Who a line came from: the host, the server, the proxy itself, the conversation file. */
export type LineSource = "client" | "server" | "proxy" | "context";

/** What every line of a log has. */
export interface LineBase {
  /** Line number in the file; the header is line 1. */
  readonly line: number;
  /** Milliseconds between the session's start and the moment the proxy read the line. */
  readonly t_ms: number;
  /** Who sent it. */
  readonly from: LineSource;
}

/** A line of the wire that is one JSON value. */
export interface MessageLine extends LineBase {
  /** Tells the two sorts of line apart. */
  readonly kind: "message";
  /** The wire line's text as it was sent, every digit, duplicate key and space of it. */
  readonly text: string;
  /** The value of the text: an object, or an array for a batch. */
  readonly message: unknown;
}

/** A line of the wire that is not JSON. */
export interface RawLine extends LineBase {
  /** Tells the two sorts of line apart. */
  readonly kind: "raw";
  /** The wire line's text, U+FFFD in place of bytes that are not UTF-8. */
  readonly raw: string;
  /** Length of the wire line in bytes, where it was too long to record whole. */
  readonly line_bytes?: number;
}

/** Any line of a log after the header. */
export type LogLine = MessageLine | RawLine;

/** A line that could not be read. */
export interface LogProblem {
  /** `cut`: a last line without its end, as a crash leaves it. `broken`: any other. */
  readonly kind: "cut" | "broken";
  /** Line number in the file. */
  readonly line: number;
  /** What is wrong, with the first 80 characters of the line. */
  readonly message: string;
}

/** One recorded session. */
export interface SessionLog {
  /** First line of the log. */
  readonly header: LogHeader;
  /** The lines after it, in the order the proxy read them. */
  readonly lines: readonly LogLine[];
  /** What was left out: at most a cut last line, since anything worse is an error. */
  readonly problems: readonly LogProblem[];
}

/** What could be read of a log with a fault in it. */
export interface PartialLog {
  /** First line of the log; undefined when it is the fault. */
  readonly header: LogHeader | undefined;
  /** The lines that could be read. */
  readonly lines: readonly LogLine[];
  /** Every line that could not. */
  readonly problems: readonly LogProblem[];
}

/** A log in a folder, by its header alone. */
export interface ListedLog {
  /** Where it is. */
  readonly path: string;
  /** Its first line; undefined when that cannot be read. */
  readonly header: LogHeader | undefined;
}
