/**
 * A session with the demo shop through `hoist-mcp`, whatever lies between: requests in,
 * answers out, by id.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { executable } from "./executables.ts";
import { type Json, ListeningProxy, messagesOf, toolCall } from "./listening_proxy.ts";
import { ManualHost } from "./manual_host.ts";

/** Ways from a host to a server. */
export const TRANSPORTS = [
  "stdio to stdio",
  "stdio to upstream",
  "listen to stdio",
  "listen to upstream",
] as const;
/** A way from a host to a server. */
export type Transport = (typeof TRANSPORTS)[number];

const SHOP = [...executable("hoist-mcp-demo"), "--world", "retail"];

/** Options for {@linkcode writeSession}. */
export interface WriteOptions {
  /** Variables for the proxy besides our own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The server's command instead of the shop, where it is one on stdio. */
  readonly server?: readonly string[];
}

/** A legacy session that has been initialized. */
export interface WriteSession extends AsyncDisposable {
  /** The result of `initialize`. */
  readonly initialized: Json;
  /** Sends messages, as a batch when there are several; their answers by id, and what else came. */
  ask(...messages: readonly Json[]): Promise<Map<unknown, Json>>;
  /** Every message that came so far which answers nothing; on stdio only. */
  notified(): Json[];
  /** Whether the proxy has made a call of this tool, as its log says. */
  isUnderWay(tool: string): boolean;
  /** Sends a message and waits for nothing; on stdio only. */
  tell(message: Json): Promise<void>;
  /** Calls a tool: the text of its answer, and whether it is an error. */
  call(id: unknown, tool: string, args: unknown): Promise<{ text: string; isError: boolean }>;
  /** Ends the session; the lines of its log, header first. */
  end(): Promise<Json[]>;
  /** What the proxy said; only after the end. */
  stderr(): Promise<string>;
  /** The session's folder. `{dir}` in flags stands for it. */
  readonly dir: string;
}

/**
 * Starts a session.
 *
 * @param transport The way.
 * @param flags Flags of the proxy besides `--record` and those of the transport.
 * @param options Other servers, more variables.
 * @returns The session.
 */
export async function writeSession(
  transport: Transport,
  flags: readonly string[],
  { env = {}, server: command = SHOP }: WriteOptions = {},
): Promise<WriteSession> {
  const dir = await Deno.makeTempDir({ prefix: "hoist-writes-" });
  const own = flags.map((flag) => flag.replaceAll("{dir}", dir));
  const shop = transport.endsWith("upstream") ? await HttpShop.start() : undefined;
  const server = shop === undefined ? ["--", ...command] : ["--upstream", shop.url];
  const recorded = ["--record", `${dir}/log`, ...own];
  const clean = async () => {
    await shop?.[Symbol.asyncDispose]();
    await Deno.remove(dir, { recursive: true });
  };
  const link = transport.startsWith("stdio")
    ? await stdioLink([...recorded, ...server], env)
    : await listenLink(recorded, server, env);
  const ask = async (...messages: readonly Json[]) => {
    const wanted = messages.flatMap(({ id }) => id === undefined ? [] : [id]);
    return await link.ask(messages.length === 1 ? messages[0] : messages, wanted);
  };
  return {
    dir,
    initialized: link.initialized,
    ask,
    notified: () => link.notified?.() ?? [],
    isUnderWay: (tool) =>
      [...Deno.readDirSync(`${dir}/log`)].some(({ name }) =>
        Deno.readTextFileSync(`${dir}/log/${name}`).split("\n").some((line) =>
          line.includes('"from":"proxy"') && line.includes(`"name":"${tool}"`)
        )
      ),
    tell: async (message) => void await link.ask(message, []),
    async call(id, tool, args) {
      const answer = (await ask(toolCall(id, tool, args))).get(id);
      const { content = [], isError = false } = answer?.result ?? {};
      return { text: content[0]?.text ?? JSON.stringify(answer), isError };
    },
    async end() {
      await link.end();
      const names = [...Deno.readDirSync(`${dir}/log`)].map((entry) => entry.name);
      const logs = names.filter((name) => !/\.(flow|confirm)\.jsonl$/.test(name));
      assertEquals(logs.length, 1, `one log: ${names}`);
      const text = await Deno.readTextFile(`${dir}/log/${logs[0]}`);
      return text.trimEnd().split("\n").map((line) => JSON.parse(line));
    },
    stderr: () => link.stderr(),
    async [Symbol.asyncDispose]() {
      await link.dispose();
      await clean();
    },
  };
}

interface Link {
  readonly initialized: Json;
  readonly notified?: () => Json[];
  ask(message: Json, wanted: readonly unknown[]): Promise<Map<unknown, Json>>;
  end(): Promise<void>;
  stderr(): Promise<string>;
  dispose(): Promise<void>;
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "0" },
  },
};
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

async function stdioLink(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Link> {
  const host = await ManualHost.start({
    direct: true,
    server: [...executable("hoist-mcp"), ...args],
    env,
  });
  const seen = new Map<unknown, Json>();
  const messages = () =>
    new TextDecoder().decode(host.received()).split("\n").slice(0, -1)
      .flatMap((line): Json[] => [JSON.parse(line)].flat());
  let read = 0;
  let next: Promise<void> | undefined;
  const more = () => next ??= host.lines(++read).finally(() => next = undefined);
  const ask = async (message: Json, wanted: readonly unknown[]) => {
    await host.send(JSON.stringify(message) + "\n");
    while (!wanted.every((id) => seen.has(id))) {
      await more();
      for (const one of messages()) if (one.id !== undefined) seen.set(one.id, one);
    }
    return new Map(wanted.map((id) => [id, seen.get(id)]));
  };
  const initialized = (await ask(INITIALIZE, ["init"])).get("init").result;
  await ask(INITIALIZED, []);
  return {
    initialized,
    ask,
    notified: () => messages().filter(({ id }) => id === undefined),
    async end() {
      await host.close();
      await host.exit();
    },
    stderr: () => host.stderr(),
    dispose: () => host[Symbol.asyncDispose](),
  };
}

async function listenLink(
  flags: readonly string[],
  server: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Link> {
  const proxy = await ListeningProxy.start({ flags, server, env });
  const opened = await proxy.post(INITIALIZE, { "hoist-session": "host-1" });
  const session = opened.headers.get("mcp-session-id") ?? "";
  const [{ result: initialized }] = await messagesOf(opened);
  const headers = {
    "mcp-session-id": session,
    "mcp-protocol-version": initialized.protocolVersion,
  };
  await (await proxy.post(INITIALIZED, headers)).body?.cancel();
  return {
    initialized,
    async ask(message, wanted) {
      const answers = (await messagesOf(await proxy.post(message, headers))).flat();
      const byId = new Map(answers.map((answer) => [answer.id, answer]));
      return new Map(wanted.map((id) => [id, byId.get(id)]));
    },
    async end() {
      const ended = await proxy.fetch({ method: "DELETE", headers });
      await ended.body?.cancel();
      proxy.kill("SIGTERM");
      await proxy.exit();
    },
    stderr: () => proxy.stderr(),
    dispose: () => proxy[Symbol.asyncDispose](),
  };
}

/** The shop over HTTP. */
class HttpShop implements AsyncDisposable {
  readonly url: string;
  readonly #child: Deno.ChildProcess;

  private constructor(url: string, child: Deno.ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(): Promise<HttpShop> {
    const [program = "", ...args] = [...SHOP, "--http", "127.0.0.1:0"];
    const child = new Deno.Command(program, { args, stdin: "null", stdout: "piped" }).spawn();
    const reader = child.stdout.getReader();
    let said = "";
    while (!said.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error("The shop ended");
      said += new TextDecoder().decode(value);
    }
    await reader.cancel();
    return new HttpShop(said.trim(), child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
  }
}
