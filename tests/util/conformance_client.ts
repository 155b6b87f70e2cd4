/**
 * A stdio host behind which `hoist-mcp --upstream` is the HTTP client, for the
 * client scenarios of the conformance suite: the suite appends its server's URL
 * to this command line and watches what arrives.
 *
 * Usage: `deno run -A conformance_client.ts URL`, with `MCP_CONFORMANCE_SCENARIO`,
 * `MCP_CONFORMANCE_PROTOCOL_VERSION` and `MCP_CONFORMANCE_CONTEXT` set.
 *
 * @module
 */

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { executable } from "./executables.ts";

const url = Deno.args.at(-1) ?? "";
const scenario = Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "";
const version = Deno.env.get("MCP_CONFORMANCE_PROTOCOL_VERSION") ?? "2025-11-25";
const context: { toolCalls?: { name: string; arguments: Record<string, unknown> }[] } = JSON.parse(
  Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}",
);

const client = new Client({ name: "conformance-host", version: "1.0.0" }, {
  capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
  ...(version > "2025-11-25" ? { versionNegotiation: { mode: { pin: version } } } : {}),
});
client.setRequestHandler("elicitation/create", ({ params }) => {
  const properties = "requestedSchema" in params ? params.requestedSchema.properties : {};
  const asked = Object.keys(properties ?? {});
  const content = asked.includes("confirmed") || asked.includes("ok") || asked.includes("name")
    ? Object.fromEntries(
      Object.entries(properties ?? {}).flatMap(([name, property]) =>
        "default" in property ? [] : [[name, property.type === "boolean" ? true : "Ada"]]
      ),
    )
    : {};
  return { action: "accept", content };
});
client.setRequestHandler("roots/list", () => ({ roots: [] }));

const [command = "", ...args] = [...executable("hoist-mcp"), "--upstream", url];
const transport = new StdioClientTransport({
  command,
  args,
  stderr: "inherit",
  env: Deno.env.toObject(),
});
await client.connect(transport);
const { tools } = await client.listTools().catch(() => ({ tools: [] }));
const rich = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
const calls = context.toolCalls ?? tools.map(({ name, inputSchema }) => ({
  name,
  arguments: name === "json_schema_echo" ? { schema: rich } : sample(inputSchema),
}));
for (const call of calls) {
  if (scenario === "json-schema-ref-no-deref") break;
  try {
    await client.callTool(call);
  } catch (error) {
    console.error(`${call.name}: ${error}`); // The suite judges what arrived.
  }
}
if (scenario === "http-standard-headers") {
  for (
    const ask of [
      () => client.listPrompts(),
      () => client.listResources(),
      () => client.readResource({ uri: "file:///path/to/file%20name.txt" }),
      () => client.getPrompt({ name: "test_prompt", arguments: {} }),
    ]
  ) await ask().catch((error) => console.error(String(error)));
}
await client.close();

/** Arguments that a schema takes. */
function sample(
  schema: { readonly properties?: Record<string, unknown> | undefined },
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const { type } = property as { type?: string };
      return [name, type === "number" || type === "integer" ? 2 : type === "boolean" ? true : "x"];
    }),
  );
}
