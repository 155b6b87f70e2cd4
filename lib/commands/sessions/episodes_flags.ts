/**
 * The command line of `hoist episodes`.
 *
 * @module
 */

import { SAME_TURN_MS } from "../../trace/turns.ts";
import { type FlagTable, parseFlags, refuse } from "../../flags/flags.ts";
import { VERSION } from "../../flags/version.ts";

/** The table of `hoist episodes`. */
export const EPISODES_FLAGS: FlagTable = {
  program: "hoist episodes",
  summary: "Lists the sessions of a folder, or prints one session as a timeline.",
  examples: ["hoist episodes ~/.hoist/logs/orders"],
  usage: ["[OPTIONS] DIR", "[OPTIONS] FILE"],
  flags: [
    { name: "json", help: "Print one JSON document: every session as an episode, with a summary." },
    {
      name: "same-turn-ms",
      value: "N",
      help: "How long after a turn's last answer a call may still belong to the turn. Default: " +
        `${SAME_TURN_MS}. Raise it for hosts slow to stream calls, lower it for scripts.`,
    },
    {
      name: "color",
      value: "WHEN",
      help: "auto, always or never. auto: on a terminal, unless NO_COLOR is set. Default: auto.",
    },
  ],
  positionals: ["DIR|FILE"],
  notes: [
    "DIR is what hoist-mcp --record was given. Its *.jsonl files are sessions, except\n" +
    "*.flow.jsonl and *.confirm.jsonl; subfolders are not read.",
    "Exit status: 0 done; 1 something could not be read (what could be is still printed);\n" +
    "2 wrong usage. A log cut in its last line, as a crash leaves it, is read with a warning.",
  ],
};

/** When to colour. */
export type ColorChoice = "auto" | "always" | "never";

/** What `hoist episodes` is to do. */
export interface EpisodesRequest {
  readonly kind: "episodes";
  /** Folder or file, as given. */
  readonly path: string;
  readonly isJson: boolean;
  readonly sameTurnMs: number;
  readonly color: ColorChoice;
}

/** A request, a text for stdout, or a refusal. */
export type EpisodesArgs =
  | EpisodesRequest
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refused"; readonly message: string };

/**
 * Reads the command line of `hoist episodes`.
 *
 * @param args The arguments after the subcommand.
 * @returns What to do.
 */
export function parseEpisodesFlags(args: readonly string[]): EpisodesArgs {
  const parsed = parseFlags(EPISODES_FLAGS, args, VERSION);
  if (parsed.kind !== "values") return parsed;
  const { values } = parsed;
  const path = values.positionals[0];
  if (path === undefined || path === "") {
    return refuse(EPISODES_FLAGS, "Missing argument: a folder of sessions, or a session's file");
  }
  const ms = values.get("same-turn-ms") ?? String(SAME_TURN_MS);
  if (!/^\d{1,9}$/.test(ms)) {
    return refuse(EPISODES_FLAGS, `--same-turn-ms needs whole milliseconds, not "${ms}"`);
  }
  const color = values.get("color") ?? "auto";
  if (color !== "auto" && color !== "always" && color !== "never") {
    return refuse(EPISODES_FLAGS, `--color needs auto, always or never, not "${color}"`);
  }
  return { kind: "episodes", path, isJson: values.has("json"), sameTurnMs: Number(ms), color };
}
