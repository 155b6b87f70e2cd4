/**
 * The flags that limit a flow's lookups, shared by the commands that try a flow on recordings.
 *
 * @module
 */

import { numberFlag } from "../../cli/command.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import type { ReplaySetting } from "../../replay/replay_episode.ts";

/** The limits of a run. */
export const LIMIT_FLAGS: readonly Flag[] = [
  {
    name: "threshold",
    value: "P",
    help: "Instead of the flow's own: least probability times chance.",
  },
  { name: "per-call", value: "N", help: "Most lookups after one call. Default: 8." },
  { name: "per-session", value: "N", help: "Most lookups in a session. Default: 40." },
  {
    name: "surprise",
    value: "off|NATS",
    help:
      "When sessions surprise the flow too much to act in them: never, or above so many nats a " +
      "step. Default: as the flow says.",
  },
];

/** Reads {@linkcode LIMIT_FLAGS}. */
export function limitsOf(values: FlagValues): ReplaySetting["limits"] {
  const threshold = numberFlag(values, "threshold", { min: 0, max: 10 });
  const perCall = numberFlag(values, "per-call", { min: 0, max: 1000, whole: true });
  const perSession = numberFlag(values, "per-session", { min: 0, max: 100_000, whole: true });
  const surprise = values.get("surprise") === "off"
    ? "off"
    : numberFlag(values, "surprise", { min: 0, max: 1000 });
  return {
    ...(threshold === undefined ? {} : { threshold }),
    ...(perCall === undefined ? {} : { perCall }),
    ...(perSession === undefined ? {} : { perSession }),
    ...(surprise === undefined ? {} : { surprise }),
  };
}
