/** `hoist console` as a process: who gets in, what grows, which permissions are left. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { INDEX_FILE } from "../../lib/console/index/index_database.ts";
import { executable, ROOT } from "../util/executables.ts";
import { RunningConsoleProcess } from "../util/running_console.ts";
import { answer, call } from "../util/script_log.ts";

const FIXTURES = `${ROOT}/testdata/sessions/v2`;

async function logs(...names: string[]): Promise<string> {
  const dir = await Deno.makeTempDir();
  for (const name of names) {
    await Deno.copyFile(`${FIXTURES}/${name}.jsonl`, `${dir}/${name}.jsonl`);
  }
  return dir;
}

Deno.test("hoist console shows nothing to whoever brings no cookie, another host or another site", async () => {
  const dir = await logs("parcels");
  await using console = await RunningConsoleProcess.start([dir]);
  const status = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const reply = await console.get(path, headers);
    const text = await reply.text();
    assertEquals(text.includes("desk 3"), reply.status === 200, path);
    return reply.status;
  };
  assertEquals(await status("/"), 401);
  assertEquals(await status("/s/parcels"), 401, "a link holds no token");
  assertEquals(await status("/events"), 401);
  assertEquals(await status("/?token=0000"), 401);
  await console.signIn();
  assertEquals(await status(`/?token=${console.token}`), 401, "a token is worth one sign-in");
  await console.until("/", (text) => text.includes("parcels"));
  assertEquals(await status("/"), 200);
  assertEquals(await status("/", { origin: "http://evil.example" }), 403);
  assertEquals(await status("/", { cookie: "hoist_console_1=x" }), 401);
  await console.stderr.until("for another browser: http://127.0.0.1:");
  assertEquals(await console.stop(), 0);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("hoist console refuses the name of another host, and changes without an origin", async () => {
  const dir = await logs("parcels");
  await using console = await RunningConsoleProcess.start([dir]);
  const { hostname, port } = new URL(console.base);
  const ask = async (head: string) => {
    using connection = await Deno.connect({ hostname, port: Number(port) });
    await connection.write(new TextEncoder().encode(`${head}\r\nConnection: close\r\n\r\n`));
    const bytes = new Uint8Array(100);
    const n = await connection.read(bytes) ?? 0;
    return new TextDecoder().decode(bytes.subarray(0, n)).split("\r\n")[0];
  };
  const token = `/?token=${console.token}`;
  assertEquals(await ask(`GET ${token} HTTP/1.1\r\nHost: evil.example`), "HTTP/1.1 403 Forbidden");
  assertEquals(
    await ask(`POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0`),
    "HTTP/1.1 403 Forbidden",
  );
  assertEquals(
    await ask(`GET ${token} HTTP/1.1\r\nHost: localhost:${port}`),
    "HTTP/1.1 200 OK",
  );
  await Deno.remove(dir, { recursive: true });
});

Deno.test("hoist console answers with a policy that runs, frames and loads nothing else", async () => {
  const dir = await logs("parcels");
  await using console = await RunningConsoleProcess.start([dir]);
  await console.signIn();
  const reply = await console.get("/");
  const text = await reply.text();
  assertEquals(reply.headers.get("content-security-policy")?.includes("unsafe"), false);
  assertEquals(reply.headers.get("x-content-type-options"), "nosniff");
  assertEquals(reply.headers.get("referrer-policy"), "same-origin");
  assertEquals(
    /<script(?! defer src="\/_\/)|\son\w+=|style=|https?:\/\//.test(text),
    false,
  );
  await Deno.remove(dir, { recursive: true });
});

Deno.test("hoist console tells open pages of a session that grows, and shows what came", async () => {
  const dir = await logs("parcels");
  await using console = await RunningConsoleProcess.start([dir]);
  await console.signIn();
  await console.until("/", (text) => text.includes("/s/parcels"));
  const events = await console.get("/events");
  const reader = (events.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())
    .getReader();
  const line = (t_ms: number, from: string, message: object) =>
    JSON.stringify({ t_ms, from, message }) + "\n";
  await Deno.writeTextFile(
    `${dir}/parcels.jsonl`,
    line(90, "client", call(8, "brand_new")) + line(95, "server", answer(8, "here")),
    { append: true },
  );
  let told = "";
  while (!told.includes('"keys":["parcels"]')) told += (await reader.read()).value ?? "";
  assertStringIncludes(await console.until("/s/parcels", (t) => t.includes("brand_new")), "Turn 2");
  await reader.cancel();
  await Deno.remove(`${dir}/parcels.jsonl`);
  await console.until("/", (text) => text.includes("No sessions yet"));
  await Deno.remove(dir, { recursive: true });
});

Deno.test("hoist console starts with what it prints, and keeps nothing but its folders and address", async () => {
  const dir = await Deno.realPath(await logs("parcels"));
  const index = await Deno.realPath(await Deno.makeTempDir());
  const [program = "", ...first] = executable("hoist");
  const args = ["console", "--print-permissions", "--no-open", "--index", index, dir];
  const { stdout } = await new Deno.Command(program, { args: [...first, ...args] }).output();
  const printed = new TextDecoder().decode(stdout).trim();
  assertStringIncludes(printed, `--allow-write=${index} --allow-net=127.0.0.1:7878`);
  assert(!printed.includes("--allow-run"), printed);
  const isCompiled = Deno.env.get("HOIST_BIN") !== undefined;
  const flags = printed.replace(":7878", ":0").split(" ");
  await using console = await RunningConsoleProcess.start(["--no-open", "--index", index, dir], {
    env: { HOIST_DEBUG: "permissions" },
    ...(isCompiled ? {} : {
      program: [Deno.execPath(), "run", ...flags, `${ROOT}/cmd/hoist.ts`],
    }),
  });
  await console.stderr.until("permission import: not granted");
  await console.stderr.until("permission write: not granted");
  await console.signIn();
  await console.until("/", (text) => text.includes("/s/parcels"));
  assertEquals([...Deno.readDirSync(dir)].map(({ name }) => name), ["parcels.jsonl"]);
  assert([...Deno.readDirSync(index)].some(({ name }) => name === INDEX_FILE));
  await Promise.all([dir, index].map((path) => Deno.remove(path, { recursive: true })));
});

Deno.test("hoist console --answer needs a terminal, where the owner reads the code", async () => {
  const dir = await Deno.makeTempDir();
  const [program = "", ...first] = executable("hoist");
  const { code, stderr } = await new Deno.Command(program, {
    args: [...first, "console", "--answer", "--approve-dir", `${dir}/held`, dir],
  }).output();
  assertEquals(code, 1);
  assertStringIncludes(new TextDecoder().decode(stderr), "shown at a terminal");
  await Deno.remove(dir, { recursive: true });
});

for (
  const [args, why] of [
    [["--listen", "0.0.0.0:1"], "not a loopback address"],
    [["--listen", "7878"], "--listen takes HOST:PORT"],
    [["--approve-dir", "d"], "--approve-dir needs --answer"],
    [["--tokn"], "--tokn"],
  ] as const
) {
  Deno.test(`hoist console ${args.join(" ")} is refused with status 2`, async () => {
    const [program = "", ...first] = executable("hoist");
    const { code, stderr } = await new Deno.Command(program, {
      args: [...first, "console", ...args, "."],
    }).output();
    assertEquals(code, 2);
    assertStringIncludes(new TextDecoder().decode(stderr), why);
  });
}
