/**
 * A user with a host behind `hoist-mcp --upstream`, for the authorization scenarios of the
 * conformance suite: calls the server's tools, and signs in with `hoist auth login` where an error
 * says so. The browser agrees to everything.
 *
 * Usage: `deno run -A conformance_auth_client.ts URL`, with `MCP_CONFORMANCE_SCENARIO`,
 * `MCP_CONFORMANCE_PROTOCOL_VERSION` and `MCP_CONFORMANCE_CONTEXT` set.
 *
 * @module
 */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { executable } from "./executables.ts";
import { denoDir } from "./scratch_home.ts";

/** Sign-ins that a user makes before giving up. */
const MAX_SIGN_INS = 4;

const url = Deno.args.at(-1) ?? "";
const scenario = Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "";
const version = Deno.env.get("MCP_CONFORMANCE_PROTOCOL_VERSION") ?? "2025-11-25";
const context = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}");
const home = await Deno.makeTempDir({ prefix: "hoist-auth-" });
const env = { ...Deno.env.toObject(), HOME: home, DENO_DIR: await denoDir(), SECRET: "" };

/** One session: what an error says to run, if one does. */
async function session(): Promise<string | undefined> {
  const client = new Client({ name: "conformance-host", version: "1.0.0" }, {
    ...(version > "2025-11-25" ? { versionNegotiation: { mode: { pin: version } } } : {}),
  });
  // What the proxy says stands in a file as soon as it is said, whatever the SDK does with the process.
  const [command, ...args] = ["sh", "-c", `exec "$@" 2>'${home}/said'`, "sh"];
  const proxy = [...executable("hoist-mcp"), "--upstream", url];
  const transport = new StdioClientTransport({ command, args: [...args, ...proxy], env });
  try {
    await client.connect(transport);
    const { tools } = await client.listTools();
    for (const { name } of tools) await client.callTool({ name, arguments: {} });
  } catch (error) {
    console.error(String(error));
  } finally {
    await client.close().catch(() => {});
  }
  const said = await Deno.readTextFile(`${home}/said`);
  console.error(said);
  return /run: hoist (auth login .*)$/m.exec(said)?.[1];
}

/** Runs `hoist auth login`, with a browser that follows where it is sent. */
async function login(line: string): Promise<boolean> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) =>
    quoted ?? bare ?? ""
  );
  const [program = "", ...first] = executable("hoist");
  const { client_id: id, client_secret: secret } = context;
  const named = typeof id === "string"
    ? id
    : scenario.endsWith("basic-cimd")
    ? "https://conformance-test.local/client-metadata.json"
    : undefined;
  const child = new Deno.Command(program, {
    args: [
      ...first,
      ...words,
      ...scenario.includes("client-credentials") ? ["--client-credentials"] : ["--no-browser"],
      ...named === undefined ? [] : ["--oauth-client-id", named],
      ...secret === undefined ? [] : ["--oauth-client-secret-env", "SECRET"],
    ],
    env: { ...env, SECRET: secret ?? "" },
    stdin: "null",
    stdout: "inherit",
    stderr: "piped",
  }).spawn();
  let said = "";
  let isOpen = false;
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    said += text;
    const page = /open this URL to sign in: (\S+)\n/.exec(said)?.[1];
    if (page === undefined || isOpen) continue;
    isOpen = true;
    fetch(page).then((landed) => landed.text()).catch((error) => console.error(String(error)));
  }
  console.error(said);
  return (await child.status).success;
}

for (let tries = 0; tries < MAX_SIGN_INS; tries++) {
  const line = await session();
  if (line === undefined || !await login(line)) break;
}
await Deno.remove(home, { recursive: true });
