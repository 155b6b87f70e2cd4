/**
 * The two ends of a session that is acted on, as a session on pipes sees them:
 * chunks come in and are cut into lines, lines go out as the session hands them
 * over, from whichever side and whenever that is.
 *
 * @module
 */

import type { ActiveSession } from "../intercept/active_session.ts";
import { LineSplitter } from "../bytes/line_splitter.ts";
import { concat } from "../bytes/concat.ts";
import type { ByteSink, ByteSource } from "../relay/pump.ts";

const NEWLINE = new Uint8Array([10]);

/** Sends lines to a sink, in the order they were handed over. */
export class LineSink {
  readonly #sink: ByteSink;
  #waiting: Uint8Array[] = [];
  #writing: Promise<void> | undefined;
  #fault: { readonly error: unknown } | undefined;

  /** Sends to `sink`. */
  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /**
   * Hands over one line, without its newline. Its bytes must stay as they are until
   * {@linkcode drained} settles.
   */
  readonly put = (line: Uint8Array): void => {
    this.#add(withNewline(line));
  };

  /** Hands over bytes that end without a newline. */
  putRest(rest: Uint8Array): void {
    this.#add(rest);
  }

  /** Settles when all that was handed over is taken; rejects when nobody is left. */
  async drained(): Promise<void> {
    await this.#writing;
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  #add(bytes: Uint8Array): void {
    if (this.#fault !== undefined) return;
    this.#waiting.push(bytes);
    this.#writing ??= this.#flush();
  }

  async #flush(): Promise<void> {
    // The lines of one chunk leave in one write: they are handed over in one turn.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        const [first] = batch;
        await this.#sink.write(batch.length === 1 && first ? first : concat(batch));
      }
    } catch (error) {
      this.#fault = { error };
      this.#waiting = [];
    }
    this.#writing = undefined;
  }
}

/** A line with its newline: the one that follows it in its chunk, where it was cut out of one. */
function withNewline(line: Uint8Array): Uint8Array {
  const { buffer, byteOffset, byteLength } = line;
  const isCut = byteOffset + byteLength < buffer.byteLength;
  if (!isCut) return concat([line, NEWLINE]);
  const whole = new Uint8Array(buffer, byteOffset, byteLength + 1);
  return whole[byteLength] === 10 ? whole : concat([line, NEWLINE]);
}

/** The ends of a session that pumps move bytes between. */
export interface ActiveEnds {
  /** Where the host's bytes come from. */
  readonly input: ByteSource;
  /** Where the server's bytes come from. */
  readonly output: ByteSource;
  /** Where the host's bytes go: into the session. */
  readonly fromHost: ByteSink;
  /** Where the server's bytes go: into the session. */
  readonly fromServer: ByteSink;
  /** Where they go once nobody reads what comes out: into the session, which records on. */
  readonly unread: Readonly<Record<"client" | "server", ByteSink>>;
}

/**
 * Puts a session between two sources and two sinks.
 *
 * @param active The session.
 * @param ends Its sources, and the sinks its ports put lines into.
 * @returns Sources and sinks for the pumps: a source ends when all that came of it is taken.
 */
export function activeEnds(
  active: ActiveSession,
  ends: {
    readonly input: ByteSource;
    readonly output: ByteSource;
    readonly toHost: LineSink;
    readonly toServer: LineSink;
  },
): ActiveEnds {
  const { toHost, toServer } = ends;
  const hostLines = new LineSplitter();
  const serverLines = new LineSplitter();
  const ended = async (from: "client" | "server"): Promise<null> => {
    const [lines, sink] = from === "client" ? [hostLines, toServer] : [serverLines, toHost];
    const rest = lines.end();
    if (rest !== undefined) {
      active.rest(from, rest);
      sink.putRest(rest);
    }
    // Nobody answers any more, or nobody waits: what is held goes out.
    await active.close();
    await Promise.allSettled([toHost.drained(), sink.drained()]);
    return null;
  };
  const fromHost = (chunk: Uint8Array) => hostLines.push(chunk, (line) => active.fromHost(line));
  const fromServer = (chunk: Uint8Array) =>
    serverLines.push(chunk, (line) => active.fromServer(line));
  return {
    input: {
      read: async () => await ends.input.read() ?? await ended("client"),
    },
    output: {
      read: async () => await ends.output.read() ?? await ended("server"),
    },
    fromHost: {
      async write(chunk) {
        fromHost(chunk);
        await toServer.drained();
      },
    },
    fromServer: {
      async write(chunk) {
        fromServer(chunk);
        await toHost.drained();
      },
    },
    unread: {
      client: { write: (chunk) => Promise.resolve(fromHost(chunk)) },
      server: { write: (chunk) => Promise.resolve(fromServer(chunk)) },
    },
  };
}
