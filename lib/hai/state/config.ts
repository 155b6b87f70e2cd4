/**
 * Settings of hai-mcp, read from environment variables.
 *
 * A value that is not understood never widens a right: it falls back to the
 * stricter default and says so in `warnings`, which `hai_health` shows.
 *
 * @module
 */

import { expandTilde, join } from "./path_text.ts";

/** How the owner is asked. */
type ChannelName = "file" | "ntfy" | "touchid";

/** Settings of one server. */
export interface HaiConfig {
  /** State root as configured; symlinks not yet resolved. */
  readonly home: string;
  /** The owner's folder; outside `home`, checked before it is used. */
  readonly ownerHome: string;
  /** The folder that `~` means. */
  readonly userHome: string;
  /** Gate: one-time approval, or the old self-asserted flag. */
  readonly gate: "nonce" | "ack_legacy";
  /** How the owner is asked. */
  readonly channel: ChannelName;
  /** `strict` also gates opening and completing a mission and crediting learning. */
  readonly policy: "standard" | "strict";
  /** Whether a session's token may be left out by a connection that was not granted the session. */
  readonly sessionTokens: "required" | "optional";
  /** `strict`: one word of a non-goal's subject in a step is enough to meet it. */
  readonly nonGoals: "words" | "strict";
  /** Which tools are listed; the others can still be called. */
  readonly tools: "all" | "core";
  /** How long an approval can be given and used. */
  readonly codeTtlSeconds: number;
  /** Base URL of the ntfy server, no trailing slash. */
  readonly ntfyUrl: string;
  /** Topic to post to; undefined when unset. */
  readonly ntfyTopic: string | undefined;
  /** Bearer token for ntfy; undefined when unset. */
  readonly ntfyToken: string | undefined;
  /** Token for the button that denies, which lies in the message; undefined when unset. */
  readonly ntfyDenyToken: string | undefined;
  /** How long the sensor prompt waits. */
  readonly touchIdTimeoutSeconds: number;
  /** Compiled helper that shows the prompt; undefined when unset. */
  readonly touchIdHelper: string | undefined;
  /** Whether the file channel serves when Touch ID cannot run at all. */
  readonly touchIdFallsBackToFile: boolean;
  /** Folder learning evidence must lie in; undefined when unset. */
  readonly evidenceRoot: string | undefined;
  /** Settings that were not understood. */
  readonly warnings: readonly string[];
}

/** Variables hai-mcp reads, each with its meaning; `--help` and the docs show this. */
export const VARIABLES: Readonly<Record<string, string>> = {
  HAI_HOME: "state root, default ~/.hai",
  HAI_OWNER_HOME: "the owner's folder, default ~/.hai-owner; never inside HAI_HOME",
  HAI_OWNER_GATE: "nonce (default) or ack_legacy",
  HAI_OWNER_CHANNEL: "file (default), ntfy or touchid",
  HAI_OWNER_POLICY: "standard (default) or strict: opening, binding, completing need the owner",
  HAI_SESSION_TOKENS: "required (default) or optional: any caller that names a session may use it",
  HAI_NON_GOALS: "words (default) or strict: one word of a non-goal in a step parks it",
  HAI_TOOLS: "all (default) or core: lists only what plain work needs",
  HAI_OWNER_CODE_TTL: "seconds an approval lasts, default 600, 30 to 604800",
  HAI_OWNER_NTFY_URL: "ntfy server, default https://ntfy.sh",
  HAI_OWNER_NTFY_TOPIC: "topic, required for ntfy",
  HAI_OWNER_NTFY_TOKEN: "bearer token for ntfy",
  HAI_OWNER_NTFY_DENY_TOKEN: "token for the Deny button, which readers of the topic see",
  HAI_OWNER_TOUCHID_TIMEOUT: "seconds to wait for the sensor, default 60, at most 3600",
  HAI_OWNER_TOUCHID_HELPER: "path of the compiled helper",
  HAI_OWNER_TOUCHID_FALLBACK: "file: used only when Touch ID cannot run",
  HAI_LEARNING_EVIDENCE_ROOT: "folder learning evidence must lie in",
  HAI_TRANSPORT: "stdio (default) or streamable-http",
  HAI_HTTP_HOST: "default 127.0.0.1",
  HAI_HTTP_PORT: "default 8765",
  HAI_HTTP_TOKEN: "bearer token every HTTP request must carry",
};

/** Reads variables and collects warnings. */
interface Source {
  readonly read: (name: string) => string | undefined;
  readonly warnings: string[];
}

/**
 * Reads the settings.
 *
 * @param env Looks up a variable.
 * @param userHome The user's home folder.
 * @returns The settings.
 */
export function readHaiConfig(
  env: (name: string) => string | undefined,
  userHome: string,
): HaiConfig {
  const read = (name: string) => env(name)?.trim() || undefined;
  const source: Source = { read, warnings: [] };
  const pathOf = (name: string) => {
    const path = read(name);
    return path === undefined ? undefined : expandTilde(path, userHome);
  };
  const config: HaiConfig = {
    home: pathOf("HAI_HOME") ?? join(userHome, ".hai"),
    ownerHome: pathOf("HAI_OWNER_HOME") ?? join(userHome, ".hai-owner"),
    userHome,
    ...gateSettings(source),
    ...channelSettings(source),
    evidenceRoot: pathOf("HAI_LEARNING_EVIDENCE_ROOT"),
    warnings: source.warnings,
  };
  if (config.gate === "ack_legacy" && config.policy === "strict") {
    source.warnings.push(
      "HAI_OWNER_POLICY=strict has no effect with HAI_OWNER_GATE=ack_legacy: the agent says by " +
        "itself that the owner agrees",
    );
  }
  return config;
}

function gateSettings(source: Source) {
  return {
    gate: choose(source, "HAI_OWNER_GATE", {
      choices: { nonce: "nonce", ack_legacy: "ack_legacy", ack: "ack_legacy" },
      or: "nonce",
    }),
    // A misspelt policy counts as strict: it must not drop a gate.
    policy: choose(source, "HAI_OWNER_POLICY", {
      choices: { standard: "standard", strict: "strict" },
      or: source.read("HAI_OWNER_POLICY") === undefined ? "standard" : "strict",
    }),
    nonGoals: choose(source, "HAI_NON_GOALS", {
      choices: { words: "words", strict: "strict" },
      or: source.read("HAI_NON_GOALS") === undefined ? "words" : "strict",
    }),
    tools: choose(source, "HAI_TOOLS", { choices: { all: "all", core: "core" }, or: "all" }),
    sessionTokens: choose(source, "HAI_SESSION_TOKENS", {
      choices: { required: "required", optional: "optional" },
      or: "required",
    }),
    codeTtlSeconds: seconds(source, "HAI_OWNER_CODE_TTL", {
      or: 600,
      least: 30,
      most: 7 * 86_400,
    }),
  } as const;
}

function channelSettings(source: Source) {
  const { read } = source;
  return {
    channel: choose(source, "HAI_OWNER_CHANNEL", {
      choices: { file: "file", ntfy: "ntfy", touchid: "touchid" },
      or: "file",
    }),
    ntfyUrl: (read("HAI_OWNER_NTFY_URL") ?? "https://ntfy.sh").replace(/\/+$/, ""),
    ntfyTopic: read("HAI_OWNER_NTFY_TOPIC"),
    ntfyToken: read("HAI_OWNER_NTFY_TOKEN"),
    ntfyDenyToken: read("HAI_OWNER_NTFY_DENY_TOKEN"),
    touchIdTimeoutSeconds: seconds(source, "HAI_OWNER_TOUCHID_TIMEOUT", {
      or: 60,
      least: 1,
      most: 3600,
    }),
    touchIdHelper: read("HAI_OWNER_TOUCHID_HELPER"),
    touchIdFallsBackToFile: choose(source, "HAI_OWNER_TOUCHID_FALLBACK", {
      choices: { file: "file", none: "none" },
      or: "none",
    }) === "file",
  } as const;
}

function choose<T extends string>(
  { read, warnings }: Source,
  name: string,
  { choices, or }: { readonly choices: Readonly<Record<string, T>>; readonly or: T },
): T {
  const given = read(name)?.toLowerCase();
  if (given === undefined) return or;
  if (Object.hasOwn(choices, given)) return choices[given] ?? or;
  warnings.push(
    `${name} is set to "${given}", which is none of ${Object.keys(choices).join(", ")}: ` +
      `"${or}" is used`,
  );
  return or;
}

function seconds(
  { read, warnings }: Source,
  name: string,
  bounds: { readonly or: number; readonly least: number; readonly most: number },
): number {
  const given = read(name);
  if (given === undefined) return bounds.or;
  const value = /^-?\d+$/.test(given) ? Number(given) : NaN;
  if (!Number.isSafeInteger(value)) {
    warnings.push(`${name} is set to "${given}", which is no integer: ${bounds.or} is used`);
    return bounds.or;
  }
  const { least, most } = bounds;
  if (value >= least && value <= most) return value;
  const used = value < least ? least : most;
  const side = value < least ? "below" : "above";
  warnings.push(`${name} is set to ${value}, ${side} ${used}: ${used} is used`);
  return used;
}
