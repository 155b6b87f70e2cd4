/**
 * What the set-up of an interceptor asks of the program around it.
 *
 * @module
 */

import type { KnownAnswers, Oracle } from "../../oracle/oracle.ts";
import type { ApprovalStore } from "../../ports/approvals.ts";
import type { GateJob, ToolGate } from "../../ports/tool_gate.ts";
import type { Later, Said } from "../chain/interceptor.ts";

/** A file of lines that grows beside a session. */
export interface GrowingFile {
  /** Appends a line, without its newline. */
  line(text: string): void;
  close(): Promise<void>;
}

/** The conversation so far. */
export interface ContextFeed {
  /** What was said since the last look. Never throws. */
  poll(): readonly Said[];
}

/** Who answers questions, now or when asked. */
export interface OracleAnswers {
  /** The cache alone, or a mock. */
  readonly known: KnownAnswers & Oracle;
  /** Who is asked what is not known; absent where nobody is. */
  readonly live?: Oracle;
  /** Why nobody is asked. */
  readonly nobody?: string;
}

/** An oracle that is opened when it is needed. */
export interface OracleSetUp {
  readonly kind: "jev" | "replay" | "mock";
  /** The model's name in questions. */
  readonly model: string;
  /** Opens it; one request may take `totalMs` with its retries. */
  open(totalMs: number): Promise<OracleAnswers>;
}

/** What reading an interceptor's files asks. */
export interface ReadPorts {
  /** The text of a file. Throws when it cannot be read. */
  readonly readText: (path: string) => string;
  /** The text of a file that only this user can read, which is removed. Throws when it cannot be had. */
  readonly take: (path: string) => string;
  /** Why a conversation cannot be read from a path; undefined when it can. */
  readonly contextFault: (path: string) => string | undefined;
  /** The names of all interceptors of the proxy. */
  readonly names: ReadonlySet<string>;
}

/** What setting an interceptor up asks. */
export interface SetUpPorts {
  /** Tells the user. */
  readonly say: (line: string) => void;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonicMs: () => number;
  /** Milliseconds since 1970. */
  readonly unixMs: () => number;
  /** So many bytes of chance, in hex. */
  readonly randomHex: (bytes: number) => string;
  readonly later: Later;
  /** Opens a file for one session; a fault costs the file, never the session. */
  readonly appendTo: (path: string, what: string) => GrowingFile;
  /** The conversation in a file, which may come later. */
  readonly conversation: (path: string, say: (line: string) => void) => ContextFeed;
  /** Who answers; undefined where nobody is asked. */
  readonly oracle: OracleSetUp | undefined;
  /** Opens a folder of held calls. Throws when others could write there. */
  readonly approvals: (dir: string) => Promise<ApprovalStore>;
  /** Opens the gate of a contract. */
  readonly toolGate: (job: GateJob) => Promise<ToolGate>;
  /** What a person knows the server by: its name, else its command or URL without credentials. */
  readonly server: string;
  /** The name the server is known by; undefined when only the server can say it. */
  readonly serverName: string | undefined;
}
