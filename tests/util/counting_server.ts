/**
 * A small server that counts what it does, for tests of sessions that survive their server.
 *
 * Usage: `deno run -A counting_server.ts DIR`. `DIR/writes` has a line for each write that was
 * done, `DIR/heard` each line that was read, `DIR/pid` its process id. `DIR/setup.json`, if it is
 * there, changes what it offers: `{version, capabilities, tool}`; `DIR/fails` makes it exit at once.
 *
 * Tools: `write {token}` notes the token, `read {token}` does not; both only answer. `die` exits.
 * `hang` never answers.
 *
 * @module
 */

const [dir = "."] = Deno.args;

interface Setup {
  readonly version?: string;
  readonly capabilities?: unknown;
  /** The name of one more tool. */
  readonly tool?: string;
}

function textOf(name: string): string | undefined {
  try {
    return Deno.readTextFileSync(`${dir}/${name}`);
  } catch {
    return undefined;
  }
}

const setup: Setup = JSON.parse(textOf("setup.json") ?? "{}");
const OPTIONS = { append: true, create: true } as const;
const encoder = new TextEncoder();

function say(message: unknown): void {
  const bytes = encoder.encode(JSON.stringify({ jsonrpc: "2.0", ...message as object }) + "\n");
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
}

function tools(): unknown[] {
  const inputSchema = { type: "object" };
  return [
    { name: "write", inputSchema },
    { name: "read", inputSchema, annotations: { readOnlyHint: true } },
    { name: "die", inputSchema },
    { name: "hang", inputSchema },
    ...setup.tool === undefined ? [] : [{ name: setup.tool, inputSchema }],
  ];
}

function call(id: unknown, name: string, token: string): void {
  if (name === "die") Deno.exit(3);
  if (name === "hang") return;
  if (name === "write") Deno.writeTextFileSync(`${dir}/writes`, `${token}\n`, OPTIONS);
  say({ id, result: { content: [{ type: "text", text: `${name} ${token}` }] } });
}

function take(line: string): void {
  Deno.writeTextFileSync(`${dir}/heard`, `${line}\n`, OPTIONS);
  const { id, method, params } = JSON.parse(line);
  switch (method) {
    case "initialize":
      return say({
        id,
        result: {
          protocolVersion: setup.version ?? params.protocolVersion,
          capabilities: setup.capabilities ?? { tools: {}, logging: {}, resources: {} },
          serverInfo: { name: "counting", version: "1" },
        },
      });
    case "tools/list":
      return say({ id, result: { tools: tools() } });
    case "tools/call":
      return call(id, params.name, params.arguments?.token);
    default:
      if (id !== undefined) say({ id, result: {} });
  }
}

if (textOf("fails") !== undefined) Deno.exit(9);
Deno.writeTextFileSync(`${dir}/pid`, String(Deno.pid));
let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  lines.forEach(take);
}
