/**
 * Asks the server for its tools, unless the host has done so, and says whether the flow may
 * call one.
 *
 * @module
 */

import { at } from "../../json/json.ts";
import type { InterceptorPorts } from "../chain/interceptor.ts";
import { type KnownTools, ListedTools } from "./listed_tools.ts";

/** Pages of a list that are asked for, and how long each may take. */
const MAX_PAGES = 100;
const LIST_MS = 10_000;

/** The tools of one session's server. */
export class ServerTools {
  /** What the server listed last. */
  readonly listed: ListedTools;
  readonly #ask: InterceptorPorts["ask"];
  #listing: Promise<void> | undefined;
  /** Whether the server gave no list when it was asked last. */
  #isListless = false;

  /** Starts with nothing listed; `ask` sends a request to the server. */
  constructor(known: KnownTools, ask: InterceptorPorts["ask"]) {
    this.listed = new ListedTools(known);
    this.#ask = ask;
  }

  /** Why the flow may not call a tool, by the server's own list; undefined if it may. */
  async refusal(tool: string): Promise<string | undefined> {
    const listed = this.list();
    // A server that gave none is asked again, but no result of the agent's waits for that.
    if (!this.#isListless) await listed;
    return this.listed.refusal(tool);
  }

  /** Asks the server for its tools, unless a list is there that holds: its host may never do so. */
  list(): Promise<void> {
    if (this.listed.isListed) return Promise.resolve();
    return this.#listing ??= this.#listPages().catch(() => {
      this.#isListless = true; // A list that cannot be read is none.
    }).finally(() => this.#listing = undefined);
  }

  async #listPages(): Promise<void> {
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const message = await this.#ask(
        "tools/list",
        cursor === undefined ? {} : { cursor },
        LIST_MS,
      );
      const result = at(message?.value, "result");
      this.#isListless = result === undefined;
      if (result === undefined) return;
      cursor = this.listed.page(result, { by: "proxy", isFirst: cursor === undefined });
      // A list that changed meanwhile is asked for from its start.
      if (cursor === undefined && this.listed.isListed) return;
    }
  }
}
