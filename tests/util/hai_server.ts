/**
 * Starts hai-mcp as hosts do, with the permissions its documentation names.
 *
 * `HAI_MCP_COMMAND` may name another command to test, such as a compiled one.
 *
 * @module
 */

import { assert } from "@std/assert";
import type { HaiHome } from "./hai_home.ts";

const MAIN = new URL("../../cmd/hai_mcp.ts", import.meta.url).pathname;

/** Variables the server may read. */
const READS = [
  "HOME,USERPROFILE,HAI_HOME,HAI_OWNER_HOME,HAI_OWNER_GATE,HAI_OWNER_CHANNEL,HAI_OWNER_POLICY",
  "HAI_OWNER_CODE_TTL,HAI_OWNER_NTFY_URL,HAI_OWNER_NTFY_TOPIC,HAI_OWNER_NTFY_TOKEN,HAI_OWNER_NTFY_DENY_TOKEN",
  "HAI_OWNER_TOUCHID_TIMEOUT,HAI_OWNER_TOUCHID_HELPER,HAI_OWNER_TOUCHID_FALLBACK",
  "HAI_SESSION_TOKENS,HAI_TOOLS,HAI_NON_GOALS,HAI_LEARNING_EVIDENCE_ROOT,HAI_TRANSPORT,HAI_HTTP_HOST,HAI_HTTP_PORT,HAI_HTTP_TOKEN",
].join(",");

/** A command with its arguments and environment. */
export interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/**
 * The command that starts a server on a test's state.
 *
 * @param hai The test's state.
 * @param args Arguments of hai-mcp.
 * @param options More environment, and whether it may use the network.
 * @returns The command.
 */
export function launch(
  hai: HaiHome,
  args: readonly string[] = [],
  options: { readonly env?: Record<string, string>; readonly net?: string } = {},
): Launch {
  const env = {
    HAI_HOME: hai.home,
    HAI_OWNER_HOME: hai.ownerHome,
    HOME: hai.root,
    PATH: Deno.env.get("PATH") ?? "",
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    NO_COLOR: "1",
    ...options.env,
  };
  const compiled = Deno.env.get("HAI_MCP_COMMAND");
  if (compiled !== undefined) return { command: compiled, args: [...args], env };
  return {
    command: Deno.execPath(),
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      `--allow-env=${READS}`,
      // Just what docs/hai.md names.
      `--allow-read=${hai.home},${hai.ownerHome},${hai.root}/project`,
      `--allow-write=${hai.home},${hai.ownerHome},${hai.root}/project/Projek-Managment`,
      "--deny-run",
      "--deny-ffi",
      options.net === undefined ? "--deny-net" : `--allow-net=${options.net}`,
      MAIN,
      ...args,
    ],
    env,
  };
}

/** A server on HTTP. */
export interface HttpServer extends AsyncDisposable {
  /** Its endpoint. */
  readonly url: string;
}

/**
 * Starts a server on a free port.
 *
 * @param hai The test's state.
 * @param env More environment.
 * @returns The server, once it listens.
 */
export async function serveHttp(
  hai: HaiHome,
  env: Record<string, string> = {},
): Promise<HttpServer> {
  const args = ["--transport", "streamable-http", "--port", "0"];
  const started = launch(hai, args, { env, net: "127.0.0.1" });
  const child = new Deno.Command(started.command, {
    args: started.args,
    env: started.env,
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  let url: string | undefined;
  while (url === undefined) {
    const { value, done } = await reader.read();
    assert(!done, `hai-mcp ended: ${said}`);
    said += value;
    url = /serving (http:\S+)/.exec(said)?.[1];
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      while (!(await reader.read()).done);
    },
  };
}

/** Runs hai-mcp to its end. */
export async function runOnce(started: Launch, stdin = "") {
  const child = new Deno.Command(started.command, {
    args: started.args,
    env: started.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
