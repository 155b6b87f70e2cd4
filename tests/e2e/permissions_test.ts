/**
 * docs/permissions.md, row by row: each mode is started with exactly what it is to
 * need, and says itself what is left of it once its session runs.
 */

import { assert, assertEquals } from "@std/assert";
import {
  needsWorker,
  permissionFlags,
  type PermissionNeeds,
  permissionNeeds,
  sessionNeeds,
  shellLine,
} from "../../lib/proxy_options/permissions.ts";
import { COMMANDS } from "../../lib/commands/hoist_commands.ts";
import { executable, ROOT, util } from "../util/executables.ts";
import { ListeningProxy } from "../util/listening_proxy.ts";
import { ManualHost } from "../util/manual_host.ts";
import { MODES, optionsOf, oracleOf, WRITTEN } from "../util/permission_modes.ts";
import { ScriptedUpstream } from "../util/scripted_upstream.ts";

const TOKEN = "0123456789abcdef";
const ENV = { HOIST_DEBUG: "permissions", VAR: "value" };
const KINDS = ["run", "read", "write", "net", "env", "sys", "ffi", "import"] as const;
const NONE: PermissionNeeds = { run: [], read: [], write: [], net: [], env: [] };

/** What `HOIST_DEBUG=permissions` says of a process that holds these. */
function left(needs: PermissionNeeds): string[] {
  return KINDS.map((kind) => {
    const names = (Object.hasOwn(needs, kind) ? needs[kind as keyof PermissionNeeds] : []) ?? [];
    return `permission ${kind}: ${
      names.length === 0 ? "not granted" : `granted for ${names.join(", ")}`
    }`;
  });
}

/** What a process said is left, by who said it: the program, or its worker. */
function said(stderr: string, who: "" | "worker: "): string[] {
  const start = `hoist-mcp: ${who}`;
  return stderr.split("\n").filter((line) => line.startsWith(`${start}permission `))
    .map((line) => line.slice(start.length));
}

/** The program under test, with no more than a mode needs. */
function program(args: readonly string[]): string[] {
  if (Deno.env.get("HOIST_BIN") !== undefined) return executable("hoist-mcp");
  const main = `${ROOT}/cmd/hoist_mcp.ts`;
  const options = optionsOf(args);
  const needs = permissionNeeds(options, main, oracleOf(options));
  return [executable("hoist-mcp")[0] ?? "", "run", ...permissionFlags(needs), main];
}

for (const mode of MODES) {
  Deno.test(`hoist-mcp ${shellLine(mode(WRITTEN))} starts with what it needs, and keeps what is listed`, async () => {
    await using upstream = new ScriptedUpstream();
    const dir = await Deno.makeTempDir();
    await Deno.writeTextFile(`${dir}/token`, TOKEN);
    const session = '{"session_id":"S","session_token":"T"}';
    await Deno.writeTextFile(`${dir}/lease.json`, session, { mode: 0o600 });
    await Deno.writeTextFile(`${dir}/map.yaml`, "hoist_hai_map: 1\nserver: s\ntools: {}\n");
    const args = mode({
      command: util("echo_mcp_server"),
      url: upstream.url,
      dir: `${dir}/log`,
      address: "127.0.0.1:0",
      token: `${dir}/token`,
      flow: `${ROOT}/testdata/flows/parcels.flow.json`,
      lock: `${ROOT}/testdata/catalog/demo.lock.json`,
      context: `${dir}/context.jsonl`,
      cache: `${dir}/cache`,
      source: dir,
      approve: `${ROOT}/testdata/guards/approve.yaml`,
      held: `${dir}/held`,
      lease: `${dir}/lease.json`,
      map: `${dir}/map.yaml`,
      home: `${dir}/hai`,
      owner: `${dir}/owner`,
    });
    const options = optionsOf(args);
    let stderr: string;
    if (options.listen === undefined) {
      await using host = await ManualHost.start({
        direct: true,
        server: [...program(args), ...args],
        env: ENV,
      });
      const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };
      await host.send(JSON.stringify(hello) + "\n");
      await host.lines(1);
      await host.close();
      assertEquals(await host.exit(), 0);
      stderr = await host.stderr();
    } else {
      const at = args.indexOf("--listen");
      const proxy = await ListeningProxy.start({
        program: program(args),
        flags: [],
        server: [...args.slice(0, at), ...args.slice(at + 2)],
        env: ENV,
      });
      await proxy.open("2025-11-25", { authorization: `Bearer ${TOKEN}` });
      proxy.kill("SIGTERM");
      await proxy.exit();
      stderr = await proxy.stderr();
      await proxy[Symbol.asyncDispose]();
    }
    assertEquals(said(stderr, ""), left(NONE), stderr);
    const oracle = oracleOf(options);
    const inWorker = needsWorker(options, oracle) ? left(sessionNeeds(options, oracle)) : [];
    assertEquals(said(stderr, "worker: "), inWorker, stderr);
    await Deno.remove(dir, { recursive: true });
  });
}

Deno.test("the other programs give up what they do not need", async () => {
  const dir = await Deno.makeTempDir();
  const files = ["env", "read", "write"];
  const kept = (command: string) => [...files, ...COMMANDS[command]?.keeps ?? []];
  const rows: readonly (readonly [readonly string[], readonly string[], string?])[] = [
    [["hoist", "episodes", dir], kept("episodes")],
    [["hoist", "init", "--host", "cursor", "--name", "s", "--", "x"], kept("init")],
    [["hoist", "completions", "bash"], kept("completions")],
    [["hoist", "doctor", "--config", `${dir}/none`, "--host", "cursor"], kept("doctor")],
    [["hoist", "compile", "--help"], kept("compile")],
    [["hai-mcp"], files],
    [["hai-mcp"], [...files, "net"], "ntfy"],
    [["hai-mcp"], [...files, "run"], "touchid"],
    [["hoist-mcp-demo"], []],
  ];
  for (const [words, wanted, channel = "file"] of rows) {
    const [deno = "", ...args] = [...util("command_probe"), ...words];
    const { stderr } = await new Deno.Command(deno, {
      args,
      stdin: "null",
      env: { HAI_HOME: `${dir}/hai`, HAI_OWNER_HOME: `${dir}/owner`, HAI_OWNER_CHANNEL: channel },
    }).output();
    const text = new TextDecoder().decode(stderr);
    assert(text.includes("permission run: "), text);
    const granted = [...text.matchAll(/^permission (\w+): granted$/gm)].map(([, kind]) => kind);
    assertEquals(granted.sort(), wanted.toSorted(), words.join(" "));
  }
  await Deno.remove(dir, { recursive: true });
});
