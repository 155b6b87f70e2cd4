/**
 * Pairs the answers of the server with the requests of the host, and follows the calls among
 * them.
 *
 * @module
 */

import { at, isObject, textAt } from "../../json/json.ts";
import { isFirstPage } from "./advertise.ts";
import { AgentCalls, type CallClock } from "./agent_calls.ts";
import { asksForInput, readAnswer } from "./answers.ts";
import type { AgentTurn, AnswerCrossing, ChainCall, RequestCrossing } from "./interceptor.ts";
import type { SeenMessage } from "./seen.ts";

/** The requests of one host. */
export class RequestPairs {
  readonly #calls: AgentCalls;
  /** Requests, other than calls, that wait for their answer. */
  readonly #asked = new Map<string, { readonly method: string; readonly isFirstPage: boolean }>();
  /** Calls that wait for a verdict. */
  judging = 0;
  #count = 0;
  #spoke = false;

  /** Starts with none. */
  constructor(clock: CallClock) {
    this.#calls = new AgentCalls(clock);
  }

  /** The agent's turn. */
  get turn(): AgentTurn {
    return this.#calls;
  }

  /** Something was said in the conversation. */
  heard(role: "user" | "assistant"): void {
    this.#spoke = role === "assistant";
  }

  /** The call that a request of the host makes; undefined if it names no tool. */
  callOf({ idAsWritten: id, value }: SeenMessage): ChainCall | undefined {
    const params = at(value, "params");
    const tool = textAt(params, "name");
    if (!isObject(params) || tool === undefined) return undefined;
    const resumed = this.#calls.resume(id, params);
    if (resumed !== undefined) return resumed;
    const given = at(params, "arguments");
    const turn = { calls: this.#calls.inTurn + this.judging + 1, hasText: this.#spoke };
    this.#spoke = false;
    return {
      id,
      name: `call-${++this.#count}`,
      tool,
      arguments: isObject(given) ? given : {},
      by: "agent",
      isLookup: false,
      isResumed: false,
      turn,
    };
  }

  /** A request goes to the server. */
  sent({ message, call }: RequestCrossing): void {
    const { key, method } = message;
    if (call !== undefined) this.#calls.send(key, call);
    else if (method !== undefined) {
      const params = at(message.value, "params");
      this.#asked.set(key, { method, isFirstPage: isFirstPage(params) });
    }
  }

  /** Whether a message of the server answers a call. */
  answersCall({ kind, key }: SeenMessage): boolean {
    return kind === "response" && this.#calls.find(key) !== undefined;
  }

  /** A response of the server with the request it answers, which waits no more. */
  answered(message: SeenMessage): AnswerCrossing {
    const { key } = message;
    const asked = this.#asked.get(key);
    const call = asked === undefined ? this.#calls.find(key) : undefined;
    this.#asked.delete(key);
    const isPaused = call !== undefined && asksForInput(message);
    if (isPaused) this.#calls.pause(key, at(message.value, "result", "requestState"));
    else if (call !== undefined) this.#calls.answer(key);
    return {
      kind: "answer",
      message,
      method: call === undefined ? asked?.method : "tools/call",
      isFirstPage: asked?.isFirstPage ?? false,
      call,
      answer: call && !isPaused ? readAnswer(message) : undefined,
    };
  }

  /** A request was given up; the call it made. */
  drop(key: string): ChainCall | undefined {
    this.#asked.delete(key);
    return this.#calls.drop(key);
  }

  /** The session ends. */
  close(): void {
    this.#calls.close();
  }
}
