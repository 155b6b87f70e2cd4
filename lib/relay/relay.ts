/**
 * One session between a host on our standard streams and a server that is a
 * child process: two pumps, and the life that {@linkcode step} rules on.
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

/** Sees the session's bytes go by; see {@linkcode Tap}. */
export interface RelayTap {
  /** Bytes from the host. */
  readonly client: Tap;
  /** Bytes from the server. */
  readonly server: Tap;
  /** The sender's stream has ended. */
  end(from: "client" | "server"): void;
}

/** What a session is made of. */
export interface RelayEnds {
  /** The host's messages. */
  readonly input: ByteSource;
  /** The way to the host. */
  readonly output: ByteSink;
  /** The server. */
  readonly server: ServerProcess;
  /** Sees the bytes go by. */
  readonly tap: RelayTap | undefined;
  /** Takes what comes from a side once nobody reads it any more. Default: it goes nowhere. */
  readonly unread?: Readonly<Record<"client" | "server", ByteSink>>;
  /** `--exit-grace` in milliseconds. */
  readonly exitGraceMs: number;
  /** Tells the user. */
  readonly say: (line: string) => void;
}

/** A running session. */
export interface RunningRelay {
  /** The exit status of the whole: the server's own. Rejects when we fail ourselves. */
  readonly done: Promise<number>;
  /** Hands a signal that was sent to us on to the server, and ends the session. */
  signal(signal: StopSignal): void;
}

/**
 * Starts to forward both directions.
 *
 * @param session The two ends, and who looks on.
 * @returns The running session.
 */
export function startRelay(session: RelayEnds): RunningRelay {
  const traffic = { client: { chunks: 0, writing: false }, server: { chunks: 0, writing: false } };
  const { input, output, server, tap, say } = session;
  const { promise: done, resolve, reject } = Promise.withResolvers<number>();
  const timers = new Timers();
  let life: Life = BORN;

  const on = (event: LifeEvent): void => {
    const [next, effects] = step(life, event, session);
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

  // Deno cannot really close our standard streams, so an end whose other side is gone is read on
  // to nowhere: a host that writes is not held up, and its own end is still noticed.
  const forward = async (from: "client" | "server"): Promise<void> => {
    const up = from === "client";
    const source = up ? input : server.output;
    const watch = { tap: up ? tap?.client : tap?.server, traffic: traffic[from] };
    if (await pump(source, up ? server.input : output, watch) === "sinkGone") {
      if (!up) on({ kind: "hostGone" });
      await pump(source, session.unread?.[from] ?? NOWHERE, watch);
    }
    tap?.end(from);
    on({ kind: up ? "hostEof" : "serverEof" });
  };

  forward("client").catch(reject);
  forward("server").catch(reject);
  server.exit.then((code) => on({ kind: "serverExit", code })).catch(reject);
  return { done, signal: (signal) => on({ kind: "signal", signal }) };
}

/** Takes what is sent to an end that reads no more. */
const NOWHERE: ByteSink = { write: () => Promise.resolve() };

/** The two timers a life may ask for. */
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

  /** Rings once when nothing moved or waited for `ms`; looks five times in that time. */
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
