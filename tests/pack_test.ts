/**
 * The npm package of `deno task pack`, unpacked beside the Deno of the tests: its commands, a
 * recorded session, and that nothing is left when npx is ended. Needs npm, and no network.
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pack } from "../.ci/pack.ts";
import denoJson from "../deno.json" with { type: "json" };
import { gone } from "./util/manual_host.ts";

const PLATFORM = `${Deno.build.os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}` +
  (Deno.build.os === "linux" ? "-glibc" : "");

let shared: Promise<string> | undefined;

Deno.test.afterAll(async () => {
  if (shared !== undefined) await Deno.remove(await shared, { recursive: true });
});

/** A folder with the package and its Deno installed, as npm lays them out; one for all tests. */
function installed(): Promise<string> {
  return shared ??= install();
}

async function install(): Promise<string> {
  const dir = await Deno.makeTempDir({ prefix: "hoist pack é " });
  const tarball = await pack(dir);
  const modules = `${dir}/node_modules`;
  await Deno.mkdir(`${modules}/@hoist/mcp`, { recursive: true });
  await run(["tar", "-xzf", tarball, "-C", `${modules}/@hoist/mcp`, "--strip-components=1"], dir);
  const manifest = JSON.parse(await Deno.readTextFile(`${modules}/@hoist/mcp/package.json`));
  await Deno.mkdir(`${modules}/.bin`);
  for (const [name, file] of Object.entries(manifest.bin)) {
    await Deno.chmod(`${modules}/@hoist/mcp/${file}`, 0o755);
    await Deno.symlink(`../@hoist/mcp/${file}`, `${modules}/.bin/${name}`);
  }
  const deno = `${modules}/@deno/${PLATFORM}`;
  await Deno.mkdir(deno, { recursive: true });
  await Deno.writeTextFile(`${deno}/package.json`, "{}");
  await Deno.symlink(Deno.execPath(), `${deno}/deno`);
  await Deno.writeTextFile(`${dir}/package.json`, "{}");
  return dir;
}

async function run(words: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const [command = "", ...args] = words;
  const done = await new Deno.Command(command, { args, cwd, env, stdin: "null" }).output();
  const text = new TextDecoder();
  return { code: done.code, out: text.decode(done.stdout), err: text.decode(done.stderr) };
}

const npx = (...words: string[]) => ["npx", "--no", "--", ...words];

Deno.test({
  name: "the npm package starts every program, by its own name and by mcp",
  ignore: Deno.build.os === "windows",
  async fn() {
    const dir = await installed();
    const names = Object.keys(denoJson.exports).filter((name) => name !== ".")
      .map((name) => name.slice("./".length));
    for (const name of names) {
      const line = `${name} ${denoJson.version}\n`;
      const bin = `${dir}/node_modules/.bin`;
      assertEquals((await run([`${bin}/${name}`, "--version"], dir)).out, line);
    }
    const unknown = await run(npx("mcp", "hoist-mpc"), dir);
    assertEquals(unknown.code, 2);
    assertStringIncludes(unknown.err, 'no program "hoist-mpc"; there are hoist, hoist-mcp');
    const session = ["hoist-mcp", "--record", `${dir}/log`, "--", "sh", "-c", "exit 7"];
    assertEquals((await run(npx("mcp", ...session), dir)).code, 7);
    const listed = await run(npx("hoist", "episodes", "--json", `${dir}/log`), dir);
    assertEquals(listed.code, 0);
    assertMatch(listed.out, /"id":/);
    const init = ["hoist", "init", "--host", "cursor", "--name", "s", "--", "true"];
    const launcher = `${dir}/node_modules/@hoist/mcp/bin/mcp.mjs`;
    const written = await run(["node", launcher, ...init], dir, { HOME: dir });
    const { command, args } = JSON.parse(written.out).mcpServers.s;
    assertMatch(
      [command, ...args].join(" "),
      /npx -y @hoist\/mcp@\S+ hoist-mcp --record .* -- true$/,
    );
  },
});

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  Deno.test({
    name:
      `the npm package leaves nothing running when npx is ended with ${signal}, and its input stays open`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const dir = await installed();
      const server = ["sh", "-c", 'echo "$$"; exec cat'];
      const [command = "", ...args] = npx(
        "mcp",
        "hoist-mcp",
        "--exit-grace",
        "0.5",
        "--",
        ...server,
      );
      const child = new Deno.Command(command, {
        args,
        cwd: dir,
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      try {
        const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
        const { value: pid = "" } = await lines.read();
        child.kill(signal);
        await child.status;
        // The output ends once nobody holds it: the launcher, Deno and the server are gone.
        while (!(await lines.read()).done);
        await gone(Number(pid));
      } finally {
        await child.stdin.close().catch(() => {});
      }
    },
  });
}
