/**
 * Relays one session between a host and a server process: two pumps, and the life
 * cycle that {@linkcode step} decides.
 *
 * @module
 */

import {
  BORN,
  type Effect,
  type Life,
  type LifeEvent,
  step,
  type StopSignal,
} from "../session/life.ts";
import { type ByteSink, type ByteSource, pump, type Tap, type Traffic } from "./pump.ts";
import type { ServerProcess } from "./server_process.ts";

/** Observes the session's bytes; see {@linkcode Tap}. */
export interface RelayTap {
  /** Bytes from the host. */
  readonly client: Tap;
  /** Bytes from the server. */
  readonly server: Tap;
  /** Called when the sender's stream has ended. */
  end(from: "client" | "server"): void;
}

/** The two ends of a relay, and its observers. */
export interface RelayEnds {
  /** The host's messages. */
  readonly input: ByteSource;
  /** The messages to the host. */
  readonly output: ByteSink;
  /** The server. */
  readonly server: ServerProcess;
  /** Observes the bytes. */
  readonly tap: RelayTap | undefined;
  /** Receives the bytes of a side whose peer is gone; by default they are dropped. */
  readonly unread?: Readonly<Record<"client" | "server", ByteSink>>;
  /** `--exit-grace` in milliseconds. */
  readonly exitGraceMs: number;
  /** Prints a line for the user. */
  readonly say: (line: string) => void;
}

/** A running relay. */
export interface RunningRelay {
  /** The exit status: the server's. Rejects on a fault of the relay. */
  readonly done: Promise<number>;
  /** Passes a signal to the server, and ends the session. */
  signal(signal: StopSignal): void;
}

/**
 * Starts forwarding in both directions.
 *
 * @param ends The two ends, and the observers.
 * @returns The running relay.
 */
export function startRelay(ends: RelayEnds): RunningRelay {
  const traffic = { client: { chunks: 0, writing: false }, server: { chunks: 0, writing: false } };
  const { input, output, server, tap, say } = ends;
  const { promise: done, resolve, reject } = Promise.withResolvers<number>();
  const timers = new Timers();
  let life: Life = BORN;

  const on = (event: LifeEvent): void => {
    const [next, effects] = step(life, event, ends);
    life = next;
    effects.forEach(act);
    if (life.phase !== "closed") return;
    timers.clear();
    resolve(life.code ?? 1);
  };

  const act = (effect: Effect): void => {
    switch (effect.kind) {
      case "closeInput":
        return server.closeInput();
      case "signal":
        return server.signal(effect.signal);
      case "say":
        return say(effect.text);
      case "deadline":
        return timers.deadline(effect.ms, () => on({ kind: "deadline" }));
      case "clearDeadline":
        return timers.clearDeadline();
      case "watchQuiet":
        return timers.watchQuiet(effect.ms, Object.values(traffic), () => on({ kind: "quiet" }));
    }
  };

  // Deno cannot close our standard streams. When one side is gone, the other is read on and
  // dropped: a host that writes is not blocked, and its own end is still noticed.
  const forward = async (from: "client" | "server"): Promise<void> => {
    const up = from === "client";
    const source = up ? input : server.output;
    const watch = { tap: up ? tap?.client : tap?.server, traffic: traffic[from] };
    if (await pump(source, up ? server.input : output, watch) === "sinkGone") {
      if (!up) on({ kind: "hostGone" });
      await pump(source, ends.unread?.[from] ?? NOWHERE, watch);
    }
    tap?.end(from);
    on({ kind: up ? "hostEof" : "serverEof" });
  };

  forward("client").catch(reject);
  forward("server").catch(reject);
  server.exit.then((code) => on({ kind: "serverExit", code })).catch(reject);
  return { done, signal: (signal) => on({ kind: "signal", signal }) };
}

/** Drops bytes. */
const NOWHERE: ByteSink = { write: () => Promise.resolve() };

/** The two timers of a life cycle. */
class Timers {
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #quiet: ReturnType<typeof setInterval> | undefined;

  deadline(ms: number, ring: () => void): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(ring, ms);
  }

  clearDeadline(): void {
    clearTimeout(this.#deadline);
  }

  /** Rings once after `ms` without traffic; checks five times in that period. */
  watchQuiet(ms: number, traffic: readonly Traffic[], ring: () => void): void {
    clearInterval(this.#quiet);
    const moved = () => traffic.reduce((sum, t) => sum + t.chunks, 0);
    let seen = moved();
    let quiet = 0;
    this.#quiet = setInterval(() => {
      const now = moved();
      quiet = now === seen && !traffic.some((t) => t.writing) ? quiet + 1 : 0;
      seen = now;
      if (quiet < 5) return;
      clearInterval(this.#quiet);
      ring();
    }, ms / 5);
  }

  clear(): void {
    clearTimeout(this.#deadline);
    clearInterval(this.#quiet);
  }
}
