/**
 * Which permissions `hoist-mcp` needs for given options, as pure data: what
 * `--print-permissions` prints, what the worker that runs a mode with rights is given,
 * and what a test compares with the real need.
 *
 * A session on the standard streams gives all of them back before the first byte
 * is relayed. An HTTP mode, an oracle, a conversation and approvals need some for as long as
 * they run: they go to a worker
 * ({@linkcode workerNeeds}), and the rest of the program gives all of them back.
 *
 * @module
 */

import {
  sessionFiles,
  sessionReads,
  sharedFolders,
  startReads,
  startTakes,
  startVariables,
} from "../intercept/asked_for.ts";
import { sessionsFolder } from "../log/session_name.ts";
import { isWildcard } from "../session/listen/listen_urls.ts";
import { PROXY_VARIABLES } from "../session/upstream/env_proxy.ts";
import { netOf, netOfAddress } from "./http_flags.ts";
import type { ProxyOptions } from "./proxy_flags.ts";

/** Permissions, by kind. */
export interface PermissionNeeds {
  /** Commands that are started. */
  readonly run: readonly string[];
  /** Files that are read and folders that are listed. */
  readonly read: readonly string[];
  /** Folders that are written to. */
  readonly write: readonly string[];
  /** Hosts, with ports, that are connected to or listened on. */
  readonly net: readonly string[];
  /** Variables that are looked at. */
  readonly env: readonly string[];
  /** Facts of the system that are looked at; absent when there are none. */
  readonly sys?: readonly string[];
}

/** Variables that name files of certificates to trust toward an upstream. */
export const CERTIFICATE_VARIABLES: readonly string[] = [
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
  "DENO_CERT",
];

/** The shell that ends the server's process group, see lib/relay/reaper.ts. */
const REAPER = "sh";

/** The oracle a session asks. */
export interface OracleNeeds {
  readonly kind: "jev" | "replay" | "mock";
  /** Folder of kept answers. */
  readonly cacheDir: string;
  /** The API's root. */
  readonly baseUrl: string;
}

/**
 * Whether a right is needed for as long as a session runs, so that it has to run in a worker.
 *
 * @param options The proxy's options.
 * @param oracle The oracle it asks; undefined for none.
 * @returns Whether it is.
 */
export function needsWorker(options: ProxyOptions, oracle: OracleNeeds | undefined): boolean {
  const { upstream, listen, interceptors, restart } = options;
  return upstream !== undefined || listen !== undefined || restart !== undefined ||
    sessionFiles(interceptors).some(({ use }) => use === "read") ||
    sharedFolders(interceptors).length > 0 ||
    (oracle !== undefined && oracle.kind !== "mock");
}

/**
 * What the options need at the start.
 *
 * @param options The proxy's options.
 * @param self Path of the executable's own module, which a worker is made of; undefined where it is no file.
 * @param oracle The oracle it asks; undefined for none.
 * @returns The permissions to start with.
 */
export function permissionNeeds(
  options: ProxyOptions,
  self: string | undefined,
  oracle?: OracleNeeds,
): PermissionNeeds {
  const { upstream, listen, interceptors } = options;
  const needs = workerNeeds(options, oracle);
  const variables = upstream?.headers.map((header) => header.variable) ?? [];
  if (oracle?.kind === "jev") {
    variables.push("TYPESAFE_API_KEY", "TYPESAFE_API_KEY_FILE", "TYPESAFE_BASE_URL");
  }
  variables.push(...startVariables(interceptors));
  if (upstream !== undefined) variables.push(...CERTIFICATE_VARIABLES, ...PROXY_VARIABLES);
  const read = [...needs.read];
  if (self !== undefined && needsWorker(options, oracle)) read.push(sourceOf(self));
  if (upstream?.signInFolder !== undefined && upstream.tokenUrl === undefined) {
    read.push(upstream.signInFolder); // To see whether the user has signed in.
  }
  read.push(...upstream?.certificateFiles ?? []);
  if (upstream?.certificate !== undefined) {
    read.push(...new Set([upstream.certificate.cert, upstream.certificate.key]));
  }
  if (listen?.tokenFile !== undefined) read.push(listen.tokenFile);
  read.push(...startReads(interceptors));
  const taken = startTakes(interceptors);
  read.push(...taken);
  return {
    ...needs,
    read,
    write: [...needs.write, ...taken],
    env: ["HOIST_DEBUG", "HOIST_SESSION", "HOME", "USERPROFILE", ...variables],
    ...(isWildcard(listen?.hostname ?? "") ? { sys: ["networkInterfaces"] } : {}),
  };
}

/** What a worker of the executable is loaded from: the package, or the one file it is bundled in. */
function sourceOf(self: string): string {
  return self.replace(/[/\\]cmd[/\\][\w.]+$/, "");
}

/**
 * What the options need for as long as a session runs.
 *
 * @param options The proxy's options.
 * @param oracle The oracle it asks; undefined for none.
 * @returns The permissions of the worker.
 */
export function workerNeeds(options: ProxyOptions, oracle?: OracleNeeds): PermissionNeeds {
  const { record, upstream, listen, command, interceptors, restart } = options;
  const net = upstream === undefined ? [] : [netOf(upstream.url)];
  const { tokenUrl, signInFolder } = upstream ?? {};
  const signIn = tokenUrl === undefined || signInFolder === undefined ? [] : [signInFolder];
  if (tokenUrl !== undefined) net.push(netOf(tokenUrl));
  if (listen !== undefined) net.push(netOfAddress(listen));
  const read = [...signIn, ...record?.retainDays === undefined ? [] : [record.dir]];
  const write = [...signIn, ...record === undefined ? [] : [record.dir]];
  for (const { path, use } of sessionFiles(interceptors)) {
    (use === "read" ? read : write).push(sessionsFolder(path) ?? path);
  }
  read.push(...restart?.watch ?? [], ...sessionReads(interceptors));
  for (const { path } of sharedFolders(interceptors)) {
    read.push(path);
    write.push(path);
  }
  if (oracle !== undefined && oracle.kind !== "mock") read.push(oracle.cacheDir);
  if (oracle?.kind === "jev") {
    write.push(oracle.cacheDir);
    net.push(netOf(oracle.baseUrl));
  }
  return {
    run: upstream === undefined ? [command[0] ?? "", REAPER] : [],
    read,
    write,
    net,
    env: [],
  };
}

/**
 * What is left once the first message is relayed.
 *
 * @param options The proxy's options.
 * @param oracle The oracle it asks; undefined for none.
 * @returns The permissions: the worker's less what it gives up once all is started, and none where no
 *   worker is needed.
 */
export function sessionNeeds(options: ProxyOptions, oracle?: OracleNeeds): PermissionNeeds {
  if (!needsWorker(options, oracle)) return { run: [], read: [], write: [], net: [], env: [] };
  const needs = workerNeeds({ ...options, listen: undefined }, oracle);
  if (options.listen !== undefined || options.upstream !== undefined) return needs;
  const givenUp = givenUpOnStdio(options, oracle);
  return { ...needs, ...Object.fromEntries(givenUp.map((kind) => [kind, []])) };
}

/**
 * What a worker gives up once the one session of stdio is prepared: its server runs by then,
 * and its log is open; what is left to write are the oracle's answers, and calls that wait for
 * a person. With `--restart` the server may have to be started again.
 *
 * @param options The proxy's options.
 * @param oracle The oracle it asks; undefined for none.
 * @returns Kinds of permissions.
 */
export function givenUpOnStdio(
  { restart, interceptors }: Pick<ProxyOptions, "restart" | "interceptors">,
  oracle: OracleNeeds | undefined,
): readonly ("run" | "write")[] {
  const writes = oracle !== undefined || sharedFolders(interceptors).length > 0;
  return [...restart === undefined ? ["run"] as const : [], ...writes ? [] : ["write"] as const];
}

/**
 * The flags of `deno run` that grant what is needed and ask for nothing more.
 *
 * @param needs What is needed.
 * @returns The flags, each one word of a command line.
 */
export function permissionFlags(needs: PermissionNeeds): string[] {
  const flag = (kind: keyof PermissionNeeds): string[] => {
    const values = needs[kind] ?? [];
    if (values.length === 0) return [];
    // Deno knows no way to write a comma in a list: then all of the kind has to be granted.
    const isListable = values.every((value) => !value.includes(","));
    return [`--allow-${kind}${isListable ? `=${values.join(",")}` : ""}`];
  };
  return [
    "--no-prompt",
    ...flag("run"),
    ...flag("read"),
    ...flag("write"),
    ...flag("net"),
    ...flag("env"),
    ...flag("sys"),
  ];
}

/** What a package's deno.json turns on, for programs that are run from elsewhere. */
const UNSTABLE = ["--unstable-worker-options", "--unstable-no-legacy-abort"];

/**
 * The flags of `deno run` that the options need: permissions, and what a worker needs besides.
 *
 * @param options The proxy's options.
 * @param self Path of the executable's own module; undefined where it is no file.
 * @param oracle The oracle it asks; undefined for none.
 * @returns The flags, each one word of a command line.
 */
export function startFlags(
  options: ProxyOptions,
  self: string | undefined,
  oracle?: OracleNeeds,
): string[] {
  return [
    ...permissionFlags(permissionNeeds(options, self, oracle)),
    ...needsWorker(options, oracle) ? UNSTABLE : [],
  ];
}

/**
 * Words of a command line as one line of POSIX shell.
 *
 * @param words The words.
 * @returns The line; words with other than plain characters are quoted.
 */
export function shellLine(words: readonly string[]): string {
  return words.map((word) =>
    /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
  ).join(" ");
}
