/**
 * The τ²-bench retail or airline domain as an MCP server, for tests and measurements.
 *
 *     deno run -A tests/util/tau2_server.ts --domain retail --data DIR
 *
 * `DIR` is laid out as the recorded data is: `tools/DOMAIN-manifest.json` and
 * `db/DOMAIN-db.json.gz`. A session has the database for itself; what it changes
 * is gone when it ends. It speaks JSON lines and no SDK, so that it starts fast:
 * `initialize` is answered while the database still loads. Requests of the
 * stateless era are answered too.
 *
 * `--state FILE` writes what the session changed in the database when its stdin
 * ends, as `databaseState()` says it. `--http` serves sessions over HTTP on a
 * free port of this machine, each with a database of its own, and prints the URL;
 * stateless requests share one.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { readText } from "../../lib/disk/read_text.ts";
import { type Tau2Domain, Tau2Tools } from "../../lib/tau2/tools.ts";
import type { WorldData } from "../../lib/tau2/world.ts";
import { at, isObject, type JsonObject, textAt } from "../../lib/json/json.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const STATELESS = "2026-07-28";

/** What the sessions of one server share. */
interface Domain {
  readonly name: Tau2Domain;
  readonly data: Promise<WorldData>;
  readonly listing: Promise<readonly JsonObject[]>;
}

function openDomain(name: Tau2Domain, dir: string): Domain {
  const database = `${dir}/db/${name}-db`;
  const data = readText(`${database}.json.gz`)
    .catch(() => readText(`${database}.reconstructed.json.gz`))
    .then((text): WorldData => JSON.parse(text));
  const listing = readText(`${dir}/tools/${name}-manifest.json`).then((text) => {
    const { tools }: { tools: JsonObject[] } = JSON.parse(text);
    return tools.map(({ name, annotations, inputSchema }) => ({ name, annotations, inputSchema }));
  });
  return { name, data, listing };
}

/** One session: requests in, responses out. */
class Session {
  readonly #domain: Domain;
  readonly #tools: Promise<Tau2Tools>;

  constructor(domain: Domain) {
    this.#domain = domain;
    this.#tools = domain.data.then((data) => new Tau2Tools(domain.name, data));
    this.#tools.catch(() => {}); // The call that needs them says it.
  }

  /** The response to a message; undefined for a notification or a response. */
  async answer(message: unknown): Promise<JsonObject | undefined> {
    const [id, method, params] = ["id", "method", "params"].map((key) => at(message, key));
    if (id === undefined || typeof method !== "string") return undefined;
    const result = await this.#result(method, params);
    if (result === undefined) {
      return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
    }
    const isStateless = at(params, "_meta", "io.modelcontextprotocol/protocolVersion") ===
      STATELESS;
    if (!isStateless) return { jsonrpc: "2.0", id, result };
    const cache = method === "tools/call" ? {} : { ttlMs: 0, cacheScope: "private" };
    return { jsonrpc: "2.0", id, result: { resultType: "complete", ...cache, ...result } };
  }

  async state(): Promise<string> {
    return (await this.#tools).databaseState();
  }

  async #result(method: string, params: unknown): Promise<JsonObject | undefined> {
    const capabilities = { tools: {} };
    const serverInfo = { name: `tau2-${this.#domain.name}`, version: "1" };
    switch (method) {
      case "initialize": {
        const asked = textAt(params, "protocolVersion") ?? "";
        const protocolVersion = VERSIONS.includes(asked) ? asked : "2025-11-25";
        return { protocolVersion, capabilities, serverInfo };
      }
      case "server/discover":
        return { supportedVersions: [STATELESS], capabilities, serverInfo };
      case "ping":
        return {};
      case "tools/list":
        return { tools: await this.#domain.listing };
      case "tools/call": {
        const args = at(params, "arguments");
        const { text, isError } = (await this.#tools)
          .callTool(textAt(params, "name") ?? "", isObject(args) ? args : {});
        return { content: [{ type: "text", text }], isError };
      }
      default:
        return undefined;
    }
  }
}

async function serveStdio(session: Session, stateFile: string | undefined): Promise<void> {
  const encoder = new TextEncoder();
  let rest = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const response = await session.answer(JSON.parse(line));
      if (response === undefined) continue;
      let bytes = encoder.encode(`${JSON.stringify(response)}\n`);
      while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
    }
  }
  if (stateFile !== undefined) await Deno.writeTextFile(stateFile, await session.state());
}

function serveHttp(domain: Domain): void {
  const sessions = new Map<string, Session>();
  const shared = new Session(domain);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const given = request.headers.get("mcp-session-id") ?? "";
    if (request.method === "DELETE") sessions.delete(given);
    if (request.method !== "POST") {
      return new Response(null, { status: request.method === "GET" ? 405 : 200 });
    }
    const message: unknown = await request.json();
    const isNew = textAt(message, "method") === "initialize";
    const id = isNew ? crypto.randomUUID() : given;
    if (isNew) sessions.set(id, new Session(domain));
    const session = id === "" ? shared : sessions.get(id);
    if (session === undefined) return new Response(null, { status: 404 });
    const response = await session.answer(message);
    if (response === undefined) return new Response(null, { status: 202 });
    return Response.json(response, id === "" ? {} : { headers: { "mcp-session-id": id } });
  });
  console.log(`http://127.0.0.1:${server.addr.port}/mcp`);
}

/** A flag's text. */
function flag(name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}

const flags = parseArgs(Deno.args, { string: ["domain", "data", "state"], boolean: ["http"] });
const [name, dir] = [flag("domain"), flag("data")];
if ((name !== "retail" && name !== "airline") || dir === undefined) {
  console.error("tau2_server: needs --domain retail|airline and --data DIR");
  Deno.exit(2);
}
const domain = openDomain(name, dir);
if (flags.http === true) serveHttp(domain);
else await serveStdio(new Session(domain), flag("state"));
