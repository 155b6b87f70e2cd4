/**
 * Real servers behind the proxy: a client that uses every feature gets, and
 * sends, exactly the lines it would without it.
 */

import { assert, assertEquals } from "@std/assert";
import { listLogs, readLog } from "../../lib/disk/read_log.ts";
import { EVERYTHING, everythingFeatures } from "../util/client_features.ts";
import { executable } from "../util/executables.ts";
import { filesystemFeatures } from "../util/filesystem_features.ts";
import type { WireLine } from "../util/wire_transport.ts";

for (const record of [false, true]) {
  const name = record ? "hoist-mcp --record" : "hoist-mcp";

  Deno.test(`${name} is not noticed between a client and server-everything`, async () => {
    const dir = await Deno.makeTempDir();
    const proxy = [...executable("hoist-mcp"), ...(record ? ["--record", dir] : []), "--"];
    const tour = { graceMs: 300 };
    const direct = await everythingFeatures(EVERYTHING, tour);
    const proxied = await everythingFeatures([...proxy, ...EVERYTHING], tour);
    assert(direct.transcript.length > 200, `${direct.transcript.length} lines`);
    assertEquals(proxied.transcript, direct.transcript);
    if (record) await logHoldsTheWire(dir, proxied.wire);
    await Deno.remove(dir, { recursive: true });
  });

  Deno.test(`${name} is not noticed between a client and server-filesystem`, async () => {
    const dir = await Deno.makeTempDir();
    const proxy = [...executable("hoist-mcp"), ...(record ? ["--record", dir] : []), "--"];
    const direct = await filesystemFeatures((server) => server);
    const proxied = await filesystemFeatures((server) => [...proxy, ...server]);
    assert(direct.transcript.length > 50, `${direct.transcript.length} lines`);
    assertEquals(proxied.transcript, direct.transcript);
    if (record) await logHoldsTheWire(dir, proxied.wire);
    await Deno.remove(dir, { recursive: true });
  });
}

/** The log holds the very lines that the client sent and received, each way in order. */
async function logHoldsTheWire(dir: string, wire: readonly WireLine[]): Promise<void> {
  const [log] = await listLogs(dir);
  assert(log !== undefined);
  const { lines, problems } = await readLog(log.path);
  assertEquals(problems, []);
  for (const from of ["client", "server"]) {
    assertEquals(
      lines.filter((l) => l.from === from).map((l) => l.kind === "message" ? l.text : l.raw),
      wire.filter((l) => l.from === from).map((l) => l.text),
    );
  }
}
