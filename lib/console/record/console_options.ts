/**
 * What the console was asked to do, and the permissions that takes.
 *
 * @module
 */

import type { HaiConfig } from "../../hai/state/config.ts";

/** The options of `hoist console`. */
export interface ConsoleOptions {
  /** Folders of logs. */
  readonly dirs: readonly string[];
  /** Folder of the index. */
  readonly index: string;
  readonly listen: ConsoleAddress;
  /** Whether a browser is opened. */
  readonly opens: boolean;
  /** `--answer`; undefined where the console only reads. */
  readonly answers: AnswerOptions | undefined;
  /** `--export`: the folder that pages are written to; undefined for a server. */
  readonly exportTo: string | undefined;
}

/** Where what waits for the owner lies. */
export interface AnswerOptions {
  /** Folder of calls that proxies hold. */
  readonly approveDir: string;
  /** Settings of the control plane; undefined where there is none. */
  readonly hai: HaiConfig | undefined;
}

/** Where the console listens. */
export interface ConsoleAddress {
  readonly hostname: string;
  /** 0 for any that is free. */
  readonly port: number;
}

/** Permissions by kind. */
export interface ConsoleNeeds {
  readonly run: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly net: readonly string[];
  readonly env: readonly string[];
}

/** Variables that are read at the start. */
export const CONSOLE_VARIABLES = [
  "HOIST_DEBUG",
  "HOME",
  "USERPROFILE",
  "DISPLAY",
  "WAYLAND_DISPLAY",
] as const;

/** Variables of the control plane, which `--answer` reads. */
const HAI_VARIABLES = [
  "HAI_HOME",
  "HAI_OWNER_HOME",
  "HAI_OWNER_GATE",
  "HAI_OWNER_POLICY",
  "HAI_OWNER_CODE_TTL",
] as const;

/**
 * Reads `--listen`.
 *
 * @param text Its value.
 * @returns The address, or why it is refused.
 */
export function consoleAddress(text: string): ConsoleAddress | string {
  const [, ipv6, plain, digits] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const hostname = ipv6 ?? plain;
  const port = Number(digits);
  if (hostname === undefined || !(port <= 65_535)) {
    return `--listen takes HOST:PORT, such as 127.0.0.1:7878, not "${text}"`;
  }
  const isLoopback = hostname.toLowerCase() === "localhost" || hostname === "::1" ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname);
  return isLoopback
    ? { hostname, port }
    : `--listen ${text} is not a loopback address; the console serves this machine alone`;
}

/** What the page's server needs for as long as it runs. */
export function consoleServerNeeds(
  { dirs, index, listen, answers, exportTo }: ConsoleOptions,
): ConsoleNeeds {
  if (exportTo !== undefined) {
    return { run: [], read: [...dirs, exportTo], write: [exportTo], net: [], env: [] };
  }
  const { hostname, port } = listen;
  const { approveDir, hai } = answers ?? {};
  const answered = [approveDir, hai?.home, hai?.ownerHome].filter((path) => path !== undefined);
  return {
    run: [],
    read: [...new Set([...dirs, index, ...answered])],
    write: [...new Set([index, ...answered])],
    net: [`${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`],
    env: [],
  };
}

/**
 * What the program needs to start.
 *
 * @param options Its options.
 * @param opener The program that opens a browser; undefined for none.
 * @param self Folder or file that the server's code is read from; undefined in a compiled program.
 * @returns The permissions.
 */
export function consoleStartNeeds(
  options: ConsoleOptions,
  opener: string | undefined,
  self: string | undefined,
): ConsoleNeeds {
  const needs = consoleServerNeeds(options);
  return {
    ...needs,
    run: options.opens && opener !== undefined ? [opener] : [],
    read: self === undefined ? needs.read : [...needs.read, self],
    env: options.answers === undefined
      ? CONSOLE_VARIABLES
      : [...CONSOLE_VARIABLES, ...HAI_VARIABLES],
  };
}
