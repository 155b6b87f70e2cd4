/**
 * When a flow runs behind the agent's results, and which result carries what it
 * looked up.
 *
 * No result waits for another call. One that arrives while other calls of its
 * turn wait, or while a run goes on, is handed on at once and its site is queued;
 * the turn's last result is held, the flow runs behind every queued site, and
 * all that was looked up is appended to that result.
 *
 * @module
 */

import { at } from "../json/json.ts";
import { appendixText, appendText } from "./append.ts";
import { RUN_MS } from "./flow_setting.ts";
import type { SeenMessage } from "./seen.ts";
import type { FlowRun, FlowSite, SessionFlow } from "./session_flow.ts";
import { finish, type Waiting } from "./within.ts";
import { reasonOf } from "../text/reason.ts";

/** What happens to results. */
export interface TurnPorts {
  /** Hands a result on as it came. */
  readonly pass: (line: Uint8Array) => void;
  /** Hands a result on with lookups in it: a line of ours. */
  readonly changed: (line: Uint8Array) => void;
  /** Calls of the turn that still wait. */
  readonly waiting: () => number;
  /** Gives up the lookups under way. */
  readonly cancelLookups: () => void;
  readonly monotonicMs: () => number;
  /** Tells the user. */
  readonly say: (line: string) => void;
}

/** A run that goes on. */
interface Run {
  /** The key of the call whose result is held. */
  readonly key: string;
  /** Whether the host has given the call up: nothing of it goes out any more. */
  isCancelled: boolean;
}

/** The runs of one session. */
export class FlowTurns {
  readonly #flow: SessionFlow;
  readonly #ports: TurnPorts;
  #queue: FlowSite[] = [];
  #run: Run | undefined;
  #isOver = false;
  readonly #over = Promise.withResolvers<void>();
  #idle: Promise<void> = Promise.resolve();

  /** Starts with nothing queued. */
  constructor(flow: SessionFlow, ports: TurnPorts) {
    this.#flow = flow;
    this.#ports = ports;
  }

  /** Settles when no result is held. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  /** Whether the result of the call with this key is held. */
  holds(key: string): boolean {
    return this.#run?.key === key;
  }

  /** A call has left its turn. */
  dropQueue(): void {
    if (this.#run === undefined) this.#queue = [];
  }

  /** The host has given a call up. */
  cancel(key: string): void {
    if (this.#run?.key !== key) return;
    this.#run.isCancelled = true;
    this.#queue = [];
    this.#ports.cancelLookups();
  }

  /** Nothing can be looked up any more: what is held goes out with what there is. */
  close(): void {
    this.#isOver = true;
    this.#over.resolve();
    this.#ports.cancelLookups();
  }

  /**
   * A result of the agent has come.
   *
   * @param key The key of its call.
   * @param site Where the flow may decide.
   * @param message The result; its bytes are the whole line, and valid until this returns.
   * @returns Whether the line is held: it goes out through the ports.
   */
  take(key: string, site: FlowSite, message: SeenMessage): boolean {
    this.#queue.push(site);
    const isLast = this.#run === undefined && this.#ports.waiting() === 0;
    if (!isLast || this.#isOver || !Array.isArray(at(message.value, "result", "content"))) {
      if (isLast) this.#queue = [];
      return false;
    }
    const run: Run = { key, isCancelled: false };
    const began = this.#ports.monotonicMs();
    const shared: FlowRun = {
      found: [],
      made: 0,
      endMs: began + RUN_MS,
      isOver: () => this.#isOver || run.isCancelled,
    };
    this.#run = run;
    const work = this.#behindAll(shared);
    const first = work.next();
    if (first.done) {
      // The flow has handed back at once: the result keeps its place among the server's lines.
      this.#run = undefined;
      this.#flow.tally.heldMs += this.#ports.monotonicMs() - began;
      return false;
    }
    this.#idle = this.#hold(run, message.kept(), shared.found, finish(work, first));
    return true;
  }

  async #hold(
    run: Run,
    message: SeenMessage,
    found: FlowRun["found"],
    done: Promise<void>,
  ): Promise<void> {
    const began = this.#ports.monotonicMs();
    // Once nothing can be looked up any more, what a run still waits for is not waited for.
    await Promise.race([done, this.#over.promise]);
    this.#run = undefined;
    this.#flow.tally.heldMs += this.#ports.monotonicMs() - began;
    // Of a batch the rest still has to come out.
    if (run.isCancelled && !message.line.isBatch) return;
    const line = found.length === 0 || run.isCancelled ? undefined : this.#appended(message, found);
    if (line === undefined) this.#ports.pass(message.bytes);
    else this.#ports.changed(line);
  }

  #appended(message: SeenMessage, found: FlowRun["found"]): Uint8Array | undefined {
    try {
      return appendText(message, appendixText(found));
    } catch (error) {
      // Longer than a text can be.
      this.#ports.say(`what was looked up cannot be appended: ${reasonOf(error)}`);
      return undefined;
    }
  }

  *#behindAll(shared: FlowRun): Waiting<void> {
    const isTime = () => !shared.isOver() && this.#ports.monotonicMs() < shared.endMs;
    try {
      // A result that comes during a run queues its site; it is run behind as well.
      while (this.#queue.length > 0 && this.#ports.waiting() === 0 && isTime()) {
        const sites = this.#queue;
        this.#queue = [];
        yield* this.#flow.run(sites, shared);
      }
    } catch (error) {
      // A fault of ours costs the lookups that were to come, never the result.
      this.#ports.say(`the flow's run failed: ${reasonOf(error)}`);
    }
  }
}
