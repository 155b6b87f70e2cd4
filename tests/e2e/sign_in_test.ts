/**
 * `hoist auth` and `hoist-mcp --upstream` with a real authorization server.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { executable } from "../util/executables.ts";
import { denoDir } from "../util/scratch_home.ts";
import { ManualHost } from "../util/manual_host.ts";
import { type OidcRig, oidcRig, ROBOT } from "../util/oidc_rig.ts";

/** Runs `hoist auth`; `seen` gets each line of stderr as it comes. */
async function auth(
  home: string,
  args: readonly string[],
  seen: (line: string) => void = () => {},
): Promise<{ code: number; out: string; said: string }> {
  const [program = "", ...first] = executable("hoist");
  const child = new Deno.Command(program, {
    args: [...first, "auth", ...args],
    env: { HOME: home, DENO_DIR: await denoDir(), ROBOT_SECRET: ROBOT.client_secret },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let said = "";
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      said += text;
      text.split("\n").forEach(seen);
    }
  })();
  const out = await new Response(child.stdout).text();
  await reading;
  return { code: (await child.status).code, out, said };
}

/** Signs in with a browser that agrees to everything. */
async function login(rig: OidcRig, home: string, ...more: readonly string[]) {
  let landing: Promise<unknown> = Promise.resolve();
  const result = await auth(home, ["login", rig.url, "--no-browser", ...more], (line) => {
    const url = /open this URL to sign in: (\S+)/.exec(line)?.[1];
    if (url === undefined) return;
    landing = rig.browse(url).then(async (end) => await (await fetch(end)).text());
  });
  await landing;
  return result;
}

async function withRig(
  test: (rig: OidcRig, home: string) => Promise<void>,
  options: Parameters<typeof oidcRig>[0] = {},
): Promise<void> {
  await using rig = await oidcRig(options);
  const home = await Deno.makeTempDir({ prefix: "hoist-auth-" });
  await test(rig, home);
  await Deno.remove(home, { recursive: true });
}

const line = (id: number, method: string, params = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n";
const INITIALIZE = line(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "h", version: "1" },
});
const call = (id: number) => line(id, "tools/call", { name: "t", arguments: {} });

/** Rules that refuse every call. */
const GUARD_RULES = `hoist_guards: 1
domain: any
about: Nothing may be called here.
rules:
  - id: any.none
    for: [t]
    mode: enforce
    refuse: "true"
    because: not with this server
`;

/** One session through the proxy: the answers to a call, and what was said. */
async function session(
  rig: OidcRig,
  home: string,
  ...flags: readonly string[]
): Promise<{ text: string; said: string }> {
  const command = [...executable("hoist-mcp"), "--record", `${home}/logs`, ...flags];
  await using host = await ManualHost.start({
    direct: true,
    server: [...command, "--upstream", rig.url],
    env: { HOME: home, DENO_DIR: await denoDir() },
  });
  await host.send(INITIALIZE);
  await host.lines(1);
  await host.send(call(1));
  await host.lines(2);
  await host.close();
  assertEquals(await host.exit(), 0);
  return { text: host.text(), said: await host.stderr() };
}

/** The token that is kept. */
async function accessToken(home: string): Promise<string> {
  for await (const path of filesIn(`${home}/.hoist`)) {
    if (!path.endsWith("sign_in.json")) continue;
    return JSON.parse(await Deno.readTextFile(path)).accessToken;
  }
  throw new Error("no sign-in is kept");
}

/** Every file below a folder. */
async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesIn(`${folder}/${name}`);
    else yield `${folder}/${name}`;
  }
}

Deno.test("hoist auth login signs in with a browser; sessions use it; logout ends it", () =>
  withRig(async (rig, home) => {
    const before = await session(rig, home);
    assertStringIncludes(before.text, `hoist auth login ${rig.url}`);
    const done = await login(rig, home);
    assertEquals([done.code, rig.faults], [0, []], done.said);
    assertStringIncludes(done.out, `signed in at ${rig.url}`);
    const { text } = await session(rig, home);
    assertStringIncludes(text, "let in");
    const status = await auth(home, ["status"]);
    assertStringIncludes(status.out, "renewed by itself");
    const secrets: string[] = [];
    for await (const path of filesIn(`${home}/.hoist`)) {
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600, path);
      if (!path.endsWith("sign_in.json")) continue;
      const { accessToken, refreshToken } = JSON.parse(await Deno.readTextFile(path));
      secrets.push(accessToken, refreshToken);
    }
    assertEquals(secrets.length, 2);
    for await (const path of filesIn(`${home}/logs`)) {
      const log = await Deno.readTextFile(path);
      assert(!secrets.some((secret) => log.includes(secret)), "no token in a log");
    }
    for (const said of [done.out, done.said, status.out]) {
      assert(!secrets.some((secret) => said.includes(secret)), "no token in what is said");
    }
    assertEquals((await auth(home, ["logout", rig.url])).code, 0);
    assertStringIncludes((await session(rig, home)).text, "hoist auth login");
    assertEquals((await auth(home, ["status"])).code, 1);
  }));

Deno.test("hoist auth login --device signs in with a code", () =>
  withRig(async (rig, home) => {
    let page: Promise<unknown> = Promise.resolve();
    const done = await auth(home, ["login", rig.url, "--device"], (said) => {
      const url = /open (\S+) and enter/.exec(said)?.[1];
      if (url !== undefined) page = rig.browse(url);
    });
    await page;
    assertEquals([done.code, rig.faults], [0, []], done.said);
    assertStringIncludes((await session(rig, home)).text, "let in");
  }));

Deno.test("hoist auth login --client-credentials signs in as a client", () =>
  withRig(async (rig, home) => {
    const done = await auth(home, [
      ...["login", rig.url, "--client-credentials", "--oauth-client-id", ROBOT.client_id],
      ...["--oauth-client-secret-env", "ROBOT_SECRET"],
    ]);
    assertEquals([done.code, rig.faults], [0, []], done.said);
    assertStringIncludes((await session(rig, home)).text, "let in");
  }));

Deno.test("hoist-mcp says which rights are missing, and hoist auth login gets them", () =>
  withRig(async (rig, home) => {
    await login(rig, home);
    rig.needs = "write";
    const { text } = await session(rig, home);
    const [, scope = ""] = /hoist auth login \S+ --scope '([^']+)'/.exec(text) ?? [];
    assertEquals(scope.split(" ").includes("write"), true, text);
    assertEquals((await login(rig, home, "--scope", scope)).code, 0);
    assertStringIncludes((await session(rig, home)).text, "let in");
  }));

Deno.test("an old server that asks for a sign-in is recorded and guarded as any other", () =>
  withRig(async (rig, home) => {
    assertStringIncludes((await session(rig, home)).text, `hoist auth login ${rig.url}`);
    const done = await login(rig, home);
    assertEquals([done.code, rig.faults], [0, []], done.said);
    const rules = `${home}/rules.yaml`;
    await Deno.writeTextFile(rules, GUARD_RULES);
    for (const transport of ["auto", "sse"]) {
      const how = ["--upstream-transport", transport];
      const { text } = await session(rig, home, ...how);
      assertStringIncludes(text, "let in");
      const guarded = await session(rig, home, ...how, "--guards", "--guard-rules", rules);
      assert(!guarded.text.includes("let in"), guarded.text);
      assertStringIncludes(guarded.text, "not with this server");
    }
    let recorded = 0;
    const secret = await accessToken(home);
    for await (const path of filesIn(`${home}/logs`)) {
      const log = await Deno.readTextFile(path);
      if (log.includes("let in")) recorded++;
      assert(!log.includes(secret), "no token in a log");
    }
    assertEquals(recorded, 2);
  }, { oldEndpoint: "/message?session=1" }));

Deno.test("a token goes to no endpoint on another port", async () => {
  const asked: string[] = [];
  await using other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    asked.push(`${request.method} ${request.url}`);
    return new Response(null, { status: 202 });
  });
  await withRig(async (rig, home) => {
    assertEquals((await login(rig, home)).code, 0);
    const { text, said } = await session(rig, home, "--upstream-transport", "sse");
    assertStringIncludes(text + said, "another origin");
    assertEquals(asked, []);
  }, { oldEndpoint: `http://127.0.0.1:${other.addr.port}/message` });
});

Deno.test("eight proxies renew one sign-in, and use no refresh token twice", () =>
  withRig(async (rig, home) => {
    await login(rig, home);
    rig.usesOfToken = 40; // Then all of them find it refused at once.
    const env = { HOME: home, DENO_DIR: await denoDir() };
    const hosts = await Promise.all(Array.from({ length: 8 }, () =>
      ManualHost.start({
        direct: true,
        server: [...executable("hoist-mcp"), "--upstream", rig.url],
        env,
      })));
    try {
      await Promise.all(hosts.map(async (host) => {
        await host.send(INITIALIZE);
        await host.lines(1);
        for (let id = 1; id <= 15; id++) {
          await host.send(call(id));
          await host.lines(id + 1);
        }
      }));
      for (const host of hosts) {
        assertEquals(host.text().split("let in").length - 1, 15, host.text());
      }
      assertEquals(rig.faults, []);
      assert(rig.refreshes > 0, "tokens were renewed");
    } finally {
      for (const host of hosts) await host[Symbol.asyncDispose]();
    }
  }));
