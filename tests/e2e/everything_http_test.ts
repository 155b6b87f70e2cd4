/**
 * server-everything through every HTTP mode, driven by both versions of the SDK:
 * what a client gets is what it gets without us.
 */

import { assert, assertEquals } from "@std/assert";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { EVERYTHING } from "../util/client_features.ts";
import { executable, util } from "../util/executables.ts";
import { ListeningProxy } from "../util/listening_proxy.ts";
import { type Tour, tourV1, tourV2 } from "../util/sdk_tours.ts";

/** server-everything over HTTP. */
async function everythingHttp(
  ...transport: "sse"[]
): Promise<{ url: string } & AsyncDisposable> {
  const [program = "", ...first] = util("everything_http");
  const args = [...first, ...transport];
  const child = new Deno.Command(program, { args, stdin: "null", stdout: "piped", stderr: "null" })
    .spawn();
  const reader = child.stdout.getReader();
  let said = "";
  let url: string | undefined;
  while (url === undefined) {
    const { value, done } = await reader.read();
    assert(!done, said);
    said += new TextDecoder().decode(value);
    url = /^http:.*$/m.exec(said)?.[0];
  }
  await reader.cancel();
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

const OPTIONS = { sanitizeOps: false, sanitizeResources: false }; // The SDKs keep timers.

for (const [name, tour] of [["v1", tourV1], ["v2", tourV2]] as const) {
  Deno.test({
    name: `SDK ${name} gets from server-everything through every HTTP mode what it gets directly`,
    ...OPTIONS,
    async fn() {
      await using upstream = await everythingHttp();
      const direct = await tour({ url: upstream.url });
      assert(direct.length > 25, `${direct.length} steps`);
      const same = (other: Tour) => assertEquals(other, direct);
      {
        await using proxy = await ListeningProxy.start({
          server: ["--upstream", upstream.url],
          record: true,
        });
        same(await tour({ url: proxy.url }));
      }
      {
        await using proxy = await ListeningProxy.start({
          server: ["--", ...EVERYTHING],
          record: true,
        });
        same(await tour({ url: proxy.url }));
      }
      same(await tour({ command: [...executable("hoist-mcp"), "--upstream", upstream.url] }));
    },
  });
}

Deno.test({
  name: "an upstream of HTTP+SSE is served on stdio, and over Streamable HTTP",
  ...OPTIONS,
  async fn() {
    await using upstream = await everythingHttp("sse");
    const proxied = [...executable("hoist-mcp"), "--upstream", upstream.url];
    assertEquals(await tourV1({ command: proxied }), await tourV1({ command: EVERYTHING }));
    const named = [...proxied, "--upstream-transport", "sse"];
    await using proxy = await ListeningProxy.start({ server: ["--", ...named] });
    const client = new ClientV2({ name: "t", version: "0" });
    await client.connect(new HttpV2(new URL(proxy.url)));
    assert((await client.listTools()).tools.length > 5);
    await client.close();
  },
});

Deno.test({
  name: "SDK v2 in auto mode finds each server's era through --listen and --upstream",
  ...OPTIONS,
  async fn() {
    await using upstream = await everythingHttp();
    const auto = () =>
      new ClientV2({ name: "t", version: "0" }, { versionNegotiation: { mode: "auto" } });
    const listTools = async (client: ClientV2) => {
      const { tools } = await client.listTools();
      await client.close();
      return tools.length;
    };
    const fixture = [...util("conformance_server"), "stdio"];
    for (
      const server of [["--upstream", upstream.url], ["--", ...EVERYTHING], ["--", ...fixture]]
    ) {
      await using proxy = await ListeningProxy.start({ server });
      const client = auto();
      await client.connect(new HttpV2(new URL(proxy.url)));
      assert(await listTools(client) > 5, server.join(" "));
    }
    const [command = "", ...args] = [...executable("hoist-mcp"), "--upstream", upstream.url];
    const client = auto();
    const env = Deno.env.toObject();
    await client.connect(new StdioV2({ command, args, env, stderr: "ignore" }));
    assert(await listTools(client) > 5);
  },
});
