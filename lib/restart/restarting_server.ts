/**
 * A server that is started again when it ends: one server for
 * the relay over many child processes, as {@linkcode Restart} decides.
 *
 * Lines are cut here, since only a whole line can be held or sent again. A line
 * of which the server has not got a byte counts as not sent.
 *
 * @module
 */

import { LineSplitter } from "../bytes/line_splitter.ts";
import { type ServerProcess, startServer } from "../relay/server_process.ts";
import { Restart } from "../session/restart/restart.ts";
import type { RestartEffect, RestartEvent } from "../session/restart/restart_effects.ts";
import type { Timers } from "../session/timers.ts";
import { messageOf } from "../text/reason.ts";
import { ChildSession } from "./child_session.ts";
import { LineQueue } from "./line_queue.ts";

/** Records the lines of a session that survives its server. */
export interface RestartLog {
  /** A line of one side on its way to the other. */
  crossed(from: "client" | "server", line: Uint8Array): void;
  /** A line for the host that the server did not write. */
  answered(line: Uint8Array): void;
  /** A line that the host does not see: our own, or the server's answer to it. */
  hidden(from: "proxy" | "server", line: Uint8Array): void;
}

/** Options for {@linkcode RestartingServer}. */
export interface RestartingServerOptions {
  /** The server's program and arguments. */
  readonly command: readonly string[];
  /** Whether `saved` will be called. */
  readonly isWatching: boolean;
  /** Records lines. */
  readonly log: RestartLog;
  readonly timers: Timers;
  readonly monotonicMs: () => number;
  /** Prints a line for the user. */
  readonly say: (line: string) => void;
}

/** Bytes that may wait in either direction before the sender has to. */
const ROOM_BYTES = 262_144;

/** Starts a server, and starts it again when it ends. */
export class RestartingServer {
  readonly #options: RestartingServerOptions;
  readonly #machine: Restart;
  readonly #splitter = new LineSplitter();
  readonly #toHost = new LineQueue(ROOM_BYTES);
  readonly #exit = Promise.withResolvers<number>();
  readonly #events: RestartEvent[] = [];
  #isWorking = false;
  #child: ChildSession | undefined;
  #wake: (() => void) | undefined;
  #cancelAlarm: (() => void) | undefined;
  /** The server, as a relay sees it. */
  readonly server: ServerProcess;

  /** Starts the server; throws when that fails. */
  constructor(options: RestartingServerOptions) {
    this.#options = options;
    this.#machine = new Restart({ isWatching: options.isWatching });
    const adopted = this.#start();
    this.server = {
      output: this.#toHost,
      input: { write: (bytes) => this.#write(bytes) },
      exit: this.#exit.promise,
      adopted,
      closeInput: () => this.#closeInput(),
      signal: (signal) => {
        this.#on({ kind: "closing" });
        this.#child?.server.signal(signal);
      },
      release: () => this.#child?.server.release(),
    };
  }

  /** A watched file has changed. */
  saved(): void {
    this.#on({ kind: "saved" });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#splitter.push(bytes, (line) => this.#fromHost(line.slice()));
    while (this.#machine.heldBytes + (this.#child?.waitingBytes ?? 0) > ROOM_BYTES) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  #closeInput(): void {
    const rest = this.#splitter.end();
    if (rest !== undefined) this.#fromHost(rest.slice());
    this.#on({ kind: "closing" });
    this.#child?.closeInput(rest !== undefined);
  }

  #fromHost(line: Uint8Array): void {
    this.#options.log.crossed("client", line);
    this.#on({ kind: "host", line });
  }

  /** Takes events one after another: what an effect causes comes after the other effects. */
  #on(event: RestartEvent): void {
    this.#events.push(event);
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        this.#machine.on(next, this.#options.monotonicMs()).forEach((effect) => this.#act(effect));
      }
    } finally {
      this.#isWorking = false;
    }
    this.#wake?.();
    this.#wake = undefined;
  }

  #act(effect: RestartEffect): void {
    const { log, say, timers } = this.#options;
    switch (effect.kind) {
      case "toServer":
        return this.#child?.send(effect.line);
      case "toHost":
        if (effect.isOwn) log.answered(effect.line);
        else log.crossed("server", effect.line);
        return this.#toHost.put(effect.line);
      case "record":
        return log.hidden(effect.from, effect.line);
      case "start":
        return void this.#startAgain();
      case "stop":
        return this.#child?.stop(effect.isKill);
      case "alarm":
        this.#cancelAlarm?.();
        this.#cancelAlarm = timers.later(effect.ms, () => this.#on({ kind: "alarm" }));
        return;
      case "noAlarm":
        return this.#cancelAlarm?.();
      case "say":
        return say(effect.text);
      case "over":
        this.#toHost.end();
        return this.#exit.resolve(effect.code);
    }
  }

  #startAgain(): void {
    try {
      this.#start();
    } catch (error) {
      this.#on({ kind: "gone", code: 125, unsent: [], why: messageOf(error) });
    }
  }

  #start(): Promise<void> {
    const { command, say, timers } = this.#options;
    const server = startServer(command, say);
    const child = this.#child = new ChildSession(server, {
      timers,
      room: () => this.#toHost.room(),
      onLine: (line) => this.#on({ kind: "server", line }),
      onTaken: () => {
        this.#wake?.();
        this.#wake = undefined;
      },
    });
    child.gone.then(({ code, unsent, rest }) => {
      // The end of a line that the server never finished; with more to come it would spoil a line.
      if (rest !== undefined && this.#machine.phase === "ending") this.#toHost.putBare(rest);
      this.#child = undefined;
      this.#on({ kind: "gone", code, unsent });
    }, (error) => this.#exit.reject(error));
    return server.adopted;
  }
}
