/**
 * How a session over a child process ends, as a pure function of what has
 * happened: every way it can end is a path through {@linkcode step}, and no
 * path is longer than the limits allow.
 *
 * | phase | what it waits for |
 * |---|---|
 * | open | the host to close its end, a signal, or the server to exit |
 * | draining | the host or the server has closed: the server's rest, while bytes move |
 * | silent | the server closed its output on its own: its exit |
 * | stopping | a signal came to us and was handed on |
 * | terminating | the server outstayed its time and was sent SIGTERM |
 * | killing | SIGKILL was sent |
 * | flushing | the server is gone, its output is still being forwarded |
 * | closed | nothing; the status is known |
 *
 * @module
 */

/** Where a session stands. */
export type Phase =
  | "open"
  | "draining"
  | "silent"
  | "stopping"
  | "terminating"
  | "killing"
  | "flushing"
  | "closed";

/** What can happen to a session. */
export type LifeEvent =
  /** The host closed our input. */
  | { readonly kind: "hostEof" }
  /** The host closed our output: what the server says is recorded, and goes nowhere. */
  | { readonly kind: "hostGone" }
  /** We were sent a signal. */
  | { readonly kind: "signal"; readonly signal: StopSignal }
  /** The server closed its output. */
  | { readonly kind: "serverEof" }
  /** The server exited; `code` is 128 + n when signal n ended it. */
  | { readonly kind: "serverExit"; readonly code: number }
  /** No byte moved, and none waited to be written, for the time `watchQuiet` asked for. */
  | { readonly kind: "quiet" }
  /** The time that `deadline` asked for is over. */
  | { readonly kind: "deadline" };

/** Signals that end a session in good order. */
export type StopSignal = "SIGTERM" | "SIGINT" | "SIGHUP";

/** What the shell does next. */
export type Effect =
  /** Close the server's input once everything read from the host is written. */
  | { readonly kind: "closeInput" }
  /** Signal the server's process group. */
  | { readonly kind: "signal"; readonly signal: StopSignal | "SIGKILL" }
  /** Send `quiet` after so long without a byte; takes the place of an earlier watch. */
  | { readonly kind: "watchQuiet"; readonly ms: number }
  /** Send `deadline` after so long; takes the place of an earlier deadline. */
  | { readonly kind: "deadline"; readonly ms: number }
  /** Forget the deadline. */
  | { readonly kind: "clearDeadline" }
  /** Tell the user. */
  | { readonly kind: "say"; readonly text: string };

/** A session's life so far. */
export interface Life {
  readonly phase: Phase;
  /** Whether the server closed its output. */
  readonly outputEnded: boolean;
  /** Whether the host closed our output. */
  readonly hostGone: boolean;
  /** Whether we were sent a signal. */
  readonly signalled: boolean;
  /** The server's status, or what stands for it when it could not be ended. */
  readonly code: number | undefined;
}

/** How long each wait may take, in milliseconds. */
export interface LifeLimits {
  /** Quiet time after the host closed, before SIGTERM; `--exit-grace`. */
  readonly exitGraceMs: number;
}

/** A session that has just begun. */
export const BORN: Life = {
  phase: "open",
  outputEnded: false,
  hostGone: false,
  signalled: false,
  code: undefined,
};

/** Quiet time for a server whose host is gone for good: nobody is left to read its answer. */
const HOST_GONE_MS = 2_000;
/**
 * A server that closed its output by itself has this long to exit: the host sees the end of our
 * output only when we exit, and it should see it within a second.
 */
const SILENT_MS = 300;
/** From our SIGTERM to SIGKILL, for that server. */
const SILENT_TO_KILL_MS = 300;
/** From our SIGTERM to SIGKILL. */
const TERM_TO_KILL_MS = 1_000;
/** From a signal to us to SIGKILL: hosts kill a server 2 s after asking it to end. */
const SIGNAL_TO_KILL_MS = 1_500;
/** A process that SIGKILL does not end within this is left to the system. */
const GIVE_UP_MS = 1_000;
/** What is left of a host's 2 s once SIGKILL was needed. */
const KILLED_FLUSH_MS = 300;
/** Quiet time of an output that outlives the server: a grandchild holds the pipe. */
const FLUSH_QUIET_MS = 500;

const NOTHING: readonly Effect[] = [];

/**
 * One step of a session's life.
 *
 * @param life The life so far.
 * @param event What happened.
 * @param limits How long each wait may take.
 * @returns The life after it and what to do, in order.
 */
export function step(life: Life, event: LifeEvent, limits: LifeLimits): [Life, readonly Effect[]] {
  if (life.phase === "closed") return [life, NOTHING];
  switch (event.kind) {
    case "hostEof":
      return life.phase === "open" ? drain(life, limits) : [life, NOTHING];
    case "hostGone":
      return loseHost(life);
    case "signal":
      return stop(life, event.signal);
    case "serverEof":
      return endOutput({ ...life, outputEnded: true });
    case "serverExit":
      return flush({ ...life, code: event.code });
    case "quiet":
      return outstay(life);
    case "deadline":
      return escalate(life);
  }
}

function drain(life: Life, limits: LifeLimits): [Life, readonly Effect[]] {
  const wait: Effect = life.hostGone
    ? { kind: "deadline", ms: HOST_GONE_MS }
    : { kind: "watchQuiet", ms: limits.exitGraceMs };
  return [{ ...life, phase: "draining" }, [{ kind: "closeInput" }, wait]];
}

function loseHost(before: Life): [Life, readonly Effect[]] {
  if (before.hostGone) return [before, NOTHING];
  const life: Life = { ...before, hostGone: true };
  switch (life.phase) {
    case "draining":
      return [life, [{ kind: "deadline", ms: HOST_GONE_MS }]];
    case "flushing":
      return [life, [{ kind: "deadline", ms: SIGNAL_TO_KILL_MS }]];
    default:
      return [life, NOTHING];
  }
}

/** A server that has closed its output cannot answer any more: it is on its way out. */
function endOutput(life: Life): [Life, readonly Effect[]] {
  switch (life.phase) {
    case "flushing":
      return [{ ...life, phase: "closed" }, NOTHING];
    case "open":
      return [{ ...life, phase: "silent" }, [
        { kind: "closeInput" },
        { kind: "deadline", ms: SILENT_MS },
      ]];
    default:
      return [life, NOTHING];
  }
}

function stop(before: Life, signal: StopSignal): [Life, readonly Effect[]] {
  const life: Life = { ...before, signalled: true };
  switch (life.phase) {
    case "open":
    case "draining":
    case "silent":
      return [{ ...life, phase: "stopping" }, [
        { kind: "signal", signal },
        { kind: "closeInput" },
        { kind: "deadline", ms: SIGNAL_TO_KILL_MS },
      ]];
    case "flushing":
      return [life, [{ kind: "deadline", ms: SIGNAL_TO_KILL_MS }]];
    default:
      return [life, [{ kind: "signal", signal }]];
  }
}

function flush(life: Life): [Life, readonly Effect[]] {
  if (life.outputEnded) return [{ ...life, phase: "closed" }, NOTHING];
  const flushMs = life.phase === "killing" ? KILLED_FLUSH_MS : SIGNAL_TO_KILL_MS;
  return [{ ...life, phase: "flushing" }, [
    { kind: "watchQuiet", ms: FLUSH_QUIET_MS },
    // Where someone asked us to end, or nobody reads, the rest must not hold us for longer;
    // else what the server said is worth the wait, and no deadline of before may cut it.
    life.signalled || life.hostGone ? { kind: "deadline", ms: flushMs } : { kind: "clearDeadline" },
  ]];
}

/** The server's time after the host's end is over. */
function outstay(life: Life): [Life, readonly Effect[]] {
  if (life.phase === "flushing") return [{ ...life, phase: "closed" }, NOTHING];
  if (life.phase !== "draining") return [life, NOTHING];
  return [{ ...life, phase: "terminating" }, [
    { kind: "signal", signal: "SIGTERM" },
    { kind: "deadline", ms: TERM_TO_KILL_MS },
    { kind: "say", text: "the server goes on after the end of the session; sent SIGTERM" },
  ]];
}

function escalate(life: Life): [Life, readonly Effect[]] {
  switch (life.phase) {
    case "draining":
      return outstay(life);
    case "silent":
      return [{ ...life, phase: "terminating" }, [
        { kind: "signal", signal: "SIGTERM" },
        { kind: "deadline", ms: SILENT_TO_KILL_MS },
        { kind: "say", text: "the server closed its output and goes on; sent SIGTERM" },
      ]];
    case "stopping":
    case "terminating":
      return [{ ...life, phase: "killing" }, [
        { kind: "signal", signal: "SIGKILL" },
        { kind: "deadline", ms: GIVE_UP_MS },
        { kind: "say", text: "the server ignored the signal; sent SIGKILL" },
      ]];
    case "killing":
      return [{ ...life, phase: "closed", code: 137 }, [
        { kind: "say", text: "the server did not end after SIGKILL; leaving it" },
      ]];
    case "flushing":
      return [{ ...life, phase: "closed" }, NOTHING];
    default:
      return [life, NOTHING];
  }
}
