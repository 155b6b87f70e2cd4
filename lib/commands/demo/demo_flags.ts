/**
 * The command line of `hoist-mcp-demo`.
 *
 * @module
 */

import { type FlagTable, parseFlags, refuse } from "../../flags/flags.ts";
import { VERSION } from "../../flags/version.ts";
import { RETAIL_TOOLS } from "../../demo/retail.ts";
import { type DemoTool, ECHO_TOOLS } from "../../demo/tools.ts";

/** The table of `hoist-mcp-demo`. */
export const DEMO_FLAGS: FlagTable = {
  program: "hoist-mcp-demo",
  summary:
    "A tiny MCP server to try hoist-mcp on. It speaks MCP on stdin and stdout, or over HTTP.",
  examples: ["hoist-mcp-demo --world retail", "hoist-mcp-demo --http 127.0.0.1:8932"],
  usage: ["[OPTIONS]"],
  flags: [
    {
      name: "world",
      value: "WORLD",
      help: "echo: lookup and update, which return their arguments. retail: a tiny shop " +
        "with four tools. Default: echo.",
    },
    {
      name: "http",
      value: "[ADDR]",
      help: "Speak Streamable HTTP at http://ADDR/mcp, HOST:PORT of a loopback address, and " +
        "insist on session id and protocol version.",
    },
    { name: "hide", value: "TOOL", repeat: true, help: "Leave this tool out." },
    {
      name: "hint",
      value: "TOOL=false|none",
      repeat: true,
      help: "Mark the tool as writing (readOnlyHint: false), or leave its hint out.",
    },
  ],
  notes: [
    "With --http, ADDR may be left out: 127.0.0.1 and a free port. The URL goes to stdout.",
    "In the retail world cN@example.com is user_N, whose orders #WNa and #WNb are pending.",
    "Exit status: 0 when stdin ends, or with --http on SIGTERM or Ctrl-C; 1 cannot listen; 2 " +
    "wrong usage.",
  ],
};

const WORLDS: Readonly<Record<string, readonly DemoTool[]>> = {
  echo: ECHO_TOOLS,
  retail: RETAIL_TOOLS,
};

/** The tools to serve, a text for stdout, or a refusal. */
export type DemoArgs =
  | {
    readonly kind: "tools";
    readonly tools: readonly DemoTool[];
    /** Where to serve HTTP; undefined for stdio. */
    readonly http: { readonly hostname: string; readonly port: number } | undefined;
  }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refused"; readonly message: string };

/**
 * Reads the command line of `hoist-mcp-demo`.
 *
 * @param args The arguments.
 * @returns The tools to serve, changed as asked.
 */
export function parseDemoFlags(args: readonly string[]): DemoArgs {
  const parsed = parseFlags(DEMO_FLAGS, withAddress(args), VERSION);
  if (parsed.kind !== "values") return parsed;
  const { values } = parsed;
  const world = values.get("world") ?? "echo";
  const all = Object.hasOwn(WORLDS, world) ? WORLDS[world] : undefined;
  if (all === undefined) {
    return refuse(DEMO_FLAGS, `--world needs ${Object.keys(WORLDS).join(" or ")}, not "${world}"`);
  }
  const names = all.map(({ name }) => name).join(", ");
  const isTool = (name: string | undefined) => all.some((tool) => tool.name === name);
  const hidden = values.all("hide");
  const stranger = hidden.find((name) => !isTool(name));
  if (stranger !== undefined) {
    return refuse(DEMO_FLAGS, `--hide names no tool of this world: "${stranger}" (${names})`);
  }
  const hints = new Map<string, boolean | undefined>();
  for (const hint of values.all("hint")) {
    const match = /^(.+)=(false|none)$/.exec(hint);
    const name = match?.[1];
    if (name === undefined || !isTool(name)) {
      return refuse(DEMO_FLAGS, `--hint needs TOOL=false or TOOL=none, not "${hint}" (${names})`);
    }
    hints.set(name, match?.[2] === "none" ? undefined : false);
  }
  const tools = all.filter(({ name }) => !hidden.includes(name)).map((tool) =>
    hints.has(tool.name) ? { ...tool, readOnlyHint: hints.get(tool.name) } : tool
  );
  const address = values.get("http");
  if (address === undefined) return { kind: "tools", tools, http: undefined };
  const [, hostname, port] = /^(127(?:\.\d{1,3}){3}|localhost):(\d{1,5})$/.exec(address) ?? [];
  if (hostname === undefined || !(Number(port) <= 65_535)) {
    return refuse(DEMO_FLAGS, `--http takes HOST:PORT of a loopback address, not "${address}"`);
  }
  return { kind: "tools", tools, http: { hostname, port: Number(port) } };
}

/** The command line with the address that `--http` has by default, where it has none. */
function withAddress(args: readonly string[]): string[] {
  return args.flatMap((arg, i) =>
    arg === "--http" && (args[i + 1]?.startsWith("-") ?? true) ? [arg, "127.0.0.1:0"] : [arg]
  );
}
