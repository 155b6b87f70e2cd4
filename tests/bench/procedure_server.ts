/**
 * The server of `procedure.ts`: one tool, and the time of its first call in a file.
 *
 * @module
 */

const [stamp = ""] = Deno.args;
let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    if (id === undefined) continue;
    const results: Record<string, unknown> = {
      "initialize": {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "bench", version: "1" },
      },
      "tools/list": {
        tools: [{
          name: "find",
          inputSchema: { type: "object", properties: { id: { type: "string" } } },
        }],
      },
      "tools/call": { content: [{ type: "text", text: "found" }] },
    };
    if (method === "tools/call") Deno.writeTextFileSync(stamp, String(Date.now()));
    const answer = results[method] === undefined
      ? { error: { code: -32601, message: "Method not found" } }
      : { result: results[method] };
    const bytes = new TextEncoder().encode(
      JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\n",
    );
    Deno.stdout.writeSync(bytes);
  }
}
