/**
 * hai-mcp as hosts start it: real SDK clients of both eras over both
 * transports, without the right to run programs and, on stdio, to use the
 * network.
 *
 * @module
 */

import {
  Client as ModernClient,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { checkBind, rule } from "../../lib/hai/serve/hai_http_server.ts";
import { type Answer, HaiHome } from "../util/hai_home.ts";
import { launch, runOnce, serveHttp } from "../util/hai_server.ts";

/** The SDKs' clients leave the timers behind that end a server which does not leave. */
function e2e(name: string, fn: () => Promise<void> | void): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

/** The part of both clients that these tests use. */
interface AnyClient {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Answer>;
  listTools(): Promise<Answer>;
  getInstructions(): string | undefined;
  getServerVersion(): { name: string; version: string } | undefined;
  close(): Promise<void>;
}

const INFO = { name: "test", version: "1" };

const CLIENTS: Record<string, (hai: HaiHome, url: string | undefined) => Promise<AnyClient>> = {
  "2025-11-25": async (hai, url) => {
    const client = new LegacyClient(INFO);
    await client.connect(
      url === undefined
        ? new LegacyStdio({ ...launch(hai), stderr: "inherit" })
        : new LegacyHttp(new URL(url), bearer()),
    );
    return client;
  },
  "2026-07-28": async (hai, url) => {
    const client = new ModernClient(INFO, {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    await client.connect(
      url === undefined
        ? new StdioClientTransport({ ...launch(hai), stderr: "inherit" })
        : new StreamableHTTPClientTransport(new URL(url), bearer()),
    );
    return client;
  },
};

function bearer() {
  return { requestInit: { headers: { Authorization: "Bearer t0ken" } } };
}

/** Calls a tool; text and data must say the same. */
async function call(client: AnyClient, name: string, args: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: args });
  assertEquals(result.content.length, 1);
  assertEquals(JSON.parse(result.content[0].text), result.structuredContent);
  assertEquals(result.isError ?? false, false);
  return result.structuredContent;
}

const NAMES = [
  "hai_health hai_status hai_get_next_step hai_read_artifacts hai_propose_next_step",
  "hai_accept_next_step hai_park hai_set_focus hai_checkpoint hai_recover hai_open_mission",
  "hai_bind_project hai_authorize_session hai_get_contract hai_check_activity hai_park_item",
  "hai_recontract hai_close_mission hai_intake hai_distill hai_mission_start hai_drift_check",
  "hai_proof hai_stop hai_learning_start hai_learning_complete hai_learning_abandon",
  // Ours.
  "hai_get_mission hai_list_audit hai_list_sessions hai_renew_session hai_release_session",
  "hai_list_records hai_drop_lane hai_learning_status",
].join(" ").split(" ");

/** HAI-147, HAI-148: list, then the whole of what the seed calls driving the protocol. */
// deno-lint-ignore hoist/function-length -- one conversation, read from top to bottom
async function drive(client: AnyClient, hai: HaiHome): Promise<void> {
  assertEquals(client.getServerVersion()?.name, "hai-mcp");
  assertEquals(client.getServerVersion()?.version, "0.1.0");
  assertStringIncludes(client.getInstructions() ?? "", "hai_check_activity before each step");
  const { tools } = await client.listTools();
  assertEquals(tools.map((tool: Answer) => tool.name), NAMES);
  for (const tool of tools) {
    assertEquals([tool.inputSchema.type, tool.inputSchema.additionalProperties], ["object", false]);
    assertEquals(tool.outputSchema.type, "object");
    assert(tool.title !== undefined && tool.annotations.readOnlyHint !== undefined);
    for (const [name, schema] of Object.entries<Answer>(tool.inputSchema.properties)) {
      assert(schema.description !== undefined, `${tool.name}.${name} is not described`);
    }
  }
  assertEquals((await call(client, "hai_health")).ok, true);
  const project_path = hai.project();
  const denied = await call(client, "hai_accept_next_step", { project_path, content: "x" });
  assertEquals([denied.error, denied.status], ["owner_gate_required", "pending_owner_code"]);
  await call(client, "hai_propose_next_step", { project_path, content: "# step" });
  const waiting = await call(client, "hai_accept_next_step", { project_path });
  const accepted = await call(client, "hai_accept_next_step", {
    project_path,
    owner_code: hai.code(waiting.challenge_id),
  });
  assertEquals(accepted.canonical, true);
  const started = await call(client, "hai_mission_start", {
    problem: "Refactor the evaluator harness to be deterministic — é",
    artifact: "a pull request",
    owner: "ana",
    done_criteria: [{ id: "C1", description: "three reruns agree" }],
    time_limit_hours: 6,
    constraints: { project_path, allowed_paths: ["tests"] },
  });
  const { mission_id } = started;
  const wrong = await call(client, "hai_authorize_session", { mission_id, contract_version: "1" });
  assertEquals([wrong.error, wrong.field], ["invalid_args", "contract_version"]);
  const lease = await call(client, "hai_authorize_session", {
    mission_id,
    contract_version: 1,
    agent_identity: "codex-cli",
    role: "implementer",
    contribution: "c",
    expected_result: "e",
    duration_minutes: 90,
    criterion_ids: ["C1"],
  });
  const verdict = await call(client, "hai_drift_check", {
    session_id: lease.session_id,
    session_token: lease.session_token,
    activity_step: "replace the seed",
    criterion_id: "C1",
    affected_paths: ["tests/a.ts"],
  });
  assertEquals(verdict.classification, "in_scope");
  const change = {
    mission_id,
    contract_version: 1,
    reason: "narrow",
    changes: { objective: "Only the classifier tests" },
  };
  const asked = await call(client, "hai_recontract", change);
  assertEquals(asked.diff[0].field, "objective");
  const owner_code = hai.code(asked.challenge_id);
  const changed = await call(client, "hai_recontract", { ...change, owner_code });
  assertEquals(changed.contract_version, 2);
  hai.write("project/tests/run.log", "ok");
  const proof = { mission_id, contract_version: 2, outcome_summary: "s" };
  const open = await call(client, "hai_proof", { ...proof, evidence: {} });
  assertEquals([open.status, open.closed], ["incomplete", false]);
  const evidence = { C1: { path: "tests/run.log" } };
  assertEquals((await call(client, "hai_proof", { ...proof, evidence })).closed, true);
  const unknown = await client.callTool({ name: "hai_nothing", arguments: {} });
  assertEquals([unknown.isError, unknown.structuredContent.ok], [true, false]);
}

for (const [era, connect] of Object.entries(CLIENTS)) {
  e2e(`HAI-147 HAI-148 stdio, ${era}: the whole protocol, no net, no run`, async () => {
    const hai = new HaiHome();
    const client = await connect(hai, undefined);
    try {
      await drive(client, hai);
      assertEquals(hai.names("").sort(), ["home", "owner", "project"], "nothing else was touched");
    } finally {
      await client.close();
      hai.remove();
    }
  });

  e2e(`HAI-146 HTTP with a token, ${era}: two clients, one state`, async () => {
    const hai = new HaiHome();
    const server = await serveHttp(hai, { HAI_HTTP_TOKEN: "t0ken" });
    const client = await connect(hai, server.url);
    const other = await connect(hai, server.url);
    try {
      await drive(client, hai);
      // Wider than the mission before it, so the owner has to agree.
      const { challenge_id } = await call(client, "hai_open_mission", hai.terms());
      const owner_code = hai.code(challenge_id);
      const mission = await call(client, "hai_open_mission", { ...hai.terms(), owner_code });
      assertEquals(mission.ok, true);
      assertEquals((await call(other, "hai_get_mission")).mission_id, mission.mission_id);
    } finally {
      await client.close();
      await other.close();
      await server[Symbol.asyncDispose]();
      hai.remove();
    }
  });
}

e2e("HAI-144 checkBind() allows loopback, and other hosts only with a token", async () => {
  for (const host of ["127.0.0.1", "localhost", "::1", " LOCALHOST "]) {
    assertEquals(checkBind(host, undefined), undefined);
  }
  for (const host of ["0.0.0.0", "", "example.org", "127.0.0.1.example.org"]) {
    assert(checkBind(host, undefined) !== undefined, host);
  }
  assertStringIncludes(checkBind("0.0.0.0", undefined) ?? "", "HAI_HTTP_TOKEN");
  assertEquals(checkBind("0.0.0.0", "t"), undefined);
  assert(checkBind(" ", "t") !== undefined);
  const hai = new HaiHome();
  const refused = await runOnce(
    launch(hai, ["--transport", "streamable-http", "--host", "0.0.0.0"]),
  );
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "HAI_HTTP_TOKEN");
  hai.remove();
});

e2e("HAI-145 a token is asked of every request, before its body is read", async () => {
  const hai = new HaiHome();
  const server = await serveHttp(hai, { HAI_HTTP_TOKEN: "t0ken" });
  try {
    for (const authorization of [undefined, "t0ken", "bearer t0ken", "Bearer wrong", "Bearer"]) {
      for (const method of ["POST", "GET", "DELETE"]) {
        const response = await fetch(server.url, {
          method,
          headers: authorization === undefined ? {} : { authorization },
          ...(method === "POST" ? { body: "not even JSON" } : {}),
        });
        assertEquals([response.status, await response.json()], [401, { error: "unauthorized" }]);
      }
    }
    await assertRejects(async () => {
      const client = new LegacyClient(INFO);
      await client.connect(new LegacyHttp(new URL(server.url)));
    });
  } finally {
    await server[Symbol.asyncDispose]();
    hai.remove();
  }
});

e2e("rule() turns away foreign hosts and pages, and other paths", () => {
  const local = { host: "127.0.0.1", token: undefined };
  const ask = (headers: Record<string, string>, path = "/mcp") =>
    rule(new Request(`http://127.0.0.1:8765${path}`, { method: "POST", headers }), local)?.status;
  assertEquals(ask({ host: "127.0.0.1:8765" }), undefined);
  assertEquals(ask({ host: "localhost:8765", origin: "http://localhost:3000" }), undefined);
  assertEquals(ask({ host: "[::1]:8765" }), undefined);
  assertEquals(ask({ host: "evil.example" }), 403);
  assertEquals(ask({ host: "127.0.0.1:8765", origin: "http://evil.example" }), 403);
  assertEquals(ask({ host: "127.0.0.1:8765", origin: "null" }), 403);
  assertEquals(ask({ host: "127.0.0.1:8765" }, "/other"), 404);
});

e2e("hai-mcp answers what came before stdin ended, and ends with 0", async () => {
  const hai = new HaiHome();
  const lines = [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    ...Array.from({ length: 20 }, (_, i) => ({
      jsonrpc: "2.0",
      id: 100 + i,
      method: "tools/call",
      params: { name: "hai_intake", arguments: { raw: `n ${i}` } },
    })),
  ];
  const input = `${lines.map((line) => JSON.stringify(line)).join("\n")}\nnot JSON\n`;
  const { code, stdout } = await runOnce(launch(hai), input);
  assertEquals(code, 0);
  assertEquals(stdout.trim().split("\n").length, 21);
  assertEquals(hai.names("home/intake").length, 20);
  hai.remove();
});

e2e("hai-mcp refuses wrong settings with 2 and a hint", async () => {
  const hai = new HaiHome();
  const rows: [string[], Record<string, string>, string][] = [
    [["--transport", "pigeon"], {}, "stdio or streamable-http"],
    [[], { HAI_TRANSPORT: "http" }, "stdio or streamable-http"],
    [["--transport", "streamable-http"], { HAI_HTTP_PORT: "no" }, "0 to 65535"],
    [["--port", "99999", "--transport", "streamable-http"], {}, "0 to 65535"],
    [["--nothing"], {}, "--nothing"],
    [["owner", "dance"], {}, "dance"],
    [["recall", "resolve"], {}, "needs the item"],
    [[], { HAI_HOME: "state" }, 'HAI_HOME is set to "state", expected an absolute path'],
    [["doctor"], { HAI_HOME: "./state" }, 'HAI_HOME is set to "./state"'],
    [["owner"], { HAI_OWNER_HOME: "keys" }, 'HAI_OWNER_HOME is set to "keys"'],
  ];
  for (const [args, env, hint] of rows) {
    const { code, stderr, stdout } = await runOnce(launch(hai, args, { env }));
    assertEquals([code, stdout], [2, ""], args.join(" "));
    assertStringIncludes(stderr, hint);
  }
  const stdio = await runOnce(launch(hai, [], { env: { HAI_HTTP_PORT: "no" } }));
  assertEquals(stdio.code, 0, "a bad port does not matter on stdio");
  hai.remove();
});
