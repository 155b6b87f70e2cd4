/**
 * What is done about each message of an active session: calls are gated and
 * remembered, answers find the call they belong to, and what the proxy asks and
 * answers itself is made here.
 *
 * @module
 */

import { VERSION_KEY } from "../mcp/era.ts";
import { at, isObject, type JsonObject, textAt as textOf } from "../json/json.ts";
import { addedToList, isFirstPage, resultLine, withInstruction } from "./added_tool.ts";
import { type AgentCall, AgentCalls } from "./agent_calls.ts";
import type { FlowSetting } from "./flow_setting.ts";
import { FlowTurns } from "./flow_turns.ts";
import { ListedTools } from "./listed_tools.ts";
import { asksForInput, OwnCalls, readAnswer } from "./own_calls.ts";
import { OwnRequests } from "./own_requests.ts";
import type { ActivePorts, AddedAnswer, AddedTool, CallGate, ContextFeed } from "./parts.ts";
import { serverNames } from "./server_names.ts";
import type { SeenMessage } from "./seen.ts";
import type { FlowTally } from "./flow_tally.ts";
import { SessionFlow } from "./session_flow.ts";
import { reasonOf } from "../text/reason.ts";

/** What acts on a session; each part may be absent. */
export interface ActiveParts {
  readonly flow?: FlowSetting;
  readonly gate?: CallGate;
  readonly added?: AddedTool;
  readonly context?: ContextFeed;
  /** The session's own id: its task, where none is named. */
  readonly session: string;
}

/** What becomes of a request of the host. */
export type Taken = "forward" | "answered";

/** What becomes of a response of the server: the line passes, is held, or is this one instead. */
export type Answered = "pass" | "held" | Uint8Array;

/** A request of the host whose answer is looked at. */
interface Asked {
  readonly method: string;
  readonly isFirst: boolean;
}

/** The acts of one session. */
export class SessionActs {
  /** The proxy's own requests. */
  readonly own: OwnRequests;
  readonly #ports: ActivePorts;
  readonly #parts: ActiveParts;
  readonly #calls: AgentCalls;
  readonly #tools: ListedTools;
  readonly #ownCalls: OwnCalls;
  readonly #flow: SessionFlow | undefined;
  readonly #turns: FlowTurns | undefined;
  readonly #asked = new Map<string, Asked>();
  /** Calls that wait at the gate or run in an added tool, and whether the host gave them up. */
  readonly #inside = new Map<string, { isCancelled: boolean }>();
  #serverName: string | undefined;
  #spoke = false;

  /** Makes the acts of a session that has not begun. */
  constructor(ports: ActivePorts, parts: ActiveParts) {
    this.#ports = ports;
    this.#parts = parts;
    const { later } = ports;
    this.own = new OwnRequests({
      later,
      send: (line) => {
        ports.log?.proxy(line);
        (ports.toServerOwn ?? ports.toServer)(line);
      },
      ...(ports.nextNumber === undefined ? {} : { nextNumber: ports.nextNumber }),
    });
    this.#calls = new AgentCalls(later, () => this.#turns?.dropQueue());
    const { flow } = parts;
    const names = () =>
      serverNames(
        Object.keys(flow?.flow.manifest.tools ?? {}),
        flow?.serverName ?? this.#serverName,
      );
    this.#tools = new ListedTools({
      contracts: (tool) => flow?.flow.contracts?.[names().toFlow(tool)],
      isLookup: (tool) => flow?.flow.reads.includes(names().toFlow(tool)) ?? false,
      allowed: flow?.tools,
    });
    this.#ownCalls = new OwnCalls({ own: this.own, tools: this.#tools, gate: parts.gate });
    if (flow === undefined) return;
    this.#flow = new SessionFlow(flow, parts.session, names, {
      ...ports,
      log: ports.flowLog,
      listen: () => this.listen(),
      refusal: (tool) => this.#ownCalls.refusal(tool),
      lookUp: (tool, args, ms) => this.#ownCalls.call(tool, args, { ms }),
    });
    this.#turns = new FlowTurns(this.#flow, {
      pass: ports.toHost,
      changed: (line) => this.#answer(line),
      waiting: () => this.#calls.inTurn,
      cancelLookups: () => this.#ownCalls.cancelLookups(),
      monotonicMs: ports.monotonicMs,
      say: ports.say,
    });
  }

  /** Brings in what was said in the conversation since the last look. */
  listen(): void {
    for (const { role, text, line } of this.#parts.context?.poll() ?? []) {
      this.#ports.log?.context(line);
      this.#spoke = role === "assistant";
      this.#flow?.heard(role, text);
      this.#parts.gate?.heard(role, text);
    }
  }

  /** A request of the host, before the server sees it. */
  request(message: SeenMessage): Taken | Promise<Taken> {
    const { method, key, idAsWritten: id } = message;
    this.own.avoid(id);
    const params = at(message.value, "params");
    this.#ownCalls.version = textOf(params, "_meta", VERSION_KEY);
    if (method === "tools/call") return this.#call(key, id, params);
    if (method === "tools/list" || method === "initialize" || method === "server/discover") {
      this.#asked.set(key, { method, isFirst: isFirstPage(params) });
    }
    return "forward";
  }

  /** The host gives a request up; whether the server has never heard of it. */
  cancel(key: string): boolean {
    this.#asked.delete(key);
    const inside = this.#inside.get(key);
    if (inside !== undefined) inside.isCancelled = true;
    const call = this.#calls.drop(key);
    if (call !== undefined) this.#flow?.dropped(call.name);
    this.#turns?.cancel(key);
    return inside !== undefined;
  }

  /** Whether a response of the server answers a call of the agent. */
  answersCall({ key }: SeenMessage): boolean {
    return this.#calls.find(key) !== undefined;
  }

  /** A response of the server that answers no request of ours. */
  response(message: SeenMessage): Answered {
    const { key } = message;
    const asked = this.#asked.get(key);
    if (asked !== undefined) {
      this.#asked.delete(key);
      return this.#described(asked, message) ?? "pass";
    }
    const call = this.#calls.find(key);
    return call === undefined ? "pass" : this.#answered(key, call, message);
  }

  /** Whether an answer to the host's request with this key will still come from here. */
  holds(key: string): boolean {
    return this.#inside.has(key) || (this.#turns?.holds(key) ?? false);
  }

  /** The server says that its tools have changed. */
  toolsChanged(): void {
    this.#tools.changed();
  }

  /** Nothing can be asked of the server any more; settles when no result is held. */
  async close(): Promise<void> {
    this.#turns?.close();
    this.own.close();
    this.#calls.close();
    await this.#turns?.idle;
  }

  /** What the flow did; undefined where there is none. */
  get tally(): FlowTally | undefined {
    return this.#flow?.tally;
  }

  #call(key: string, id: string, params: unknown): Taken | Promise<Taken> {
    const tool = textOf(params, "name");
    if (!isObject(params) || tool === undefined) return "forward";
    const given = at(params, "arguments");
    const args = isObject(given) ? given : {};
    if (this.#calls.resume(key, id, params) !== undefined) return "forward";
    const { added, gate } = this.#parts;
    if (tool === added?.name) {
      this.#runAdded(added, { key, id, args, token: at(params, "_meta", "progressToken") });
      return "answered";
    }
    const hasText = this.#spoke;
    this.#spoke = false;
    const forward = (): Taken => {
      const call = this.#calls.send(key, id, tool, args);
      this.#flow?.sent(call.name, tool, args, this.#calls.inTurn);
      // While the call is under way: behind this one the flow may want to look up.
      if (this.#flow?.mayFollow(tool)) this.#ownCalls.list();
      return "forward";
    };
    const verdict = gate?.check({
      tool,
      arguments: args,
      turn: { calls: this.#calls.inTurn + 1, hasText },
    });
    if (verdict === undefined) return forward();
    const isModern = this.#ownCalls.version !== undefined;
    const refuse = (text: string): Taken => {
      this.#answer(resultLine(id, { text, isError: true, isModern }));
      return "answered";
    };
    if (typeof verdict === "string") return refuse(verdict);
    const inside = { isCancelled: false };
    this.#inside.set(key, inside);
    return verdict.then((text) => {
      this.#inside.delete(key);
      if (inside.isCancelled) return "answered";
      return text === undefined ? forward() : refuse(text);
    });
  }

  #described({ method, isFirst }: Asked, message: SeenMessage): Uint8Array | undefined {
    const { added } = this.#parts;
    const result = at(message.value, "result");
    if (result === undefined) return undefined;
    if (method === "tools/list") {
      this.#tools.page(result, { by: "host", isFirst });
      return added && isFirst ? addedToList(message, added) : undefined;
    }
    this.#serverName = textOf(result, "serverInfo", "name") ??
      textOf(result, "_meta", "io.modelcontextprotocol/serverInfo", "name") ?? this.#serverName;
    return added && withInstruction(message, added.instruction);
  }

  #answered(key: string, call: AgentCall, message: SeenMessage): Answered {
    if (asksForInput(message)) {
      this.#calls.pause(key, at(message.value, "result", "requestState"));
      return "pass";
    }
    this.#calls.answer(key);
    const { error, content } = readAnswer(message);
    const { tool, arguments: args } = call;
    this.#parts.gate?.answered({ tool, arguments: args, error, content });
    const site = this.#flow?.answered(call.name, tool, error, content);
    if (site === undefined) return "pass";
    return this.#turns?.take(key, { after: call.id, site }, message) ? "held" : "pass";
  }

  /** Answers the host ourselves. */
  #answer(line: Uint8Array): void {
    this.#ports.log?.proxy(line);
    this.#ports.toHost(line);
  }

  async #runAdded(
    added: AddedTool,
    { key, id, args, token }: {
      readonly key: string;
      readonly id: string;
      readonly args: JsonObject;
      readonly token: unknown;
    },
  ): Promise<void> {
    const inside = { isCancelled: false };
    this.#inside.set(key, inside);
    const isModern = this.#ownCalls.version !== undefined;
    const { text, isError } = await added.run({
      arguments: args,
      isCancelled: () => inside.isCancelled,
      call: (tool, args) => this.#committed(tool, args, token),
    }).catch((error) => ({
      text: `Error: ${added.name} stopped: ${reasonOf(error)}`,
      isError: true,
    }));
    this.#inside.delete(key);
    if (!inside.isCancelled) this.#answer(resultLine(id, { text, isError, isModern }));
  }

  /** Makes a call for a commit: gated as the agent's own, and never given up once it is sent. */
  async #committed(tool: string, args: JsonObject, token: unknown): Promise<AddedAnswer> {
    this.listen();
    const turn = { calls: 1, hasText: false };
    const refused = await this.#parts.gate?.check({ tool, arguments: args, turn });
    if (refused !== undefined) return { error: true, content: refused, isRefused: true };
    const name = `commit-${this.own.nextId()}`;
    this.#flow?.sent(name, tool, args, 0);
    const answer = await this.#ownCalls.call(tool, args, { token });
    if (answer === undefined) {
      this.#flow?.dropped(name);
      return { error: true, content: "Error: the server did not answer", isRefused: false };
    }
    this.#flow?.answered(name, tool, answer.error, answer.content);
    return { ...answer, isRefused: false };
  }
}
