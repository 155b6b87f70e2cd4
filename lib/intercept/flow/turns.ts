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

import { at } from "../../json/json.ts";
import { appendixText, appendText, ownText } from "./appendix/append.ts";
import { fitted, type ResultBudget } from "./appendix/host_budgets.ts";
import { PATIENCE_MS, RUN_MS } from "./setting.ts";
import type { SeenMessage } from "../chain/seen.ts";
import { PASS, type Verdict } from "../chain/interceptor.ts";
import { reasonOf } from "../../text/reason.ts";
import type { FlowRun, FlowSite } from "./flow_ports.ts";
import type { SessionFlow } from "./session_flow.ts";

/** What happens to results. */
export interface TurnPorts {
  /** Calls of the turn that still wait. */
  readonly waiting: () => number;
  /** How much the host hands on of one result. */
  readonly budget: () => ResultBudget;
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

  /** Starts with nothing queued. */
  constructor(flow: SessionFlow, ports: TurnPorts) {
    this.#flow = flow;
    this.#ports = ports;
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
   * @param sentMs When its call went to the server, on the session's clock.
   * @returns What becomes of it; a promise while it is held.
   */
  take(
    key: string,
    site: FlowSite,
    message: SeenMessage,
    sentMs: number,
  ): Verdict | Promise<Verdict> {
    this.#queue.push(site);
    const isLast = this.#run === undefined && this.#ports.waiting() === 0;
    if (!isLast || this.#isOver || !Array.isArray(at(message.value, "result", "content"))) {
      if (isLast) this.#queue = [];
      return PASS;
    }
    const run: Run = { key, isCancelled: false };
    const began = this.#ports.monotonicMs();
    const shared: FlowRun = {
      found: [],
      made: 0,
      endMs: Math.min(began + RUN_MS, sentMs + PATIENCE_MS),
      isOver: () => this.#isOver || run.isCancelled,
    };
    this.#run = run;
    const work = this.#afterAll(shared);
    const over = () => {
      this.#run = undefined;
      this.#flow.tally.heldMs += this.#ports.monotonicMs() - began;
    };
    if (work === undefined) {
      // The flow has handed back at once: the result keeps its place among the server's lines.
      over();
      return PASS;
    }
    const kept = message.kept();
    // Once nothing can be looked up any more, what a run still waits for is not waited for.
    return Promise.race([work, this.#over.promise]).then(() => {
      over();
      if (shared.found.length === 0 || run.isCancelled) return PASS;
      return this.#appended(kept, site.after, shared.found);
    });
  }

  #appended(message: SeenMessage, after: string, found: FlowRun["found"]): Verdict {
    try {
      const own = ownText(message);
      if (own === undefined) return PASS;
      const { shown, leftOut } = fitted(found, own, this.#ports.budget());
      this.#flow.leftOut(after, leftOut);
      const line = shown.length === 0
        ? undefined
        : appendText(message, appendixText(shown, leftOut));
      return line === undefined ? PASS : { kind: "replace", line };
    } catch (error) {
      // Longer than a text can be.
      this.#ports.say(`what was looked up cannot be appended: ${reasonOf(error)}`);
      return PASS;
    }
  }

  /** Runs the flow after every queued site; undefined if nothing had to be waited for. */
  #afterAll(shared: FlowRun): Promise<void> | undefined {
    // A fault of ours costs the lookups that were to come, never the result.
    const failed = (error: unknown) => this.#ports.say(`the flow's run failed: ${reasonOf(error)}`);
    const isTime = () => !shared.isOver() && this.#ports.monotonicMs() < shared.endMs;
    try {
      // A result that comes during a run queues its site; the flow runs after it as well.
      while (this.#queue.length > 0 && this.#ports.waiting() === 0 && isTime()) {
        const sites = this.#queue;
        this.#queue = [];
        const work = this.#flow.run(sites, shared);
        if (work !== undefined) return work.then(() => this.#afterAll(shared), failed);
      }
    } catch (error) {
      failed(error);
    }
    return undefined;
  }
}
