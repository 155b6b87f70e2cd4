/**
 * What a release is made of: the workflows name only what there is, what is published
 * is the library and the programs alone, and each entry point runs by its published name.
 */

import { assert, assertEquals } from "@std/assert";
import { parse } from "yaml";
import { putInPlace } from "../.ci/compile.ts";
import { unlink } from "../.ci/unlink.ts";
import denoJson from "../deno.json" with { type: "json" };
import { ROOT } from "./util/executables.ts";
import { ListeningProxy } from "./util/listening_proxy.ts";

interface Job {
  readonly "timeout-minutes"?: number;
  readonly permissions?: unknown;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

const FOLDER = `${ROOT}/.github/workflows`;
const WORKFLOWS = [...Deno.readDirSync(FOLDER)].map((e) => e.name).sort();

Deno.test("workflows pin their actions, bound their jobs, and run only what there is", async () => {
  assertEquals(WORKFLOWS, ["ci.yml", "release.yml"]);
  const readme = await Deno.readTextFile(`${ROOT}/README.md`);
  const faults = [];
  for (const name of WORKFLOWS) {
    const text = await Deno.readTextFile(`${FOLDER}/${name}`);
    const workflow: { permissions: unknown; jobs: Record<string, Job> } = parse(text);
    assertEquals(workflow.permissions, { contents: "read" }, name);
    for (const [id, job] of Object.entries(workflow.jobs)) {
      if (job["timeout-minutes"] === undefined) faults.push(`${name}, ${id}: no limit`);
      for (const { uses, run = "" } of job.steps) {
        if (uses !== undefined && !/^[\w-]+\/[\w-]+@[\da-f]{40}$/.test(uses)) {
          faults.push(`${name}: ${uses} is not pinned to a commit`);
        }
        faults.push(...await faultsOf(run, readme));
      }
    }
    for (const [folder] of text.matchAll(/\blib(?:\/\w+)?\b/g)) {
      const exists = await Deno.stat(`${ROOT}/${folder}`).then(() => true, () => false);
      if (!exists) faults.push(`${name}: no ${folder}`);
    }
    const pins = text.match(/uses: .*@.*/g) ?? [];
    assert(pins.every((pin) => / # v\d+\.\d+\.\d+$/.test(pin)), `${name}: a pin without a version`);
  }
  assertEquals(faults, []);
});

/** What a `run:` line, or a script that it starts, names and does not exist. */
async function faultsOf(
  script: string,
  readme: string,
  seen: readonly string[] = [],
): Promise<string[]> {
  const faults = [];
  for (const [, task = ""] of script.matchAll(/\btask ([a-z:]+)/g)) {
    if (!Object.hasOwn(denoJson.tasks, task)) faults.push(`no task ${task}`);
  }
  for (const [, version = ""] of script.matchAll(/deno@([\d.]+)/g)) {
    const isCompiler = version === "2.6.8"; // Its stub is what closed networks have.
    if (!isCompiler && !readme.includes(`deno@${version}`)) faults.push(`deno ${version}`);
  }
  for (const [file] of script.matchAll(/\.ci\/[\w.]+/g)) {
    if (seen.includes(file)) continue;
    const info = await Deno.stat(`${ROOT}/${file}`).catch(() => undefined);
    if (info === undefined) faults.push(`no ${file}`);
    else if (!file.endsWith(".ts") && ((info.mode ?? 0) & 0o111) === 0) {
      faults.push(`${file} not +x`);
    } else if (!file.endsWith(".ts")) {
      faults.push(
        ...await faultsOf(await Deno.readTextFile(`${ROOT}/${file}`), readme, [...seen, file]),
      );
    }
  }
  return faults;
}

async function deno(args: readonly string[], cwd = ROOT) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  return { code, out: text.decode(stdout), err: text.decode(stderr) };
}

Deno.test("a publish holds the library and the programs, and nothing else", async () => {
  const { code, err } = await deno(["publish", "--dry-run", "--allow-dirty"]);
  assertEquals(code, 0, err);
  const files = [...err.matchAll(/^\s+file:\/\/(\S+) \(/gm)].map(([, path = ""]) =>
    path.slice(ROOT.length + 1)
  );
  assert(files.length > 100, err);
  const wanted =
    /^(?:(?:lib\/.*|cmd\/\w+|main|mod)\.ts|(?:lib\/std\/\w+\/)?deno\.json|LICENSE|README\.md|lib\/.*\.(?:sql|json|ya?ml)|lib\/console\/client\/\w+\.(?:css|js|svg))$/;
  assertEquals(files.filter((path) => !wanted.test(path) || path.endsWith("_test.ts")), []);
  for (const path of ["mod.ts", ...Object.values(denoJson.exports)]) {
    assert(files.includes(path.replace(/^\.\//, "")), path);
  }
});

Deno.test("unlink leaves a checkout that asks for the real packages", async () => {
  const dir = await Deno.makeTempDir();
  await Deno.mkdir(`${dir}/lib/std/assert`, { recursive: true });
  await Deno.copyFile(`${ROOT}/deno.json`, `${dir}/deno.json`);
  await unlink(dir);
  const { links: _, ...rest } = denoJson;
  assertEquals(JSON.parse(await Deno.readTextFile(`${dir}/deno.json`)), rest);
  assertEquals([...Deno.readDirSync(`${dir}/lib`)], []);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("each entry point runs as jsr:@hoist/mcp/NAME, by a link to this folder", async () => {
  const dir = await Deno.makeTempDir();
  const links = [ROOT, ...denoJson.links.map((link) => `${ROOT}/${link}`)];
  await Deno.writeTextFile(`${dir}/deno.json`, JSON.stringify({ links }));
  const names = Object.keys(denoJson.exports).filter((name) => name !== ".");
  assert(names.length > 3);
  for (const name of names) {
    const entry = `jsr:@hoist/mcp@^${denoJson.version}/${name.slice("./".length)}`;
    const { code, out, err } = await deno(["run", "-A", entry, "--version"], dir);
    assertEquals([code, out], [0, `${name.slice("./".length)} ${denoJson.version}\n`], err);
  }
  await using proxy = await ListeningProxy.start({
    program: [
      ...[Deno.execPath(), "run", "-A", "--config", `${dir}/deno.json`],
      ...["--unstable-worker-options", "--unstable-no-legacy-abort"],
      `jsr:@hoist/mcp@^${denoJson.version}/hoist-mcp`,
    ],
    server: ["--", Deno.execPath(), "run", "-A", `${ROOT}/tests/util/echo_mcp_server.ts`],
  });
  const host = await proxy.open();
  assertEquals((await host.call(1, "echo", { text: "x" })).length, 1);
  await Deno.remove(dir, { recursive: true });
});

Deno.test("deno task link and deno task compile put programs where others stand, and may be running", async () => {
  const dir = await Deno.makeTempDir();
  const out = `${dir}/dist`;
  await Deno.mkdir(out);
  // A second name of the old program shows whether it was written into.
  await Deno.writeTextFile(`${dir}/old`, "old");
  for (const name of ["hoist", "hai-mcp"]) await Deno.link(`${dir}/old`, `${out}/${name}`);
  const link = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${ROOT}/.ci/link.ts`, out],
    stdout: "null",
  });
  assertEquals((await link.output()).code, 0);
  const version = await new Deno.Command(`${out}/hoist`, { args: ["--version"] }).output();
  assertEquals(new TextDecoder().decode(version.stdout), `hoist ${denoJson.version}\n`);
  await Deno.writeTextFile(`${dir}/new`, "new", { mode: 0o755 });
  await Deno.remove(`${out}/hai-mcp`);
  await Deno.link(`${dir}/old`, `${out}/hai-mcp`);
  for (const name of ["hai-mcp", "hoist-mcp", "not-there-yet"]) {
    await putInPlace(`${dir}/new`, `${out}/${name}`);
    const { mode } = await Deno.stat(`${out}/${name}`);
    assertEquals(mode, (await Deno.stat(`${dir}/new`)).mode);
    assertEquals(await Deno.readTextFile(`${out}/${name}`), "new");
  }
  assertEquals(await Deno.readTextFile(`${dir}/old`), "old");
  await Deno.remove(dir, { recursive: true });
});
