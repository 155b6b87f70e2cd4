/**
 * How much of a tool result each host hands to the model, and what of an appendix fits.
 *
 * Past its limit a host gives the model a few hundred characters and a file name, so that an
 * appendix that is too long costs the agent its own result. The limits were measured with the
 * hosts themselves (`deno task hosts`); a little is left for what a host writes around a result.
 *
 * @module
 */

import { type AppendedLookup, appendixText, type OwnText } from "./append.ts";

/** How much fits into one result. */
export interface ResultBudget {
  readonly limit: number;
  /** Whether the host counts characters (UTF-16 units) or bytes of UTF-8. */
  readonly unit: "characters" | "bytes";
}

/** A host that was measured. */
export interface HostBudget extends ResultBudget {
  /** The name in its `clientInfo`. */
  readonly client: string;
  /** The version that was measured. */
  readonly version: string;
  /** The length from which on it cuts, in its unit. */
  readonly cutAt: number;
}

/** The hosts that were measured. */
export const HOST_BUDGETS: readonly HostBudget[] = [
  {
    client: "claude-code",
    version: "2.1.197",
    cutAt: 50_000,
    limit: 48_000,
    unit: "characters",
  },
  {
    // For a model it does not know; a known one may have more.
    client: "codex-mcp-client",
    version: "0.171.0",
    cutAt: 12_000,
    limit: 10_000,
    unit: "characters",
  },
  {
    client: "gemini-cli-mcp-client",
    version: "0.61.0",
    cutAt: 40_000,
    limit: 38_000,
    unit: "characters",
  },
  { client: "opencode", version: "1.18.33", cutAt: 51_200, limit: 48_000, unit: "bytes" },
  { client: "copilot-cli", version: "1.0.102", cutAt: 20_480, limit: 18_000, unit: "bytes" },
];

/** What an unknown host is given: as much as the strictest of those that were measured. */
export const UNKNOWN_HOST: ResultBudget = { limit: 10_000, unit: "characters" };

/** The budget of a host by the name in its `clientInfo`; other versions are taken to be alike. */
export function budgetOf(client: string | undefined): ResultBudget {
  return HOST_BUDGETS.find((host) => host.client === client) ?? UNKNOWN_HOST;
}

/** A lookup with how likely the agent was to make it. */
export interface LikelyLookup extends AppendedLookup {
  readonly chance: number;
}

/** What of a run's lookups is appended, and what is left out. */
export interface Fitted {
  readonly shown: readonly LikelyLookup[];
  readonly leftOut: readonly LikelyLookup[];
}

const encoder = new TextEncoder();

/**
 * Chooses the lookups that fit behind a result.
 *
 * @param found The lookups, in order.
 * @param own What the result holds itself.
 * @param budget How much fits.
 * @returns The lookups to append, in order, and those left out: the least likely first, until the
 *   rest fits.
 */
export function fitted(
  found: readonly LikelyLookup[],
  own: OwnText,
  { limit, unit }: ResultBudget,
): Fitted {
  const length = (text: string) => unit === "bytes" ? encoder.encode(text).length : text.length;
  const used = [...own.texts, own.structured ?? ""].reduce((sum, text) => sum + length(text), 0);
  const shown = new Set(found);
  const unlikely = found.toSorted((a, b) => a.chance - b.chance);
  const isFitting = () => {
    const leftOut = found.filter((lookup) => !shown.has(lookup));
    return used + length(appendixText([...shown], leftOut)) <= limit;
  };
  for (const lookup of unlikely) {
    if (isFitting()) break;
    shown.delete(lookup);
  }
  return { shown: [...shown], leftOut: found.filter((lookup) => !shown.has(lookup)) };
}
