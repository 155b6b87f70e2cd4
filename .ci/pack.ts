/**
 * `deno task pack`: the npm package, as a tarball in dist/. It holds each program as one bundled
 * file and a launcher for Node; the platform's Deno is a dependency, so that Node alone is enough.
 *
 * Usage: `deno run -A .ci/pack.ts [FOLDER]`
 *
 * @module
 */

import { VERSION } from "../lib/flags/version.ts";
import { bundle, PROGRAMS, settingsOf } from "./compile.ts";

/** The Deno that the package runs on; the one of the README. */
const DENO = "2.9.6";

const PLATFORMS = [
  "darwin-arm64",
  "darwin-x64",
  "linux-arm64-glibc",
  "linux-x64-glibc",
  "win32-arm64",
  "win32-x64",
];

if (import.meta.main) console.log(await pack(Deno.args[0] ?? "dist"));

/**
 * Makes the package.
 *
 * @param out Where the tarball goes.
 * @returns The tarball's path.
 */
export async function pack(out: string): Promise<string> {
  await Deno.mkdir(out, { recursive: true });
  const folder = await Deno.makeTempDir({ prefix: "hoist-pack-" });
  try {
    await fill(folder);
    const npm = Deno.build.os === "windows" ? "npm.cmd" : "npm";
    const { code, stdout } = await new Deno.Command(npm, {
      args: ["pack", "--json", "--pack-destination", await Deno.realPath(out)],
      cwd: folder,
      stderr: "inherit",
    }).output();
    if (code !== 0) throw new Error(`npm pack ended with ${code}`);
    const described: unknown = JSON.parse(new TextDecoder().decode(stdout));
    return `${out}/${filename(described)}`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function fill(folder: string): Promise<void> {
  const write = (name: string, text: string) => Deno.writeTextFile(`${folder}/${name}`, text);
  await Deno.mkdir(`${folder}/programs`);
  await Deno.mkdir(`${folder}/bin`);
  const names = Object.keys(PROGRAMS);
  for (const name of names) {
    await bundle(name, `${folder}/programs/${name}.js`);
    await write(`bin/${name}.mjs`, script(`launch("${name}", process.argv.slice(2))`, "launch"));
  }
  await write("bin/mcp.mjs", script("dispatch(process.argv.slice(2))", "dispatch"));
  const settings = Object.fromEntries(
    names.map((
      name,
    ) => [name, ["--no-config", "--no-lock", "--no-code-cache", ...settingsOf(name)]]),
  );
  await write("programs.json", JSON.stringify({ version: VERSION, programs: settings }));
  await write("package.json", JSON.stringify(manifest(names), null, 2));
  const root = new URL("..", import.meta.url);
  for (const name of ["README.md", "LICENSE"]) {
    await Deno.copyFile(new URL(name, root), `${folder}/${name}`);
  }
  await Deno.copyFile(new URL(".ci/npm/launch.mjs", root), `${folder}/launch.mjs`);
}

function script(call: string, name: string): string {
  return `#!/usr/bin/env node\nimport { ${name} } from "../launch.mjs";\n${call};\n`;
}

function manifest(names: readonly string[]) {
  return {
    name: "@hoist/mcp",
    version: VERSION,
    description:
      "See what an AI agent does with an MCP server, learn from it, and keep it in bounds.",
    license: "MIT",
    author: "the Hoist developers",
    type: "module",
    // `npx @hoist/mcp` starts the command that is called like the package: mcp.
    bin: Object.fromEntries([...names, "mcp"].map((name) => [name, `bin/${name}.mjs`])),
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(PLATFORMS.map((name) => [`@deno/${name}`, DENO])),
  };
}

/** The tarball's name in what `npm pack --json` prints, whose form differs between versions. */
function filename(described: unknown): string {
  const [first] = typeof described === "object" && described !== null
    ? Object.values(described)
    : [];
  if (typeof first?.filename !== "string") throw new Error("npm pack named no file");
  return first.filename;
}
