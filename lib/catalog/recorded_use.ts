/**
 * Counts how recorded sessions used their tools.
 *
 * @module
 */

import { canonicalJson } from "../json/canonical_json.ts";
import type { JsonObject } from "../json/json.ts";
import { COMMIT_TOOL } from "../trace/calls.ts";
import type { Trace } from "../trace/trace.ts";

/** The use of one tool. */
export interface ToolUse {
  /** Calls of the agent, of commits and of flows. */
  calls: number;
  readonly sessions: Set<string>;
  /** Calls by top-level field. */
  readonly fields: Map<string, number>;
  /** Distinct arguments, by their canonical JSON, with the number of calls. */
  readonly arguments: Map<string, { readonly value: JsonObject; calls: number }>;
}

/** The most distinct arguments kept per tool. Past it, further ones are only counted. */
const MAX_ARGUMENTS = 10_000;

/** The use of the tools of many sessions. */
export class RecordedUse {
  readonly tools = new Map<string, ToolUse>();
  sessions = 0;
  calls = 0;

  /**
   * Adds a session.
   *
   * @param trace The session.
   * @param id Its id.
   */
  add(trace: Trace, id: string): void {
    this.sessions++;
    for (const step of trace.steps.values()) {
      if (step.kind !== "sent" || step.call.name === COMMIT_TOOL) continue;
      const { name, arguments: args } = step.call;
      const use = this.tools.get(name) ?? noUse();
      this.tools.set(name, use);
      this.calls++;
      use.calls++;
      use.sessions.add(id);
      for (const field of Object.keys(args)) {
        use.fields.set(field, (use.fields.get(field) ?? 0) + 1);
      }
      const text = canonicalJson(args);
      const known = use.arguments.get(text);
      if (known !== undefined) known.calls++;
      else if (use.arguments.size < MAX_ARGUMENTS) {
        use.arguments.set(text, { value: args, calls: 1 });
      }
    }
  }
}

function noUse(): ToolUse {
  return { calls: 0, sessions: new Set(), fields: new Map(), arguments: new Map() };
}
