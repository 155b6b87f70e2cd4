/**
 * A server behind `--listen`, and the interceptors in front of it, as the core
 * asks for them.
 *
 * @module
 */

import type { Message } from "../../wire/message.ts";
import type { LineLog } from "../line_log.ts";

/** A server that closed its output has this long to exit, so that hosts learn its status. */
export const EXIT_MS = 100;

/** A running server. */
export interface ServerLink {
  /** Settles with the server's status, once it and its output have ended. */
  readonly done: Promise<number>;
  /** Bytes that the server has not read yet. */
  readonly waitingBytes: number;
  /** Sends a line. */
  send(line: Uint8Array): void;
  /** Closes the server's input. */
  close(): void;
  /** Ends the server: the proxy was asked to end. */
  terminate(): void;
}

/** The bytes of a session, for its log. */
export interface ByteLog {
  /** Records a chunk of the host. */
  client(chunk: Uint8Array): void;
  /** Records a chunk of the server. */
  server(chunk: Uint8Array): void;
  /** Records that one side has ended. */
  end(from: "client" | "server"): void;
}

/** A session's log: lines, chunks and its end. */
export interface ClosableLog extends LineLog, ByteLog {
  /** Closes the log. */
  close(): Promise<void>;
}

/** What a server's session does with its bytes. */
export interface ServerHooks {
  /** Records the bytes; undefined when lines are recorded one by one. */
  readonly tap: ByteLog | undefined;
  /** Called once when the server has closed its output: it can answer no more. */
  readonly onEnd: () => void;
  /** Takes each line of the server, valid until it returns. */
  readonly onLine: (line: Uint8Array) => void;
  /** Settles when the hosts have read enough; undefined when they have. */
  readonly room: () => Promise<void> | undefined;
}

/** Starts a server. Throws when it cannot be started. */
export type StartServer = (hooks: ServerHooks) => ServerLink;

/** Where a chain of interceptors sends lines. */
export interface ChainEnds {
  /** Sends a line to the server. */
  readonly toServer: (line: Uint8Array) => void;
  /** Sends a line to the host. */
  readonly toHost: (line: Uint8Array) => void;
  /** Sends a notification of the proxy's own to the host. */
  readonly toHostNote: (line: Uint8Array) => void;
}

/** The interceptors of one session. */
export interface LineChain {
  /** Takes a line of the host. */
  fromHost(line: Uint8Array): void;
  /** Takes a line of the server. */
  fromServer(line: Uint8Array): void;
  /** Releases held lines. */
  close(): Promise<void>;
  /** Ends the chain after the last line. */
  end(): Promise<void>;
}

/** The interceptors of a server with many hosts: one chain for each conversation. */
export interface ServerChains {
  /** Takes a request that goes to the server under `id`. */
  take(conversation: string | undefined, id: string, line: Uint8Array): void;
  /** Takes a response; whether a chain had asked for it or holds it. */
  answer(message: Message, line: Uint8Array): boolean;
  /** Forgets a request that its host gave up. */
  drop(id: string): void;
  /** Notes that the server's tools have changed. */
  toolsChanged(): void;
  /** Releases held lines, and ends all chains. */
  close(): Promise<void>;
}
