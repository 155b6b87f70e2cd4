/**
 * What is wrong with a path that a flag names is found before anything starts, on every
 * transport: status 2, and one line that names the flag and the path.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { executable, ROOT } from "../util/executables.ts";
import { ListeningProxy } from "../util/listening_proxy.ts";

const TRANSPORTS: readonly (readonly [string, readonly string[]])[] = [
  ["stdio to stdio", ["--", "sh", "-c", "echo started >&2"]],
  ["stdio to upstream", ["--upstream", "http://127.0.0.1:9/mcp"]],
  ["listen to stdio", ["--listen", "127.0.0.1:0", "--", "sh", "-c", "echo started >&2"]],
  ["listen to upstream", ["--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:9/mcp"]],
];
const GUARDS = ["--domain", "airline", "--guards", "--oracle", "mock"];
const FLOW = `${ROOT}/testdata/flows/parcels.flow.json`;

/** A flag, its path, and the flags it needs. `{dir}` is a folder, `{file}` a file in it. */
const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  ["record", "{file}/logs", []],
  ["record", "{dir}/closed/logs", []],
  ["flow", "{dir}/none.json", []],
  ["flow-log", "{dir}/none/f.jsonl", ["--flow", FLOW]],
  ["flow-log", "{dir}/none/{session}.jsonl", ["--flow", FLOW]],
  ["flow-log", "{dir}", ["--flow", FLOW]],
  ["confirm-log", "{file}/c-{session}.jsonl", GUARDS],
  ["guard-rules", "{dir}/none.yaml", ["--guards"]],
  ["lock", "{dir}/none.json", []],
  ["context", "{file}/{session}.jsonl", []],
  ["oracle-cache", "{file}/cache", ["--domain", "airline", "--guards", "--oracle", "jev"]],
];

/** Each is tried on pipes; on the other ways, which the same check stands before, one of each kind. */
const ON_ALL = new Set(["record", "flow", "flow-log", "context"]);

for (const [n, [transport, server]] of TRANSPORTS.entries()) {
  Deno.test(`${transport}: a path that cannot be used ends the start with 2, a log with 125`, async () => {
    const dir = await Deno.makeTempDir({ prefix: "hoist-start-" });
    await Deno.writeTextFile(`${dir}/file`, "");
    await Deno.mkdir(`${dir}/closed`);
    await Deno.chmod(`${dir}/closed`, 0o500);
    const tried = new Set<string>();
    for (const [flag, template, more] of CASES) {
      if (n > 0 && (tried.has(flag) || !ON_ALL.has(flag))) continue;
      tried.add(flag);
      const path = template.replace("{dir}", dir).replace("{file}", `${dir}/file`);
      // Root writes where nobody may.
      if (path.includes("closed") && Deno.uid() === 0) continue;
      const [program = "", ...first] = executable("hoist-mcp");
      const done = await new Deno.Command(program, {
        args: [...first, ...more, `--${flag}`, path, ...server],
        env: { TYPESAFE_API_KEY: "s3cret-key" },
        stdin: "null",
      }).output();
      const said = new TextDecoder().decode(done.stderr);
      const status = flag === "record" ? 125 : 2;
      assertEquals([done.code, said.split("\n").length], [status, 2], `--${flag}: ${said}`);
      assertStringIncludes(said, `hoist-mcp: --${flag} "${path}": `);
      assertEquals(new TextDecoder().decode(done.stdout), "");
    }
    assertEquals([...Deno.readDirSync(dir)].map(({ name }) => name).sort(), ["closed", "file"]);
    await Deno.remove(dir, { recursive: true });
  });
}

Deno.test("listen to stdio: logs that cannot be opened any more cost the logs alone", async () => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-start-" });
  await Deno.mkdir(`${dir}/flow`);
  await using proxy = await ListeningProxy.start({
    flags: [
      ...["--record", `${dir}/log`, "--flow", FLOW],
      ...["--flow-log", `${dir}/flow/{session}.jsonl`],
    ],
    server: ["--", ...executable("hoist-mcp-demo")],
  });
  for (const folder of ["log", "flow"]) {
    await Deno.remove(`${dir}/${folder}`, { recursive: true });
    await Deno.writeTextFile(`${dir}/${folder}`, "");
  }
  const host = await proxy.open();
  assertEquals((await host.call(2, "lookup", { id: "none" })).at(-1)?.id, 2);
  proxy.kill("SIGTERM");
  const said = await proxy.stderr();
  assertStringIncludes(said, `cannot create the log "${dir}/log/`);
  assertStringIncludes(said, `cannot open the flow log "${dir}/flow/`);
  await Deno.remove(dir, { recursive: true });
});
