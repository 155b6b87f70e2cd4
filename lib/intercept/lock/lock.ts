/**
 * Holds a server to its lock: compares every list with it, tells the user once of each
 * difference, and keeps what differs from the host.
 *
 * It stands nearest to the server, so it sees the server's own lists before anything is added
 * to them, and every call: the agent's, a flow's lookup, one of a commit. A tool is called only
 * after the whole list was compared. What cannot be read in one way only is not let through.
 *
 * @module
 */

import { at, isObject, jsonText, textAt } from "../../json/json.ts";
import { editJson } from "../../json/edit_json.ts";
import { valuesOf } from "../../json/json_spans.ts";
import { entryId, LIST_KINDS, type ListKind } from "../../tool_lock/locked_lists.ts";
import type { ToolsLock } from "../../tool_lock/tools_lock.ts";
import { editedList, erredLine, readingFault } from "../chain/edit_list.ts";
import {
  type AnswerCrossing,
  type Crossing,
  type Interceptor,
  type InterceptorPorts,
  PASS,
  refuseCall,
  type RequestCrossing,
  type Verdict,
} from "../chain/interceptor.ts";
import type { SeenMessage } from "../chain/seen.ts";
import { LockJudge } from "./judge.ts";
import { Listing, nextCursor } from "./listing.ts";
import type { OnChange } from "./options.ts";

/** What a session's lock works with. */
export interface LockParts {
  readonly lock: ToolsLock;
  /** The lock's file, for messages. */
  readonly path: string;
  readonly onChange: OnChange;
  /** Tells the user, each line once. */
  readonly say: (line: string) => void;
  readonly ports: Pick<InterceptorPorts, "ask">;
}

/** Requests that use an entry of a list, and the member that names it. */
const USES: Readonly<Record<string, readonly [list: string, member: string]>> = {
  "tools/call": ["tools", "name"],
  "prompts/get": ["prompts", "name"],
  "resources/read": ["resources", "uri"],
  "resources/subscribe": ["resources", "uri"],
};

/** The methods that a lock acts on. */
export const LOCKED_METHODS: readonly string[] = [
  ...Object.keys(USES),
  ...LIST_KINDS.map(({ method }) => method),
];

/** Members of a result that a host takes for a list or for instructions, in any spelling. */
const LISTED = /^(?:tools|prompts|resources|resourcetemplates|instructions)$/i;

/** Holds the server of one session to its lock. */
export class LockInterceptor implements Interceptor {
  readonly name = "lock";
  readonly mayRefuse: boolean;
  readonly isStrict: boolean;
  readonly #parts: LockParts;
  readonly #judge: LockJudge;
  readonly #listings: ReadonlyMap<ListKind, Listing>;
  /** Whether a change that the server tells of is looked at before something is called. */
  #mayLook = true;

  /** Starts with nothing compared. */
  constructor(parts: LockParts) {
    this.#parts = parts;
    this.#judge = new LockJudge(parts.lock);
    this.mayRefuse = parts.onChange !== "warn";
    this.isStrict = this.mayRefuse;
    const ports = {
      ask: parts.ports.ask,
      page: (kind: ListKind, message: SeenMessage) => this.#page(kind, message),
      whole: (kind: ListKind, ids: ReadonlySet<string>) => {
        if (kind.key === "tools") this.#tell(this.#judge.whole(ids));
      },
    };
    this.#listings = new Map(
      LIST_KINDS.filter((kind) => this.#judge.isLocked(kind))
        .map((kind) => [kind, new Listing(kind, ports)]),
    );
  }

  onMessage(crossing: Crossing): Verdict | Promise<Verdict> {
    if (crossing.kind === "request") return this.#request(crossing);
    if (crossing.kind === "answer") return this.#answer(crossing);
    if (crossing.kind === "note" && crossing.from === "server") this.#note(crossing.message);
    return PASS;
  }

  #request({ message }: RequestCrossing): Verdict | Promise<Verdict> {
    this.#mayLook = true;
    const [key, member] = USES[message.method ?? ""] ?? [];
    const kind = LIST_KINDS.find((kind) => kind.key === key);
    const listing = kind && this.#listings.get(kind);
    if (kind === undefined || listing === undefined || member === undefined) return PASS;
    if (!this.mayRefuse) {
      void listing.list();
      return PASS;
    }
    const name = textAt(message.value, "params", member);
    if (name === undefined) return refuseCall(`Refused: the request names no ${kind.word}.`);
    const refusal = this.#judge.refusal(kind, name);
    if (refusal !== undefined) return this.#refuse(kind, name, refusal);
    // A resource is data: only what the list shows of it is locked.
    if (listing.isWhole || kind.key === "resources") return PASS;
    return listing.list().then(() => {
      if (!listing.isWhole) {
        const list = kind.key === "tools" ? "tools" : "prompts";
        return this.#refuse(kind, name, `the server's list of ${list} could not be compared`);
      }
      const refusal = this.#judge.refusal(kind, name);
      return refusal === undefined ? PASS : this.#refuse(kind, name, refusal);
    });
  }

  #refuse({ word }: ListKind, name: string, why: string): Verdict {
    return refuseCall(
      `Refused: the ${word} ${
        jsonText(name)
      } does not fit ${this.#parts.path} (${why}), so nothing ` +
        "was run. The user can review the change with 'hoist lock --review'.",
    );
  }

  #answer(crossing: AnswerCrossing): Verdict {
    const { message, method } = crossing;
    const kind = LIST_KINDS.find((kind) => kind.method === method);
    const isOpening = method === "initialize" || method === "server/discover";
    // Hosts may read ids more loosely than we do, and take it for the answer to another request.
    const isStray = method === undefined && hasLists(message.value);
    if (kind === undefined && !isOpening && !isStray) return PASS;
    if (kind !== undefined && !this.#listings.has(kind)) return PASS;
    const { result, error } = message.value;
    if (result === undefined && error !== undefined && !hasLists(message.value)) return PASS;
    try {
      const fault = isStray ? "it answers no known request" : readingFault(message);
      if (fault !== undefined) return this.#err(message, fault);
      return kind === undefined ? this.#opening(message) : this.#list(kind, crossing);
    } catch {
      return this.#err(message, "it holds no list");
    }
  }

  /** Something else takes the place of an answer that hosts may read in another way. */
  #err(message: SeenMessage, fault: string): Verdict {
    this.#parts.say(`lock: an answer of the server cannot be compared: ${fault}`);
    if (!this.mayRefuse) return PASS;
    const why =
      `Refused: the server's answer cannot be compared with ${this.#parts.path}: ${fault}`;
    return { kind: "replace", line: erredLine(message, why) };
  }

  #list(kind: ListKind, { message, isFirstPage }: AnswerCrossing): Verdict {
    const ids = this.#page(kind, message);
    const entries = at(message.value, "result", kind.member);
    if (ids === undefined || !Array.isArray(entries)) return this.#err(message, "it holds no list");
    this.#listings.get(kind)?.hostPage(ids, {
      isFirst: isFirstPage,
      isLast: nextCursor(message) === undefined,
    });
    if (!this.mayRefuse) return PASS;
    const isHidden = this.#parts.onChange === "hide";
    const line = editedList(
      message,
      kind.member,
      (index) => this.#judge.edit(kind, entries[index], isHidden),
    );
    return line === undefined ? PASS : { kind: "replace", line };
  }

  /** Judges a page and tells of it; the ids of its entries, or undefined when it cannot be read. */
  #page(kind: ListKind, message: SeenMessage): readonly string[] | undefined {
    const entries = at(message.value, "result", kind.member);
    if (!Array.isArray(entries) || readingFault(message) !== undefined) return undefined;
    this.#tell(this.#judge.page(kind, entries));
    return entries.map((entry: unknown) => entryId(kind, entry) ?? "");
  }

  /** Compares the instructions in the answer that opens a session. */
  #opening(message: SeenMessage): Verdict {
    const { lock, onChange } = this.#parts;
    const { bytes, result } = message;
    if (lock.instructions === undefined || result === undefined) return PASS;
    const [span, ...others] = valuesOf(bytes, result, "instructions");
    const given = at(message.value, "result", "instructions") ?? "";
    if (others.length === 0 && given === lock.instructions) return PASS;
    this.#tell(["instructions: changed"]);
    if (onChange === "warn" || span === undefined) return PASS;
    const text = JSON.stringify(onChange === "hide" ? "" : lock.instructions);
    return { kind: "replace", line: editJson(bytes, [{ span, text }]) };
  }

  #note({ method }: SeenMessage): void {
    const capability = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(
      method ?? "",
    )?.[1];
    if (capability === undefined) return;
    for (const [kind, listing] of this.#listings) {
      if (kind.capability !== capability) continue;
      listing.changed();
      // A server may say so after every list: it is looked at once between two requests.
      if (kind.key === capability && this.#mayLook) void listing.list();
    }
    this.#mayLook = false;
  }

  #tell(differences: readonly string[]): void {
    if (differences.length === 0) return;
    const { path, onChange, say } = this.#parts;
    const becomes = { warn: "it is used all the same", hide: "it is hidden and refused" };
    const outcome = onChange === "refuse" ? "its use is refused" : becomes[onChange];
    for (const line of differences) {
      say(`lock: the server is not as in ${path}: ${line}; ${outcome}`);
    }
  }
}

/** Whether a host that does not mind upper and lower case would find a list in an answer. */
function hasLists(message: unknown): boolean {
  return isObject(message) &&
    Object.entries(message).some(([key, result]) =>
      /^result$/i.test(key) && isObject(result) &&
      Object.keys(result).some((member) => LISTED.test(member))
    );
}
