/**
 * Holds the calls of one session that a rule wants a person's yes for.
 *
 * The rules are the guards', with the same facts. What a person could not be shown as the server
 * will read it is refused.
 *
 * @module
 */

import { canonicalArguments } from "../../approval/arguments.ts";
import { MAX_ARGUMENTS } from "../../approval/held_call.ts";
import { reasonsOf } from "../../approval/shown.ts";
import {
  ambiguityOf,
  checkCall,
  refusalStart,
  refusalText,
  type Ruling,
  wantedApprovals,
} from "../../guard/check.ts";
import { Facts } from "../../guard/facts.ts";
import type { RuleSet } from "../../guard/rules/compile_rules.ts";
import { at } from "../../json/json.ts";
import { spanText, valueAt } from "../../json/json_spans.ts";
import { reasonOf } from "../../text/reason.ts";
import {
  type ChainCall,
  type Closable,
  type Crossing,
  type Hearing,
  type Interceptor,
  type InterceptorPorts,
  type Later,
  PASS,
  refuseCall,
  type RequestCrossing,
  type Verdict,
} from "../chain/interceptor.ts";
import type { HeldOutcome, HeldWait, SessionHeld } from "./held_calls.ts";

/** What the approvals of one session go through. */
export interface ApprovePorts {
  readonly held: SessionHeld;
  readonly notify: InterceptorPorts["notify"];
  readonly later: Later;
  /** How long a call is held. */
  readonly waitMs: number;
  readonly say: (line: string) => void;
}

/** A call that waits. */
interface Waiting {
  readonly asking: HeldWait;
  readonly isCancelled: () => boolean;
}

/** How often a host that asked for progress is told that a call waits. */
const PROGRESS_MS = 5_000;

/** The approvals of one session. */
export class ApproveInterceptor implements Interceptor, Hearing, Closable {
  readonly name = "approve";
  readonly mayRefuse = true;
  readonly #rules: RuleSet;
  readonly #ports: ApprovePorts;
  readonly #facts: Facts;
  readonly #waiting = new Map<string, Waiting>();
  /** Calls under way whose arguments can be read in two ways, by the chain's name for them. */
  readonly #ambiguous = new Map<string, { readonly ambiguity: string }>();
  readonly #said = new Set<string>();

  /** Asks about the calls of a session that has shown nothing. */
  constructor(rules: RuleSet, ports: ApprovePorts) {
    this.#rules = rules;
    this.#ports = ports;
    this.#facts = new Facts(rules);
  }

  onMessage(crossing: Crossing): Verdict | Promise<Verdict> {
    switch (crossing.kind) {
      case "request":
        return crossing.call === undefined ? PASS : this.#onCall(crossing, crossing.call);
      case "answer":
        if (crossing.call && crossing.answer) {
          const { tool, arguments: args, name } = crossing.call;
          const answered = { tool, arguments: args, ...crossing.answer };
          this.#answered({ ...answered, ...this.#ambiguous.get(name) });
          this.#ambiguous.delete(name);
        }
        return PASS;
      case "cancel":
        if (crossing.call) this.#ambiguous.delete(crossing.call.name);
        this.#waiting.get(crossing.key)?.asking.cancel();
        return PASS;
      default:
        return PASS;
    }
  }

  heard(role: "user" | "assistant", text: string): void {
    if (role === "user") this.#facts.heard(text);
    else this.#facts.spoke(text);
  }

  close(): void {
    this.#ports.held.close();
  }

  #onCall(crossing: RequestCrossing, call: ChainCall): Verdict | Promise<Verdict> {
    if (call.isResumed) return PASS; // It was asked about when it began.
    const { message } = crossing;
    const span = valueAt(message.bytes, message.params, "arguments");
    const text = span === undefined ? "{}" : spanText(message.bytes, span);
    const ambiguity = ambiguityOf(text);
    if (ambiguity !== undefined) this.#ambiguous.set(call.name, { ambiguity });
    const read = ambiguity === undefined ? call : { ...call, ambiguity };
    const rulings = checkCall(this.#rules, read, this.#facts);
    const refusal = refusalText(call.tool, rulings);
    if (refusal !== undefined) return refuseCall(refusal);
    const why = wantedApprovals(rulings);
    if (why.length === 0) return PASS;
    const refuse = (words: string) =>
      refuseCall(
        `${refusalStart(call.tool)}${reasonsOf({ why })}; ${words} (approval ${
          why.map(({ rule }) => rule).join(", ")
        }).`,
      );
    if (call.isLookup) return refuse("nobody is asked about a lookup");
    if (ambiguity !== undefined) return refuse(`nobody is asked, since ${ambiguity}`);
    if (message.line.isOdd) return refuse("nobody is asked, since the call is not JSON in UTF-8");
    const shown = canonicalArguments(text);
    if (shown.length > MAX_ARGUMENTS) {
      return refuse(`its arguments have more than ${MAX_ARGUMENTS} characters, which nobody reads`);
    }
    const asking = this.#ports.held.ask({
      tool: call.tool,
      arguments: shown,
      by: call.by,
      why,
      known: knownFrom(rulings),
      ...this.#conversation(),
    });
    return this.#hold(crossing, asking).then((outcome) =>
      outcome.kind === "approved" ? PASS : refuse(wordsFor(outcome))
    );
  }

  /** Waits for a person, and tells the host so. */
  async #hold(crossing: RequestCrossing, asking: HeldWait): Promise<HeldOutcome> {
    const { key } = crossing.message;
    const waiting: Waiting = { asking, isCancelled: crossing.isCancelled };
    this.#waiting.set(key, waiting);
    const token = at(at(crossing.message.value, "params"), "_meta", "progressToken");
    const off = this.#progress(token, waiting);
    try {
      return await asking.outcome;
    } finally {
      off();
      if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    }
  }

  /** Counts up to zero, so that the server's own progress goes on from there. */
  #progress(token: unknown, { asking, isCancelled }: Waiting): () => void {
    let left = this.#ports.waitMs;
    let off = () => {};
    const tell = () => {
      if (isCancelled()) return asking.cancel();
      const message = "waiting for a person to approve this call";
      const params = { progressToken: token, progress: -left / 1000, message };
      if (token !== undefined) this.#ports.notify("notifications/progress", params);
      left -= PROGRESS_MS;
      if (left > 0) off = this.#ports.later(PROGRESS_MS, tell);
    };
    tell();
    return () => off();
  }

  #conversation() {
    const { proposal, reply } = this.#facts.exchanged();
    return this.#facts.hasHeard ? { said: { user: reply, agent: proposal } } : {};
  }

  #answered(call: Parameters<Facts["answered"]>[0]): void {
    try {
      this.#facts.answered(call);
    } catch (error) {
      this.#once(`the approvals could not read an answer of ${call.tool}: ${reasonOf(error)}`);
    }
    for (const fault of this.#facts.faults) this.#once(fault);
  }

  #once(words: string): void {
    if (this.#said.has(words)) return;
    this.#said.add(words);
    this.#ports.say(words);
  }
}

/** What the rules that do not ask say, for the person who decides. */
function knownFrom(rulings: readonly Ruling[]) {
  return rulings.filter(({ verdict }) => verdict.kind !== "approve")
    .map(({ rule, verdict }) => ({ rule: rule.id, verdict: verdict.kind }));
}

function wordsFor(outcome: HeldOutcome): string {
  switch (outcome.kind) {
    case "denied":
      return "a person said no. Do not repeat the call; ask the user what to do instead";
    case "late":
      return outcome.mayRepeat
        ? `a person has to say yes first, and nobody has answered yet. Tell the user that it waits ` +
          `as ${outcome.id} in 'hoist approve', and repeat exactly this call once they have answered`
        : "a person has to say yes first, and nobody answered in time";
    case "unasked":
      return `a person has to say yes first, and ${outcome.why}`;
    case "approved": // Such a call passes.
    case "cancelled":
      return "the call was given up";
  }
}
