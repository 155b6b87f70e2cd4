/**
 * Holds the agent to the contract of its session: a call that the contract does not allow never
 * reaches the server, and the answer to a call whose session ended meanwhile is no success.
 *
 * Whatever cannot be judged is refused.
 *
 * @module
 */

import { ambiguousKey } from "../../json/ambiguous_key.ts";
import { at } from "../../json/json.ts";
import { editJson } from "../../json/edit_json.ts";
import { elements, isArrayAt, spanText, stringAt, valueAt } from "../../json/json_spans.ts";
import type { GateVerdict, ToolGate } from "../../ports/tool_gate.ts";
import {
  type AnswerCrossing,
  type ChainCall,
  type Closable,
  type Crossing,
  type Interceptor,
  type InterceptorPorts,
  type Noting,
  PASS,
  refuseCall,
  type RequestCrossing,
  type Verdict,
} from "../chain/interceptor.ts";
import { type HaiMap, useOf } from "./map.ts";

/** Requests that do nothing with the server's tools and data. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["initialize", "server/discover", "ping", "logging/setLevel", "tools/list"],
  ...["prompts/list", "resources/list", "resources/templates/list"],
]);

/** How often the gate is looked at while calls are under way. */
const LOOK_MS = 100;

/** What the contract asks of the chain. */
type HaiPorts = Pick<InterceptorPorts, "later" | "withdraw">;

/** The contract in one session. */
export class HaiInterceptor implements Interceptor, Noting, Closable {
  readonly name = "hai";
  readonly mayRefuse = true;
  readonly #map: HaiMap;
  readonly #gate: ToolGate;
  readonly #ports: HaiPorts;
  /** The agent's calls that the server has. */
  readonly #underWay = new Map<string, ChainCall>();
  #callOff: (() => void) | undefined;

  /** Enforces what the gate says of the calls of a server. */
  constructor(map: HaiMap, gate: ToolGate, ports: HaiPorts) {
    this.#map = map;
    this.#gate = gate;
    this.#ports = ports;
  }

  /** A call goes to the server: from now on the session is watched. */
  onSent({ call }: RequestCrossing): void {
    if (call === undefined || call.by !== "agent") return;
    this.#underWay.set(call.name, call);
    this.#watch();
  }

  /** Nothing is under way any more. */
  close(): void {
    this.#underWay.clear();
    this.#callOff?.();
    this.#callOff = undefined;
  }

  #watch(): void {
    this.#callOff ??= this.#ports.later(LOOK_MS, () => {
      this.#callOff = undefined;
      void this.#look();
    });
  }

  /** Gives up what is under way, if the session has ended meanwhile. */
  async #look(): Promise<void> {
    if (this.#underWay.size === 0) return;
    const verdict = await this.#check(undefined);
    if (verdict.kind === "allowed") return this.#watch();
    for (const call of [...this.#underWay.values()]) {
      this.#ports.withdraw(call, ended(call.tool, verdict));
    }
    this.#underWay.clear();
  }

  onMessage(crossing: Crossing): Verdict | Promise<Verdict> {
    switch (crossing.kind) {
      case "request":
        if (HARMLESS.has(crossing.message.method ?? "")) return PASS;
        return crossing.call === undefined
          ? refuseCall(
            `Refused by the contract: ${crossing.message.method} is no call that it can judge.`,
          )
          : this.#onCall(crossing, crossing.call);
      case "answer":
        if (crossing.call !== undefined) this.#underWay.delete(crossing.call.name);
        if (crossing.method === "tools/list") return this.#listed(crossing);
        return crossing.call === undefined ? PASS : this.#answered(crossing, crossing.call);
      case "cancel":
        if (crossing.call !== undefined) this.#underWay.delete(crossing.call.name);
        return PASS;
      default:
        return PASS;
    }
  }

  async #onCall(crossing: RequestCrossing, call: ChainCall): Promise<Verdict> {
    const use = this.#use(crossing, call);
    if ("fault" in use) return refused(call.tool, use.fault, "map");
    const verdict = await this.#check(use);
    return verdict.kind === "allowed" ? PASS : refused(call.tool, verdict.text, verdict.code);
  }

  /** What a call does; looked at before this waits, since its bytes are lent. */
  #use({ message }: RequestCrossing, call: ChainCall) {
    if (message.line.isOdd) return { fault: "the call is not JSON in UTF-8" };
    const args = valueAt(message.bytes, message.params, "arguments");
    const [key] = args === undefined ? [] : ambiguousKey(spanText(message.bytes, args)) ?? [];
    if (key !== undefined) {
      return { fault: `its arguments have the key ${JSON.stringify(key)} in two ways` };
    }
    return useOf(this.#map, call.tool, call.arguments);
  }

  /** The answer to a call, unless the session ended while the call ran. */
  async #answered({ message }: AnswerCrossing, { tool }: ChainCall): Promise<Verdict> {
    const { bytes, value, idAsWritten: id, span } = message.kept();
    const verdict = await this.#check(undefined);
    if (verdict.kind === "allowed") return PASS;
    const text = ended(tool, verdict);
    const type = at(value, "result", "resultType") === undefined ? {} : { resultType: "complete" };
    const result = JSON.stringify({ ...type, content: [{ type: "text", text }], isError: true });
    const answer = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
    return { kind: "replace", line: editJson(bytes, [{ span, text: answer }]) };
  }

  /** The list of tools without those that the contract does not allow. */
  async #listed({ message }: AnswerCrossing): Promise<Verdict> {
    const { bytes, result } = message.kept();
    const tools = valueAt(bytes, result, "tools");
    if (tools === undefined || !isArrayAt(bytes, tools)) return PASS;
    const verdict = await this.#check(undefined);
    const entries = elements(bytes, tools);
    const kept = entries.filter((entry) => {
      const tool = stringAt(bytes, valueAt(bytes, entry, "name")) ?? "";
      const known = Object.hasOwn(this.#map.tools, tool) ? this.#map.tools[tool] : undefined;
      return known !== undefined && verdict.kind === "allowed" &&
        verdict.allows({ tool, action: known.action });
    });
    if (kept.length === entries.length) return PASS;
    const text = `[${kept.map((entry) => spanText(bytes, entry)).join(",")}]`;
    return { kind: "replace", line: editJson(bytes, [{ span: tools, text }]) };
  }

  /** A gate that fails is shut. */
  async #check(use: Parameters<ToolGate["check"]>[0]): Promise<GateVerdict> {
    try {
      return await this.#gate.check(use);
    } catch {
      const text = "the contract could not be checked";
      return { kind: "refused", code: "internal_error", text };
    }
  }
}

function ended(tool: string, { text, code }: GateVerdict & { readonly kind: "refused" }): string {
  return `Refused by the contract: ${tool} was called, but the session ended before its answer ` +
    `came, so it is not known whether it was done: ${text} (${code}).`;
}

function refused(tool: string, why: string, code: string): Verdict {
  return refuseCall(
    `Refused by the contract, so ${tool} was not run and nothing changed: ${why} (${code}).`,
  );
}
