/**
 * The calls of a proxy that wait for a person, and what became of them.
 *
 * A call waits for an answer for a while; then the agent is told to repeat it. A yes that comes
 * later holds for the same call of the same session, once. A no holds as well, so that repeating
 * a call does not ask again. What cannot be asked, or is answered by anything but a sealed answer
 * to exactly this call, is refused.
 *
 * @module
 */

import { type ApprovalVerdict, countedAnswer } from "../../approval/answer.ts";
import { APPROVAL_MS, type HeldCall, type KeyedCall, MAX_HELD } from "../../approval/held_call.ts";
import type { ApprovalStore } from "../../ports/approvals.ts";
import { reasonOf } from "../../text/reason.ts";
import type { Later } from "../chain/interceptor.ts";

/** What held calls go through. */
export interface HeldCallsPorts {
  readonly store: ApprovalStore;
  /** How long a call is held. */
  readonly waitMs: number;
  readonly monotonicMs: () => number;
  readonly unixMs: () => number;
  readonly randomHex: (bytes: number) => string;
  readonly later: Later;
  readonly say: (line: string) => void;
  /** What a person knows the server by. */
  readonly server: string;
  readonly rules: HeldCall["rules"];
}

/** What a person is asked about. */
export type HeldQuestion = Pick<HeldCall, "tool" | "arguments" | "by" | "why" | "known" | "said">;

/** What came of asking. */
export type HeldOutcome =
  | { readonly kind: ApprovalVerdict; readonly id: string }
  /** Nobody answered yet; the call may be repeated, unless its session ends with it. */
  | { readonly kind: "late"; readonly id: string; readonly mayRepeat: boolean }
  /** Nobody could be asked. */
  | { readonly kind: "unasked"; readonly why: string }
  | { readonly kind: "cancelled" };

/** A call that a person is asked about. */
export interface HeldWait {
  readonly outcome: Promise<HeldOutcome>;
  /** Its host gave it up. */
  cancel(): void;
}

/** The held calls of one session. */
export interface SessionHeld {
  /** Asks a person. */
  ask(asked: HeldQuestion): HeldWait;
  /** The session ends. */
  close(): void;
}

/** A call in the folder. */
interface Entry {
  readonly call: HeldCall;
  readonly key: string;
  /** From when on it counts no more, on the monotonic clock. */
  untilMs: number;
  /** Tells the call that is held; undefined while the agent is to repeat it. */
  settle: ((outcome: HeldOutcome) => void) | undefined;
  /** What a person said; a no is kept. */
  verdict: ApprovalVerdict | undefined;
}

/** How often the folder is looked at while a call is held. */
const LOOK_MS = 200;

/** The held calls of a proxy. */
export class HeldCalls {
  readonly #ports: HeldCallsPorts;
  /** Calls that wait or were answered, by session and what they do. */
  readonly #entries = new Set<Entry & { readonly session: object; readonly match: string }>();
  #offLook: (() => void) | undefined;

  /** Starts with none. */
  constructor(ports: HeldCallsPorts) {
    this.#ports = ports;
  }

  /** The calls of a session; one that is a single request sees no call repeated. */
  session(session: { readonly name: string; readonly isOnce: boolean }): SessionHeld {
    return {
      ask: (asked) => this.#ask(session, asked),
      close: () => this.#drop((entry) => entry.session === session),
    };
  }

  /** The proxy ends. */
  end(): void {
    this.#drop(() => true);
  }

  #ask(
    session: { readonly name: string; readonly isOnce: boolean },
    asked: HeldQuestion,
  ): HeldWait {
    this.#sweep();
    const match = JSON.stringify([asked.tool, asked.arguments, asked.by]);
    const same = [...this.#entries].filter((entry) =>
      entry.session === session && entry.match === match && entry.settle === undefined
    );
    for (const entry of same) this.#look(entry);
    const denied = same.find(({ verdict }) => verdict === "denied");
    if (denied !== undefined) return settled({ kind: "denied", id: denied.call.id });
    const approved = same.find(({ verdict }) => verdict === "approved");
    if (approved !== undefined) {
      this.#remove(approved); // It holds once.
      return settled({ kind: "approved", id: approved.call.id });
    }
    let entry = same.find(({ verdict }) => verdict === undefined);
    if (entry === undefined) {
      const made = this.#make(session, asked);
      if (typeof made === "string") return settled({ kind: "unasked", why: made });
      entry = { ...made, session, match };
      this.#entries.add(entry);
    }
    return this.#wait(entry, { mayRepeat: !session.isOnce });
  }

  /** Puts a call into the folder, or says why it cannot be there. */
  #make(session: { readonly name: string }, asked: HeldQuestion): Entry | string {
    const { store, waitMs, unixMs, monotonicMs, randomHex, server, rules, say } = this.#ports;
    const waiting = [...this.#entries].filter(({ verdict }) => verdict === undefined).length;
    if (waiting >= MAX_HELD) return `${MAX_HELD} calls wait for a person already`;
    const now = unixMs();
    const call: HeldCall = {
      hoist_approval: 1,
      id: randomHex(6),
      server,
      session: session.name,
      ...asked,
      rules,
      asked_unix_ms: now,
      expires_unix_ms: now + waitMs + APPROVAL_MS,
    };
    const held: KeyedCall = { ...call, key: randomHex(32) };
    try {
      store.put(held);
    } catch (error) {
      say(`approve: a call cannot be put to a person, so it is refused: ${reasonOf(error)}`);
      return "no person could be asked";
    }
    const untilMs = monotonicMs() + waitMs + APPROVAL_MS;
    return { call, key: held.key, untilMs, settle: undefined, verdict: undefined };
  }

  #wait(entry: Entry, { mayRepeat }: { readonly mayRepeat: boolean }): HeldWait {
    const { promise, resolve } = Promise.withResolvers<HeldOutcome>();
    const { id } = entry.call;
    const off = this.#ports.later(this.#ports.waitMs, () => {
      this.#look(entry);
      if (entry.settle === undefined) return;
      if (!mayRepeat) this.#remove(entry);
      settle({ kind: "late", id, mayRepeat });
    });
    const settle = (outcome: HeldOutcome) => {
      off();
      entry.settle = undefined;
      resolve(outcome);
    };
    entry.settle = settle;
    this.#lookLater();
    return {
      outcome: promise,
      cancel: () => {
        if (entry.settle !== settle) return;
        this.#remove(entry);
        settle({ kind: "cancelled" });
      },
    };
  }

  /** Looks at the folder while a call is held. */
  #lookLater(): void {
    this.#offLook ??= this.#ports.later(LOOK_MS, () => {
      this.#offLook = undefined;
      this.#sweep();
      for (const entry of this.#entries) if (entry.settle !== undefined) this.#look(entry);
      if ([...this.#entries].some(({ settle }) => settle !== undefined)) this.#lookLater();
    });
  }

  /** Looks for the answer to a call; what does not count is taken away, and said. */
  #look(entry: Entry): void {
    if (entry.verdict !== undefined) return;
    const { store, unixMs, monotonicMs, say } = this.#ports;
    const { call, key } = entry;
    try {
      const text = store.answerTo(call.id);
      if (text === undefined) return;
      const read = countedAnswer(text, { call, key, nowUnixMs: unixMs() });
      if ("fault" in read) {
        say(`approve: an answer to ${call.id} does not count: ${read.fault}`);
        return store.dropAnswer(call.id);
      }
      const { verdict, leftMs } = read;
      const { settle } = entry;
      entry.verdict = verdict;
      entry.untilMs = monotonicMs() + leftMs;
      if (settle === undefined) return;
      if (verdict === "approved") this.#remove(entry); // It holds once.
      else store.remove(call.id);
      settle({ kind: verdict, id: call.id });
    } catch (error) {
      say(`approve: the answer to ${call.id} cannot be read: ${reasonOf(error)}`);
    }
  }

  /** Lets go of calls that count no more. */
  #sweep(): void {
    const now = this.#ports.monotonicMs();
    for (const entry of this.#entries) if (entry.untilMs <= now) this.#look(entry);
    this.#drop((entry) => entry.untilMs <= now);
  }

  #drop(isOver: (entry: Entry & { readonly session: object }) => boolean): void {
    for (const entry of [...this.#entries]) {
      if (!isOver(entry)) continue;
      this.#remove(entry);
      entry.settle?.({ kind: "unasked", why: "the session ended before a person answered" });
    }
    if (this.#entries.size > 0) return;
    this.#offLook?.();
    this.#offLook = undefined;
  }

  #remove(entry: Entry): void {
    for (const known of this.#entries) if (known.call === entry.call) this.#entries.delete(known);
    try {
      this.#ports.store.remove(entry.call.id);
    } catch (error) {
      this.#ports.say(`approve: ${entry.call.id} cannot be taken away: ${reasonOf(error)}`);
    }
  }
}

function settled(outcome: HeldOutcome): HeldWait {
  return { outcome: Promise.resolve(outcome), cancel() {} };
}
