/**
 * `hoist auth`: login, status and logout.
 *
 * @module
 */

import { commandOf, type Run, UsageError } from "../../cli/command.ts";
import { withoutCommand } from "../../cli/without_command.ts";
import { expandHome } from "../../flags/expand_home.ts";
import type { FlagValues } from "../../flags/flags.ts";
import { type ClientCertificateFiles, parseCertificate } from "../../proxy_options/http_flags.ts";
import { canRenew, signInFolder, type UpstreamSignIn } from "../../oauth/sign_in.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { printable } from "../../text/printable.ts";
import {
  AUTH_FLAGS,
  AUTH_LOGIN_FLAGS,
  AUTH_LOGOUT_FLAGS,
  AUTH_STATUS_FLAGS,
} from "./auth_flags.ts";

/** A sign-in to be made. */
export interface LoginRequest {
  readonly way: "browser" | "device" | "client_credentials";
  readonly scope: string | undefined;
  readonly client: { readonly id: string; readonly secret: string | undefined } | undefined;
  readonly port: number;
  /** Whether a browser is started. */
  readonly opensBrowser: boolean;
  /** The client certificate that the upstream is shown. */
  readonly certificate: ClientCertificateFiles | undefined;
}

/** What the commands ask of the machine. */
export interface AuthPorts {
  readText(path: string): string;
  /** Signs in at an upstream, and keeps it in a folder. */
  login(url: URL, folder: string, request: LoginRequest): Promise<UpstreamSignIn>;
  /** The sign-ins in a folder of them. */
  list(folder: string): readonly UpstreamSignIn[];
  /** Forgets a sign-in; says whether its server was told, undefined when there is none. */
  logout(url: URL, folder: string): Promise<"told" | "kept" | "failed" | undefined>;
}

const COMMANDS = {
  login: commandOf(AUTH_LOGIN_FLAGS, login),
  status: commandOf(AUTH_STATUS_FLAGS, status),
  logout: commandOf(AUTH_LOGOUT_FLAGS, logout),
};

/**
 * Runs `hoist auth`.
 *
 * @param args The arguments after the subcommand.
 * @param runtime Where to print.
 * @param ports The machine.
 * @returns The exit status.
 */
export async function authCommand(
  args: readonly string[],
  runtime: Runtime,
  ports: AuthPorts,
): Promise<number> {
  const [name = "", ...rest] = args;
  if (name === "login" || name === "status" || name === "logout") {
    return await COMMANDS[name](rest, runtime, ports);
  }
  return withoutCommand(AUTH_FLAGS, args, { runtime, names: Object.keys(COMMANDS) });
}

async function login({ values, runtime, ...ports }: Run<AuthPorts>): Promise<number> {
  const url = urlOf(values);
  const home = homeOf(runtime);
  const request = loginRequest(values, runtime, ports);
  const made = await ports.login(url, signInFolder(home, url.href), request);
  runtime.print(`signed in at ${url.href} by ${made.issuer}${lasting(made, runtime)}`);
  if (!canRenew(made)) {
    runtime.say("the server gave no refresh token: sign in again when this one ends");
  }
  return 0;
}

function loginRequest(
  values: FlagValues,
  runtime: Runtime,
  { readText }: Pick<AuthPorts, "readText">,
): LoginRequest {
  const isDevice = values.has("device");
  const isClient = values.has("client-credentials");
  if (isDevice && isClient) {
    throw new UsageError("--device and --client-credentials exclude each other");
  }
  const id = values.get("oauth-client-id");
  const secret = secretOf(values, runtime, readText);
  if (id === undefined && secret !== undefined) {
    throw new UsageError("A client secret needs --oauth-client-id");
  }
  if (isClient && secret === undefined) {
    throw new UsageError("--client-credentials needs --oauth-client-id and a secret");
  }
  const certificate = parseCertificate(values, runtime.env("HOME"));
  if (typeof certificate === "string") throw new UsageError(certificate);
  const port = values.get("redirect-port") ?? "0";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`--redirect-port takes a port, not "${port}"`);
  }
  return {
    way: isDevice ? "device" : isClient ? "client_credentials" : "browser",
    scope: values.get("scope"),
    client: id === undefined ? undefined : { id, secret },
    port: Number(port),
    opensBrowser: !values.has("no-browser"),
    certificate,
  };
}

function secretOf(
  values: FlagValues,
  runtime: Runtime,
  readText: (path: string) => string,
): string | undefined {
  const variable = values.get("oauth-client-secret-env");
  const file = values.get("oauth-client-secret-file");
  if (variable !== undefined && file !== undefined) {
    throw new UsageError("--oauth-client-secret-env and -file exclude each other");
  }
  if (variable !== undefined) {
    const value = runtime.env(variable);
    if (value === undefined) throw new UsageError(`The variable ${variable} is not set`);
    return value;
  }
  if (file === undefined) return undefined;
  const path = expandHome(file, runtime.env("HOME") ?? runtime.env("USERPROFILE"));
  if (path === null) throw new UsageError(`"${file}" begins with ~, but HOME is not set`);
  return readText(path).replace(/\r?\n$/, "");
}

function status({ values, runtime, list }: Run<AuthPorts>): Promise<number> {
  const [given] = values.positionals;
  const url = given === undefined ? undefined : urlOf(values).href;
  const all = list(`${homeOf(runtime)}/.hoist/auth`)
    .filter((one) => url === undefined || one.url === url);
  if (values.has("json")) {
    const shown = all.map((one) => ({
      url: one.url,
      issuer: one.issuer,
      client: one.clientId,
      scope: one.scope ?? null,
      renews: canRenew(one),
      expires: one.expiresUnixMs === undefined ? null : new Date(one.expiresUnixMs).toISOString(),
    }));
    runtime.print(JSON.stringify(shown, null, 2));
  } else {
    for (const one of all) {
      const scope = one.scope === undefined ? "" : `, scope ${one.scope}`;
      runtime.print(printable(`${one.url}: by ${one.issuer}${scope}${lasting(one, runtime)}`));
    }
    if (all.length === 0) runtime.print("no sign-in");
  }
  const isWell = all.length > 0 && all.every((one) => isUsable(one, runtime));
  return Promise.resolve(isWell ? 0 : 1);
}

async function logout({ values, runtime, ...ports }: Run<AuthPorts>): Promise<number> {
  const url = urlOf(values);
  const outcome = await ports.logout(url, signInFolder(homeOf(runtime), url.href));
  if (outcome === undefined) {
    runtime.say(`no sign-in at ${url.href}`);
    return 1;
  }
  runtime.print(`signed out of ${url.href}`);
  if (outcome === "kept") runtime.say("its authorization server offers no way to revoke tokens");
  if (outcome === "failed") {
    runtime.say("its authorization server could not be told: the tokens end by themselves");
  }
  return 0;
}

function isUsable(one: UpstreamSignIn, runtime: Runtime): boolean {
  return canRenew(one) ||
    (!one.isEnded && (one.expiresUnixMs ?? Infinity) > runtime.unixMs());
}

function lasting(one: UpstreamSignIn, runtime: Runtime): string {
  if (!isUsable(one, runtime)) return "; it has ended: sign in again";
  if (canRenew(one)) return "; renewed by itself";
  if (one.expiresUnixMs === undefined) return "";
  return `; until ${new Date(one.expiresUnixMs).toISOString()}`;
}

function homeOf(runtime: Runtime): string {
  const home = runtime.env("HOME") ?? runtime.env("USERPROFILE");
  if (home === undefined) throw new Error("Cannot find ~/.hoist/auth: HOME is not set");
  return home;
}

/** The URL as `--upstream` keeps it. */
function urlOf(values: FlagValues): URL {
  const [given] = values.positionals;
  if (given === undefined) throw new UsageError("Missing argument: the server's URL");
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`The server's URL begins with http: or https:, not "${given}"`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("A server's URL to sign in at holds no user and no password");
  }
  return url;
}
