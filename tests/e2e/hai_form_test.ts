/**
 * A request that waits for the owner, in hosts that show forms: the form shows it and its outcome,
 * and no answer there approves or denies it.
 *
 * @module
 */

import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
// @ts-types="@modelcontextprotocol/sdk/client"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ownerService } from "../../lib/hai/shell/owner_service.ts";
import { type Answer, HaiHome } from "../util/hai_home.ts";
import { launch, runOnce } from "../util/hai_server.ts";

interface Host {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<Answer>;
  close(): Promise<void>;
}

type Form = { action: "accept"; content: Record<string, never> } | { action: "decline" | "cancel" };
type OnForm = (message: string) => Promise<Form> | Form;

const INFO = { name: "test", version: "1" };
const HOSTS: Record<string, (hai: HaiHome, onForm: OnForm) => Promise<Host>> = {
  "2025-11-25": async (hai, onForm) => {
    const client = new LegacyClient(INFO, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => onForm(params.message));
    await client.connect(new LegacyStdio({ ...launch(hai), stderr: "inherit" }));
    return client;
  },
  "2026-07-28": async (hai, onForm) => {
    const client = new ModernClient(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    client.setRequestHandler("elicitation/create", ({ params }) => onForm(params.message));
    await client.connect(new StdioClientTransport({ ...launch(hai), stderr: "inherit" }));
    return client;
  },
};

/** The owner's terminal, for the request of a form. */
async function decide(
  hai: HaiHome,
  message: string,
  verdict: "approved" | "denied",
): Promise<void> {
  hai.unixMs = Date.now();
  const owner = ownerService(hai.shell);
  const waiting = await owner.requests();
  assert(!("problem" in waiting));
  const asked = waiting.find(({ id }) => message.includes(id));
  assert(asked !== undefined);
  const { id: challengeId, fingerprint } = asked;
  assert(await owner.decide({ challengeId, fingerprint, verdict, via: "terminal" }));
}

interface Row {
  readonly name: string;
  /** What the owner does in the terminal while the form is open. */
  readonly terminal?: "approved" | "denied";
  readonly form: Form;
  readonly outcome: string;
}

const ACCEPT: Form = { action: "accept", content: {} };
const ROWS: readonly Row[] = [
  { name: "accepted, nothing in the terminal", form: ACCEPT, outcome: "pending_owner_code" },
  {
    name: "declined, nothing in the terminal",
    form: { action: "decline" },
    outcome: "pending_owner_code",
  },
  { name: "accepted after an approval", terminal: "approved", form: ACCEPT, outcome: "applied" },
  {
    name: "cancelled after an approval",
    terminal: "approved",
    form: { action: "cancel" },
    outcome: "applied",
  },
  { name: "accepted after a denial", terminal: "denied", form: ACCEPT, outcome: "owner_denied" },
];

for (const [era, connect] of Object.entries(HOSTS)) {
  Deno.test({
    name: `a form of ${era} shows a request and its outcome, and decides nothing`,
    sanitizeOps: false, // The SDKs' clients leave timers behind.
    sanitizeResources: false,
    async fn(t) {
      const hai = new HaiHome();
      const shown: string[] = [];
      let row: Row | undefined;
      const host = await connect(hai, async (message) => {
        shown.push(message);
        if (row?.terminal !== undefined) await decide(hai, message, row.terminal);
        return row?.form ?? { action: "cancel" };
      });
      try {
        for (row of ROWS) {
          const { name, outcome } = row;
          await t.step(`${name}: ${outcome}`, () => play(host, hai, { name, outcome, shown }));
        }
      } finally {
        await host.close();
        hai.remove();
      }
    },
  });
}

/** Asks for a change of its own and looks at the form and the reply. */
async function play(
  host: Host,
  hai: HaiHome,
  { name, outcome, shown }: { name: string; outcome: string; shown: string[] },
): Promise<void> {
  shown.length = 0;
  const wish = {
    name: "hai_accept_next_step",
    arguments: { project_path: hai.project(), content: `# ${name}` },
  };
  const { structuredContent: reply } = await host.callTool(wish);
  assertEquals(reply.ok === true ? "applied" : reply.detail ?? reply.status, outcome);
  const [message = ""] = shown;
  assertStringIncludes(message, `+ # ${name}`);
  assertStringIncludes(message, "hai-mcp owner approve C-");
  const id = /C-\S+?(?=')/.exec(message)?.[0] ?? "";
  assertEquals(message.includes(hai.code(id)), false, "a code stands in the form");
  if (outcome !== "applied") await host.callTool(wish);
  assertEquals(shown.length, 1, "a request is shown once");
}

Deno.test("a host that leaves with a form open gets its reply, and hai-mcp ends", async () => {
  const hai = new HaiHome();
  const wish = { project_path: hai.project(), content: "# step" };
  const lines = [
    {
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { elicitation: {} },
        clientInfo: INFO,
      },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "hai_accept_next_step", arguments: wish } },
  ];
  const input = lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("");
  const { code, stdout } = await runOnce(launch(hai), input);
  const said = stdout.trim().split("\n").map((line): Answer => JSON.parse(line));
  assertEquals(code, 0);
  assertEquals(said.at(-1).id, 2);
  assertEquals(said.at(-1).result.structuredContent.status, "pending_owner_code");
  hai.remove();
});
