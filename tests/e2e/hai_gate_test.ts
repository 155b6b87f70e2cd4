/**
 * `hoist-mcp --hai` on the running program: a contract of hai-mcp holds on every transport, and is
 * shut by the next call after the session ends.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { EVERYTHING } from "../util/client_features.ts";
import { executable } from "../util/executables.ts";
import { HaiHome } from "../util/hai_home.ts";
import { ListeningProxy } from "../util/listening_proxy.ts";
import { ManualHost } from "../util/manual_host.ts";
import { TRANSPORTS, writeSession } from "../util/write_session.ts";

const CANCEL = { order_id: "#W7a", reason: "no longer needed" };
const MAP = `hoist_hai_map: 1
server: shop
tools:
  find_user_id_by_email: {action: read, other: [email]}
  get_user_details: {action: read, other: [user_id]}
  cancel_pending_order: {action: delete, other: [order_id, reason]}
`;

/** A session of hai-mcp, its lease file and its map. */
async function contract(hai: HaiHome) {
  hai.unixMs = Date.now();
  const mission = await hai.open({
    constraints: {
      project_path: hai.project(),
      servers: ["shop"],
      tools: ["find_*", "cancel_*"],
    },
  });
  const session = await hai.authorize(mission.mission_id);
  const { session_id, session_token } = session;
  const lease = hai.write("lease.json", JSON.stringify({ session_id, session_token }));
  Deno.chmodSync(lease, 0o600);
  const map = hai.write("map.yaml", MAP);
  const flags = [
    ...["--hai", hai.home, "--hai-owner-home", hai.ownerHome],
    ...["--hai-lease", lease, "--hai-map", map],
  ];
  return { flags, lease, session_id, session_token };
}

for (const transport of TRANSPORTS) {
  Deno.test(`the contract holds, ${transport}`, async () => {
    const hai = new HaiHome();
    const { flags, lease, ...session } = await contract(hai);
    await using host = await writeSession(transport, flags);
    assertEquals(hai.has("lease.json"), false, lease);
    const listed = (await host.ask({ jsonrpc: "2.0", id: "l", method: "tools/list" })).get("l");
    const names = listed.result.tools.map(({ name }: { name: string }) => name);
    assertEquals(names, ["find_user_id_by_email"]);
    const found = await host.call("a", "find_user_id_by_email", { email: "c7@example.com" });
    assertEquals(found, { text: "user_7", isError: false });
    const refused = await host.call("b", "cancel_pending_order", CANCEL);
    assertMatch(refused.text, /^Refused by the contract, .* was not granted "delete"/);
    const unnamed = await host.call("c", "get_user_details", { user_id: "user_7" });
    assertMatch(unnamed.text, /does not name the tool get_user_details/);
    hai.unixMs = Date.now();
    await hai.call("hai_release_session", { ...session, reason: "over" });
    const over = await host.call("f", "find_user_id_by_email", { email: "c7@example.com" });
    assertMatch(over.text, /This session is released|lease_revoked/);
    const lines = await host.end();
    const answered = lines.filter(({ from, message }) => from === "proxy" && message?.result);
    assertEquals(answered.length >= 3, true);
    hai.remove();
  });
}

const SLOW_MAP = `hoist_hai_map: 1
server: shop
tools:
  trigger-long-running-operation: {action: read, other: [duration, steps]}
`;

/** A contract that names a tool that takes ten minutes. */
async function slowContract(hai: HaiHome) {
  hai.unixMs = Date.now();
  const constraints = { project_path: hai.project(), servers: ["shop"] };
  const mission = await hai.open({ constraints });
  const { session_id, session_token } = await hai.authorize(mission.mission_id);
  const lease = hai.write("lease.json", JSON.stringify({ session_id, session_token }));
  Deno.chmodSync(lease, 0o600);
  const map = hai.write("map.yaml", SLOW_MAP);
  const flags = ["--hai", hai.home, "--hai-owner-home", hai.ownerHome];
  return {
    flags: [...flags, "--hai-lease", lease, "--hai-map", map],
    release: async () => {
      hai.unixMs = Date.now();
      await hai.call("hai_release_session", { session_id, session_token, reason: "over" });
    },
  };
}

const SLOW = { duration: 600, steps: 2 };

Deno.test("a call under way is given up when its session ends, on stdio", async () => {
  const hai = new HaiHome();
  const { flags, release } = await slowContract(hai);
  await using host = await ManualHost.start({
    direct: true,
    // The server does not stop for a cancellation; nobody waits for it.
    server: [...executable("hoist-mcp"), ...flags, "--exit-grace", "0.1", "--", ...EVERYTHING],
  });
  const line = (message: unknown) => JSON.stringify({ jsonrpc: "2.0", ...Object(message) }) + "\n";
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  };
  await host.send(line({ id: 0, method: "initialize", params }));
  await host.lines(1);
  await host.send(line({ method: "notifications/initialized" }));
  const call = { name: "trigger-long-running-operation", arguments: SLOW };
  await host.send(line({ id: "slow", method: "tools/call", params: call }));
  await host.send(line({ id: "ping", method: "ping" }));
  const until = async (text: string) => {
    for (let n = 2; !host.text().includes(text); n++) await host.lines(n);
  };
  await until('"id":"ping"');
  await release();
  await until('"id":"slow"');
  assertMatch(host.text(), /"id":"slow","result":\{.*it is not known whether it was done/);
  await host.close();
  await host.exit();
  hai.remove();
});

Deno.test("a call under way is given up when its session ends, over HTTP", async () => {
  const hai = new HaiHome();
  const { flags, release } = await slowContract(hai);
  {
    await using proxy = await ListeningProxy.start({
      flags: [...flags, "--exit-grace", "0.1"],
      server: ["--", ...EVERYTHING],
    });
    const host = await proxy.open();
    const ready = await host.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    await ready.body?.cancel();
    const called = host.call("slow", "trigger-long-running-operation", SLOW);
    await host.post({ jsonrpc: "2.0", id: "ping", method: "ping" }).then((pong) => pong.text());
    await release();
    const [answer] = await called;
    assertEquals([answer.id, answer.result.isError], ["slow", true]);
    assertMatch(answer.result.content[0].text, /it is not known whether it was done/);
  }
  hai.remove();
});

Deno.test("hoist-mcp --hai starts with a session, a map and a state that can be read, or not at all", async () => {
  const hai = new HaiHome();
  const { flags, lease } = await contract(hai);
  const [program = "", ...args] = executable("hoist-mcp");
  const run = async (...more: string[]) => {
    const { code, stderr, stdout } = await new Deno.Command(program, {
      args: [...args, ...more, "--", "true"],
      stdin: "null",
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, said: text(stderr) + text(stdout) };
  };
  const printed = await run(...flags, "--print-permissions");
  assertEquals([printed.code, hai.has("lease.json")], [0, true]);
  const stray = await run("--hai", hai.home);
  assertMatch(stray.said, /--hai needs --hai-lease/);
  Deno.chmodSync(lease, 0o644);
  const open = await run(...flags);
  assertEquals([open.code, hai.has("lease.json")], [2, true]);
  assertMatch(open.said, /others may read it; chmod 600/);
  Deno.chmodSync(lease, 0o600);
  hai.write("map.yaml", MAP.replace("action: read", "acts: read"));
  const badMap = await run(...flags);
  assertEquals([badMap.code, hai.has("lease.json")], [2, true]);
  Deno.removeSync(lease);
  hai.write("map.yaml", MAP);
  assertEquals((await run(...flags)).code, 2);
  hai.remove();
});
