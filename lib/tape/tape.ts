/**
 * A tape: what a server said in recorded sessions, found again by what the host asked.
 *
 * A request and everything that the server sent because of it make one exchange. Only places in
 * the logs are kept, so a tape is small however long its answers are.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import { at, isObject, textAt } from "../json/json.ts";
import type { LogLine } from "../log/log.ts";
import type { LinePlace } from "../log/parse_log.ts";
import { isModernVersion, VERSION_KEY } from "../mcp/era.ts";

/** A message of a log. */
export interface TapePlace extends LinePlace {
  /** The log's number on the tape. */
  readonly file: number;
  /** Its index in a batch; 0 for a message alone. */
  readonly index: number;
  readonly tMs: number;
}

/** A message that the server sent in an exchange. */
export interface TapeMoment extends TapePlace {
  readonly kind: "answer" | "progress" | "other";
  /** The id of a request of the server that the host answered before the server went on. */
  ask?: string;
}

/** A request or notification of the host, and what the server sent because of it. */
export interface Exchange {
  readonly method: string;
  readonly tool: string | undefined;
  readonly request: TapePlace;
  /** The progress token of the request, as JSON. */
  readonly token: string | undefined;
  moments: TapeMoment[];
  isCancelled: boolean;
}

/** Requests that open or probe a session: their params tell who asks, not what. */
const BY_METHOD = new Set(["initialize", "server/discover", "ping", "logging/setLevel"]);
const PROGRESS = "notifications/progress";

/** The params of a request without what may differ from time to time. */
export type MaskRequest = (name: string, params: unknown) => unknown;

/** Recorded sessions, by what was asked. */
export class Tape {
  readonly #mask: MaskRequest;
  readonly exchanges: Exchange[] = [];
  /** Revisions that modern requests named. */
  readonly modernVersions = new Set<string>();
  readonly #byKey = new Map<string, Exchange[]>();
  /** Tools that were listed as only reading. */
  readonly #reads = new Set<string>();
  /** Requests without an answer by id, the oldest first: hosts have sent one id twice. */
  #open = new Map<string, Exchange[]>();
  #closed = new Map<string, Exchange>();
  /** Requests that a proxy answered: what the server says later, the host did not get. */
  readonly #taken = new Set<Exchange>();
  #asks = new Map<string, TapeMoment>();
  #last: Exchange | undefined;

  /** Begins without a log; `mask` leaves out of params what may differ. */
  constructor(mask: MaskRequest = (_name, params) => params) {
    this.#mask = mask;
  }

  /** A log begins: ids are its own. */
  begin(): void {
    this.#open = new Map();
    this.#closed = new Map();
    this.#asks = new Map();
    this.#last = undefined;
  }

  /** Takes the next line of the log. */
  take(line: LogLine, place: Omit<TapePlace, "index" | "tMs">): void {
    const { from } = line;
    if (from === "context") return;
    if (line.kind === "raw" && line.line_bytes !== undefined) return; // Not recorded whole.
    const value = line.kind === "raw" ? markedJson(line.raw) : line.message;
    const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, message] of messages.entries()) {
      const here = { ...place, index, tMs: line.t_ms };
      if (from === "client") this.#fromHost(message, here);
      else this.#toHost(message, here, from);
    }
  }

  /** The recorded exchanges of a request, in their order. */
  find(request: unknown): readonly Exchange[] {
    return this.#byKey.get(this.#keyOf(request)) ?? [];
  }

  /** Whether an exchange may have changed something: a call of a tool that is not known to read. */
  isWrite({ method, tool }: Exchange): boolean {
    return method === "tools/call" && !this.#reads.has(tool ?? "");
  }

  /** What requests have in common that ask the same; `_meta` and ids aside. */
  #keyOf(message: unknown): string {
    const method = textAt(message, "method") ?? "";
    if (BY_METHOD.has(method)) return method;
    const name = method === "tools/call" ? textAt(message, "params", "name") : undefined;
    return `${method} ${canonicalJson(this.#mask(name ?? method, askedOf(message)))}`;
  }

  #fromHost(message: unknown, place: TapePlace): void {
    const method = textAt(message, "method");
    const id = at(message, "id");
    if (method === undefined) {
      const asked = this.#asks.get(JSON.stringify(id));
      if (asked !== undefined) asked.ask = JSON.stringify(id);
      return;
    }
    if (method === "notifications/cancelled") {
      const open = this.#open.get(JSON.stringify(at(message, "params", "requestId")));
      for (const exchange of open ?? []) exchange.isCancelled = true;
    }
    const version = textAt(message, "params", "_meta", VERSION_KEY);
    if (version !== undefined && isModernVersion(version)) this.modernVersions.add(version);
    const token = at(message, "params", "_meta", "progressToken");
    const exchange: Exchange = {
      method,
      tool: method === "tools/call" ? textAt(message, "params", "name") : undefined,
      request: place,
      token: token === undefined ? undefined : JSON.stringify(token),
      moments: [],
      isCancelled: false,
    };
    this.exchanges.push(exchange);
    const key = this.#keyOf(message);
    const same = this.#byKey.get(key);
    if (same === undefined) this.#byKey.set(key, [exchange]);
    else same.push(exchange);
    this.#last = exchange;
    if (id === undefined) return;
    const written = JSON.stringify(id);
    this.#open.set(written, [...this.#open.get(written) ?? [], exchange]);
  }

  #toHost(message: unknown, place: TapePlace, from: "server" | "proxy"): void {
    const method = textAt(message, "method");
    const id = JSON.stringify(at(message, "id"));
    if (method === undefined) return this.#answer(message, id, { place, from });
    if (from === "proxy") return; // The proxy's own requests went to the server.
    const token = JSON.stringify(at(message, "params", "progressToken"));
    const isProgress = method === PROGRESS;
    const open = [...this.#open.values()].flat();
    const owner = isProgress
      ? open.find((exchange) => exchange.token === token)
      : open.at(-1) ?? this.#last;
    if (owner === undefined) return;
    const moment: TapeMoment = { ...place, kind: isProgress ? "progress" : "other" };
    owner.moments.push(moment);
    if (id !== undefined) this.#asks.set(id, moment);
  }

  /** An answer of the proxy takes the place of the server's: it is what the host got. */
  #answer(
    message: unknown,
    id: string,
    { place, from }: { readonly place: TapePlace; readonly from: "server" | "proxy" },
  ): void {
    const [exchange = this.#closed.get(id), ...later] = this.#open.get(id) ?? [];
    if (exchange === undefined) {
      // Junk is served with what came before it. An answer to nobody is not: its id may be another's.
      if ((at(message, "id") ?? null) === null) {
        this.#last?.moments.push({ ...place, kind: "other" });
      }
      return;
    }
    if (from === "server" && this.#taken.has(exchange)) return;
    if (from === "proxy") {
      this.#taken.add(exchange);
      exchange.moments = exchange.moments.filter(({ kind }) => kind !== "answer");
    }
    exchange.moments.push({ ...place, kind: "answer" });
    if (later.length === 0) this.#open.delete(id);
    else this.#open.set(id, later);
    this.#closed.set(id, exchange);
    if (exchange.method !== "tools/list") return;
    const tools = at(message, "result", "tools");
    for (const tool of Array.isArray(tools) ? tools : []) {
      const name = textAt(tool, "name");
      if (name === undefined) continue;
      if (at(tool, "annotations", "readOnlyHint") === true) this.#reads.add(name);
      else this.#reads.delete(name);
    }
  }
}

/** The value of a line that is JSON but for a byte order mark before it. */
function markedJson(raw: string): unknown {
  try {
    const value: unknown = JSON.parse(raw.replace(/^\uFEFF/, ""));
    return Array.isArray(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The params of a request without what belongs to this one time. */
export function askedOf(message: unknown): unknown {
  const params = at(message, "params");
  if (!isObject(params)) return params ?? {};
  const { _meta, ...asked } = params;
  return asked;
}
