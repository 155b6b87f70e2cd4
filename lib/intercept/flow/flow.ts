/**
 * The interceptor that serves a flow: it lets the flow hear what happens, holds the last
 * result of a turn while the flow looks up, and appends what was found.
 *
 * @module
 */

import { at, textAt } from "../../json/json.ts";
import { CLIENT_KEY } from "../../mcp/era.ts";
import {
  type AnswerCrossing,
  type Closable,
  type Crossing,
  type Hearing,
  type Interceptor,
  type InterceptorFactory,
  type InterceptorPorts,
  type Noting,
  type OwnCall,
  PASS,
  type RequestCrossing,
  type Verdict,
} from "../chain/interceptor.ts";
import type { SeenMessage } from "../chain/seen.ts";
import { withoutOutputSchemas } from "./appendix/append.ts";
import { budgetOf, type ResultBudget } from "./appendix/host_budgets.ts";
import { serverNames } from "./server_names.ts";
import { ServerTools } from "./server_tools.ts";
import { SessionFlow } from "./session_flow.ts";
import type { FlowSetting } from "./setting.ts";
import type { FlowTally } from "./tally.ts";
import { FlowTurns } from "./turns.ts";

/** What a session's flow is given. */
export interface FlowSession {
  /** The session's own id: its task, where none is named. */
  readonly id: string;
  /** Counts what the flow does. */
  readonly tally: FlowTally;
  /** Appends lines to the flow log, parted by newlines and without the last one. */
  readonly log: (line: string) => void;
}

/** Makes the interceptor of one session. */
export function flowInterceptor(setting: FlowSetting, session: FlowSession): InterceptorFactory {
  return (ports) => new FlowInterceptor(setting, session, ports);
}

/** Serves a flow in one session. */
class FlowInterceptor implements Interceptor, Hearing, Noting, Closable {
  readonly name = "flow";
  readonly #turn: InterceptorPorts["turn"];
  readonly #flow: SessionFlow;
  readonly #turns: FlowTurns;
  readonly #tools: ServerTools;
  readonly #lookups = new Set<OwnCall>();
  readonly #setting: FlowSetting;
  readonly #monotonicMs: () => number;
  /** When each of the agent's calls that wait went to the server. */
  readonly #sentMs = new Map<string, number>();
  #serverName: string | undefined;
  #budget: ResultBudget;

  constructor(setting: FlowSetting, session: FlowSession, ports: InterceptorPorts) {
    const { flow, serverName } = setting;
    const names = () =>
      serverNames(Object.keys(flow.manifest.tools), serverName ?? this.#serverName);
    this.#setting = setting;
    this.#turn = ports.turn;
    this.#monotonicMs = ports.monotonicMs;
    this.#budget = this.#budgetFor(undefined);
    this.#tools = new ServerTools({
      contracts: (tool) => flow.contracts?.[names().toFlow(tool)],
      isLookup: (tool) => flow.reads.includes(names().toFlow(tool)),
      allowed: setting.tools,
    }, ports.ask);
    this.#flow = new SessionFlow(setting, session, names, {
      ...ports,
      refusal: (tool) => this.#tools.refusal(tool),
      lookUp: async (tool, args, ms) => {
        const call = ports.call(tool, args, { ms, isLookup: true });
        this.#lookups.add(call);
        const reply = await call.reply;
        this.#lookups.delete(call);
        return reply;
      },
    });
    this.#turns = new FlowTurns(this.#flow, {
      waiting: () => ports.turn.inTurn,
      budget: () => this.#budget,
      cancelLookups: () => this.#lookups.forEach((lookup) => lookup.cancel()),
      monotonicMs: ports.monotonicMs,
      say: ports.say,
    });
    ports.turn.onBroken(() => this.#turns.dropQueue());
  }

  onMessage(crossing: Crossing): Verdict | Promise<Verdict> {
    switch (crossing.kind) {
      case "request": {
        const { params } = crossing.message.value;
        const client = textAt(params, "clientInfo", "name") ??
          textAt(params, "_meta", CLIENT_KEY, "name");
        if (client !== undefined) this.#budget = this.#budgetFor(client);
        return PASS; // What comes of it is known once it is sent.
      }
      case "answer":
        return this.#answered(crossing);
      case "cancel":
        if (crossing.call !== undefined) {
          this.#flow.dropped(crossing.call.name);
          this.#sentMs.delete(crossing.call.name);
        }
        this.#turns.cancel(crossing.key);
        return PASS;
      case "note": {
        const { from, message: { method } } = crossing;
        const isChange = from === "server" && method === "notifications/tools/list_changed";
        if (isChange) this.#tools.listed.changed();
        return PASS;
      }
    }
  }

  onSent({ call }: RequestCrossing): void {
    if (call === undefined || call.isResumed) return;
    const isAgents = call.by === "agent";
    if (isAgents) this.#sentMs.set(call.name, this.#monotonicMs());
    this.#flow.sent(call, isAgents ? this.#turn.inTurn : 0);
    // While the call is under way: after it the flow may want to look up.
    if (isAgents && this.#flow.mayFollow(call.tool)) this.#tools.list();
  }

  heard(role: "user" | "assistant", text: string): void {
    this.#flow.heard(role, text);
  }

  close(): void {
    this.#turns.close();
  }

  #answered(crossing: AnswerCrossing): Verdict | Promise<Verdict> {
    const { message, method, isFirstPage, call, answer } = crossing;
    if (call === undefined) {
      const result = at(message.value, "result");
      if (result === undefined) return PASS;
      if (method === "tools/list") {
        this.#tools.listed.page(result, { by: "host", isFirst: isFirstPage });
        return this.#listed(message);
      }
      if (method === "initialize" || method === "server/discover") {
        this.#serverName = textAt(result, "serverInfo", "name") ??
          textAt(result, "_meta", "io.modelcontextprotocol/serverInfo", "name") ?? this.#serverName;
      }
      return PASS;
    }
    if (answer === undefined) return PASS;
    const site = this.#flow.answered(call, answer);
    if (call.by !== "agent") return PASS;
    const sentMs = this.#sentMs.get(call.name) ?? this.#monotonicMs();
    this.#sentMs.delete(call.name);
    return this.#turns.take(message.key, { after: call.id, site }, message, sentMs);
  }

  /** Hosts show the model what is appended only where no schema asks for structured content. */
  #listed(message: SeenMessage): Verdict {
    if (this.#setting.isShadow) return PASS;
    const line = withoutOutputSchemas(message, (tool) => this.#flow.mayFollow(tool));
    return line === undefined ? PASS : { kind: "replace", line };
  }

  #budgetFor(client: string | undefined): ResultBudget {
    const { budget } = this.#setting;
    return budget === undefined ? budgetOf(client) : { limit: budget, unit: "characters" };
  }
}
