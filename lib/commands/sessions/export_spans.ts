/**
 * `hoist export --otlp`: sends recorded sessions as spans, once or as they grow.
 *
 * A place file holds how far each log was sent and acknowledged; a later run goes on from there.
 *
 * @module
 */

import { SessionSpans } from "../../export/session_spans.ts";
import type { SessionSpan } from "../../export/spans.ts";
import { plainLogName } from "../../log/log_names.ts";
import type { LogHeader, LogLine } from "../../log/log.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { printable } from "../../text/printable.ts";
import { reasonOf } from "../../text/reason.ts";

/** A log that is read from where it was read last. */
export interface GrowingLog {
  /** Reads at most so many bytes of what is new; whether there was any. */
  read(atMost?: number): boolean;
  /** Whether there is something that was not read. */
  hasMore(): boolean;
  /** Ends the log; throws when a line could not be read. */
  end(): void;
}

/** What the export works with. */
export interface SpanPorts {
  readonly openLog: (
    path: string,
    onLine: (line: LogLine, header: LogHeader) => void,
  ) => GrowingLog;
  /** Sends a batch; gives how many spans were not taken. */
  readonly send: (spans: readonly SessionSpan[]) => Promise<number>;
  /** The logs to send, anew at each round. */
  readonly paths: () => Promise<readonly string[]>;
  /** The place file's text; undefined without one. */
  readonly place: { read(): string | undefined; write(text: string): void } | undefined;
  readonly runtime: Pick<Runtime, "say" | "monotonicMs">;
  /** Settles when the next round is due; false when there is none. */
  readonly nextRound: () => Promise<boolean>;
}

/** Spans in one request. */
const BATCH = 512;
/** Bytes of a log that are read before what came of them is sent. */
const PIECE_BYTES = 4_194_304;
/** A session whose log did not grow for so long counts as over, while logs are followed. */
const IDLE_MS = 600_000;
/** The version of the place file. */
const VERSION = 1;

/** One log under way. */
interface Sending {
  readonly log: GrowingLog;
  spans?: SessionSpans;
  /** Messages whose spans were acknowledged. */
  sent: number;
  grewAtMs: number;
  isOver: boolean;
}

/** Sends spans. */
export class SpanExport {
  /** Spans that were taken, and not. */
  taken = 0;
  refused = 0;
  /** Logs that could not be read whole. */
  faults = 0;
  readonly #ports: SpanPorts;
  readonly #withValues: boolean;
  readonly #isFollowing: boolean;
  readonly #logs = new Map<string, Sending>();
  readonly #places: Map<string, number>;
  #batch: SessionSpan[] = [];

  /** Reads the place file. */
  constructor(ports: SpanPorts, { withValues, isFollowing }: {
    readonly withValues: boolean;
    readonly isFollowing: boolean;
  }) {
    this.#ports = ports;
    this.#withValues = withValues;
    this.#isFollowing = isFollowing;
    this.#places = readPlaces(ports.place?.read());
  }

  /** Sends what is there, and while logs are followed what comes. */
  async run(): Promise<void> {
    do {
      for (const path of await this.#ports.paths()) await this.#advance(path);
    } while (await this.#ports.nextRound());
    for (const [path, sending] of this.#logs) await this.#finish(path, sending);
  }

  /** Sends what is new in one log. */
  async #advance(path: string): Promise<void> {
    let sending = this.#logs.get(path) ?? this.#open(path);
    if (sending.isOver) {
      if (!this.#isFollowing || !sending.log.hasMore()) return;
      sending = this.#open(path); // It is read from its start: spans that were sent are left out.
    }
    const now = this.#ports.runtime.monotonicMs();
    try {
      while (sending.log.read(PIECE_BYTES)) {
        sending.grewAtMs = now;
        await this.#flush(path, sending);
      }
    } catch (error) {
      if (error instanceof Unsent) throw error;
      this.#fault(path, error);
      sending.isOver = true;
      return;
    }
    if (!this.#isFollowing || now - sending.grewAtMs > IDLE_MS) await this.#finish(path, sending);
  }

  #open(path: string): Sending {
    const sending: Sending = {
      log: this.#ports.openLog(path, (line, header) => {
        sending.spans ??= new SessionSpans(header, (span) => {
          if (span.place > sending.sent) this.#batch.push(span);
        }, { withValues: this.#withValues });
        sending.spans.take(line);
      }),
      sent: this.#places.get(plainLogName(path)) ?? 0,
      grewAtMs: this.#ports.runtime.monotonicMs(),
      isOver: false,
    };
    this.#logs.set(path, sending);
    return sending;
  }

  async #finish(path: string, sending: Sending): Promise<void> {
    if (sending.isOver) return;
    sending.isOver = true;
    const { spans } = sending;
    spans?.end();
    await this.#flush(path, sending);
    try {
      sending.log.end();
    } catch (error) {
      this.#fault(path, error);
    }
    delete sending.spans; // Many logs may rest.
  }

  /** Sends what was made, and notes how far that is once it was taken. */
  async #flush(path: string, sending: Sending): Promise<void> {
    const spans = this.#batch;
    this.#batch = [];
    for (let at = 0; at < spans.length; at += BATCH) {
      const part = spans.slice(at, at + BATCH);
      try {
        const refused = await this.#ports.send(part);
        this.refused += refused;
        this.taken += part.length - refused;
      } catch (error) {
        throw new Unsent(reasonOf(error), { cause: error });
      }
      // The spans of one message come together: those before the next part's first are all sent.
      const next = spans[at + BATCH]?.place;
      this.#note(path, sending, next === undefined ? sending.spans?.place ?? 0 : next - 1);
    }
  }

  #note(path: string, sending: Sending, place: number): void {
    sending.sent = Math.max(sending.sent, place);
    this.#places.set(plainLogName(path), sending.sent);
    const logs = Object.fromEntries(this.#places);
    this.#ports.place?.write(JSON.stringify({ hoist_export_place: VERSION, logs }) + "\n");
  }

  #fault(path: string, error: unknown): void {
    this.faults++;
    const why = reasonOf(error);
    this.#ports.runtime.say(why.includes(path) ? why : `Cannot read "${printable(path)}": ${why}`);
  }
}

/** The collector took nothing. */
class Unsent extends Error {}

/**
 * Reads a place file.
 *
 * @throws {Error} When it is another file.
 */
function readPlaces(text: string | undefined): Map<string, number> {
  if (text === undefined) return new Map();
  try {
    const { hoist_export_place, logs } = JSON.parse(text);
    const entries: [string, unknown][] = Object.entries(logs);
    if (hoist_export_place === VERSION && entries.every(([, n]) => Number.isFinite(n))) {
      return new Map(entries as [string, number][]);
    }
  } catch {
    // It says so below.
  }
  throw new Error("it is no place file of hoist export; delete it to send everything again");
}
