/**
 * What the server says of its tools, and whether a flow may call one on its own.
 *
 * @module
 */

import { contractOf } from "../../trace/contract.ts";
import { at, textAt } from "../../json/json.ts";

/** What a flow knows of its lookups. */
export interface KnownTools {
  /** The input contract a tool had in training; undefined when the flow has none. */
  contracts(tool: string): string | undefined;
  /** Whether the flow reads a tool as a lookup. */
  isLookup(tool: string): boolean;
  /** `--flow-tools`; undefined for all. */
  readonly allowed: ReadonlySet<string> | undefined;
}

/** Why nothing is looked up before the server's list has come. */
export const NOT_LISTED = "the server has not listed its tools";

interface Listed {
  readonly readOnlyHint: unknown;
  readonly contract: string;
}

/** The tools of one session's server, as listed last. */
export class ListedTools {
  readonly #known: KnownTools;
  #tools = new Map<string, Listed>();
  /** Lists that have begun, by who asked. */
  readonly #begun = new Map<"host" | "proxy", Map<string, Listed>>();
  #isListed = false;
  /** The cursors that each list has given. */
  readonly #cursors = new Map<"host" | "proxy", Set<string>>();
  /** Tools that a list has marked as only reading. */
  readonly #marked = new Set<string>();

  /** Starts with nothing listed. */
  constructor(known: KnownTools) {
    this.#known = known;
  }

  /** Whether there is a whole list that still holds. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** The server says that its list has changed. */
  changed(): void {
    this.#isListed = false;
    this.#begun.clear(); // Its pages may be of either list.
  }

  /**
   * Takes a page of the list.
   *
   * @param result The result of `tools/list`.
   * @param asked By whom, and whether without a cursor.
   * @returns The cursor of the next page; undefined when the list is whole: one without a cursor,
   *   or with one that is empty or came before.
   */
  page(
    result: unknown,
    asked: { readonly by: "host" | "proxy"; readonly isFirst: boolean },
  ): string | undefined {
    const begun = asked.isFirst ? new Map<string, Listed>() : this.#begun.get(asked.by);
    if (begun === undefined) return undefined; // The middle of a list whose start was not seen.
    const tools = at(result, "tools");
    for (const tool of Array.isArray(tools) ? tools : []) {
      const name = textAt(tool, "name");
      if (name === undefined) continue;
      if (at(tool, "annotations", "readOnlyHint") === true) this.#marked.add(name);
      begun.set(name, {
        readOnlyHint: at(tool, "annotations", "readOnlyHint"),
        contract: contractOf(at(tool, "inputSchema")),
      });
    }
    const cursor = textAt(result, "nextCursor") ?? "";
    const cursors = asked.isFirst ? new Set<string>() : this.#cursors.get(asked.by) ?? new Set();
    const isLast = cursor === "" || cursors.has(cursor);
    this.#cursors.set(asked.by, cursors.add(cursor));
    if (isLast) {
      this.#tools = begun;
      this.#begun.delete(asked.by);
      this.#isListed = true;
      return undefined;
    }
    this.#begun.set(asked.by, begun);
    return cursor;
  }

  /**
   * Why a flow may not call a tool.
   *
   * @param tool The tool.
   * @returns The reason, in words for the flow log; undefined when it may.
   */
  refusal(tool: string): string | undefined {
    const { allowed } = this.#known;
    if (!this.#known.isLookup(tool)) return "the flow does not read it as a lookup";
    if (allowed !== undefined && !allowed.has(tool)) return "it is not in --flow-tools";
    if (!this.isListed) return NOT_LISTED;
    const listed = this.#tools.get(tool);
    if (listed === undefined) return "the server lists no such tool";
    if (listed.readOnlyHint === false) return "the server marks it as writing";
    if (listed.readOnlyHint !== true && this.#marked.has(tool)) {
      return "the server no longer marks it as only reading";
    }
    const learned = this.#known.contracts(tool);
    if (learned !== undefined && learned !== listed.contract) {
      return `its input contract changed: (${learned}) was learned, (${listed.contract}) is listed`;
    }
    return undefined;
  }
}
