/**
 * Formats the report of `hoist diff`, as Markdown and as JSON.
 *
 * @module
 */

import { printable } from "../text/printable.ts";
import { EFFECTS, type ToolChange } from "./catalog_diff.ts";

/** The facts above the list of changes. */
export interface DiffTitle {
  readonly before: string;
  readonly after: string;
  /** The number of tools in each list. */
  readonly tools: readonly [before: number, after: number];
  /** The recorded sessions and calls that ranked the changes. */
  readonly sessions: number;
  readonly calls: number;
}

/** The changes with an effect other than `harmless`. */
export function breaking(changes: readonly ToolChange[]): ToolChange[] {
  return changes.filter(({ effect }) => effect !== "harmless");
}

/**
 * Formats the report as Markdown.
 *
 * @param changes The changes, ranked.
 * @param title The facts above them.
 * @returns The text, without a final newline.
 */
export function catalogDiffMarkdown(changes: readonly ToolChange[], title: DiffTitle): string {
  const { before, after, tools, sessions, calls } = title;
  const use = sessions === 0
    ? "No recorded session ranks them: give --sessions, or a session log as OLD."
    : `Ranked by ${calls} calls in ${sessions} recorded sessions.`;
  const lines = [
    `# Tools of ${before} and of ${after}`,
    "",
    `${tools[0]} tools before, ${tools[1]} after. ${changes.length} changes, ` +
    `${breaking(changes).length} of them not harmless. ${use}`,
  ];
  if (changes.length === 0) return lines.join("\n");
  return [
    ...lines,
    "",
    "| effect | tool | part | change | calls | of them broken |",
    "|---|---|---|---|---|---|",
    ...changes.map(row),
  ].join("\n");
}

function row({ effect, tool, part, what, calls, broken, flows }: ToolChange): string {
  const named = flows.length === 0 ? "" : ` (${flows.join(", ")})`;
  const cells = [`${EFFECTS[effect]}${named}`, `\`${tool}\``, part, what, calls, broken];
  return `| ${cells.map((cell) => printable(String(cell)).replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Formats the report as a JSON value. */
export function catalogDiffJson(changes: readonly ToolChange[], title: DiffTitle): unknown {
  return {
    hoist_diff_report: 1,
    before: { name: title.before, tools: title.tools[0] },
    after: { name: title.after, tools: title.tools[1] },
    sessions: title.sessions,
    calls: title.calls,
    changes: changes.map(({ effect, tool, part, what, calls, broken, flows }) => ({
      effect,
      tool,
      part,
      what,
      calls,
      broken_calls: broken,
      flows,
    })),
  };
}
