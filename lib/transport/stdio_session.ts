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
} from "../relay/life.ts";
import { type ByteSink, pump, type Tap, type Traffic } from "./pump.ts";
import type { ServerProcess } from "./server_process.ts";
import type { HostInput, HostOutput } from "./stdio.ts";

/** Sees the session's bytes go by; see {@linkcode Tap}. */
export interface SessionTap {
  /** Bytes from the host. */
  readonly client: Tap;
  /** Bytes from the server. */
  readonly server: Tap;
  /** The sender's stream has ended. */
  end(from: "client" | "server"): void;
}

/** What a session is made of. */
export interface StdioSession {
  /** The host's messages. */
  readonly input: HostInput;
  /** The way to the host. */
  readonly output: HostOutput;
  /** The server. */
  readonly server: ServerProcess;
  /** Sees the bytes go by. */
  readonly tap: SessionTap | undefined;
  /** `--exit-grace` in milliseconds. */
  readonly exitGraceMs: number;
  /** Tells the user. */
  readonly say: (line: string) => void;
}

/** A running session. */
export interface RunningSession {
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
export function startSession(session: StdioSession): RunningSession {
  const up: Traffic = { chunks: 0, writing: false };
  const down: Traffic = { chunks: 0, writing: false };
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
      case "closeOutput":
        return output.close();
      case "signal":
        return server.signal(effect.signal);
      case "say":
        return say(effect.text);
      case "deadline":
        return timers.deadline(effect.ms, () => on({ kind: "deadline" }));
      case "clearDeadline":
        return timers.clearDeadline();
      case "watchQuiet":
        return timers.watchQuiet(effect.ms, [up, down], () => on({ kind: "quiet" }));
    }
  };

  const forwardUp = async (): Promise<void> => {
    const end = await pump(input, server.input, { tap: tap?.client, traffic: up });
    tap?.end("client");
    if (end === "sourceEnded") return on({ kind: "hostEof" });
    input.close(); // The server reads no more: the host is to see that, as without us.
    on({ kind: "serverDeaf" });
  };

  const forwardDown = async (): Promise<void> => {
    const end = await pump(server.output, output, { tap: tap?.server, traffic: down });
    if (end === "sinkGone") {
      on({ kind: "hostGone" });
      await pump(server.output, NOWHERE, { tap: tap?.server, traffic: down });
    }
    tap?.end("server");
    on({ kind: "serverEof" });
  };

  forwardUp().catch(reject);
  forwardDown().catch(reject);
  server.exit.then((code) => on({ kind: "serverExit", code })).catch(reject);
  return { done, signal: (signal) => on({ kind: "signal", signal }) };
}

/** Takes what the server still says to a host that reads no more. */
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
