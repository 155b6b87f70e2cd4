/**
 * What the agent did after a point of a recorded episode.
 *
 * @module
 */

import { callKey } from "../flow/state/call_key.ts";
import type { Episode, EpisodeCall } from "../trace/episode.ts";
import type { Manifest } from "../trace/manifest.ts";

/** A call of the agent's and where it was sent. */
interface Sent {
  readonly at: number;
  readonly call: EpisodeCall;
  readonly key: string;
}

/** The rest of an episode, seen from any of its events. */
export class Future {
  readonly #sent: readonly Sent[];
  /** Lookups that a flow made in the recording itself. */
  readonly #served: readonly Sent[];
  /** Event indices at which accepted writes were sent. */
  readonly #writes: readonly number[];

  /** Looks at an episode. */
  constructor(episode: Episode, manifest: Manifest) {
    const sent: Sent[] = [];
    const served: Sent[] = [];
    const writes: number[] = [];
    episode.events.forEach((event, at) => {
      if (event.kind !== "assistant") return;
      for (const call of event.calls) {
        const one = { at, call, key: callKey(call.name, call.arguments) };
        if (call.by === "flow") {
          served.push(one);
          continue;
        }
        sent.push(one);
        if (manifest.tools[call.name] === "write" && call.answer?.error === false) writes.push(at);
      }
    });
    this.#sent = sent;
    this.#served = served;
    this.#writes = writes;
  }

  /** Whether the agent makes this call after the event and before its next write. */
  comes(key: string, at: number): boolean {
    const end = this.nextWrite(at);
    return this.#sent.some((s) => s.key === key && s.at > at && s.at <= end);
  }

  /** The calls of a tool that come after the event and before the next write. */
  callsOf(tool: string, at: number): string[] {
    const end = this.nextWrite(at);
    return this.#sent.filter((s) => s.call.name === tool && s.at > at && s.at <= end).map((s) =>
      s.key
    );
  }

  /** The recorded answer to a call, when the agent or a flow makes it before the next write. */
  answer(key: string, at: number): EpisodeCall["answer"] {
    const end = this.nextWrite(at);
    const isIt = (s: Sent) => s.key === key && s.at > at && s.at <= end;
    return (this.#served.find(isIt) ?? this.#sent.find(isIt))?.call.answer;
  }

  /** Whether a flow makes this call in the recording: what the agent would have done is not known. */
  isServed(key: string, at: number): boolean {
    const end = this.nextWrite(at);
    return this.#served.some((s) => s.key === key && s.at > at && s.at <= end);
  }

  /** How many calls the turn has in which the agent makes this call; undefined when it does not. */
  turnOf(key: string, at: number): number | undefined {
    const end = this.nextWrite(at);
    const found = this.#sent.find((s) => s.key === key && s.at > at && s.at <= end);
    return found && this.#sent.filter((s) => s.at === found.at).length;
  }

  /** Whether the agent uses the tool in a later turn. */
  mentions(tool: string, turn: number): boolean {
    return this.#sent.some(({ call }) => call.name === tool && call.turn > turn);
  }

  /** The event of the next accepted write after this one; infinity when none comes. */
  nextWrite(at: number): number {
    return this.#writes.find((write) => write > at) ?? Infinity;
  }
}
