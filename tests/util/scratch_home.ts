/**
 * A home directory of its own for a test, and on PATH our programs by name, as if
 * they were installed. Nothing in it depends on the machine.
 *
 * `npx -y deno@… …` runs this Deno, `npx -y @modelcontextprotocol/…` that server of
 * npm's under it; any other package stands for the demo server.
 *
 * @module
 */

import denoJson from "../../deno.json" with { type: "json" };
import { executable } from "./executables.ts";

/** The scratch home. */
export class ScratchHome implements AsyncDisposable {
  /** Its folder. */
  readonly dir: string;
  /** The environment of programs that run in it. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(dir: string, env: Readonly<Record<string, string>>) {
    this.dir = dir;
    this.env = env;
  }

  /** Makes one. */
  static async make(): Promise<ScratchHome> {
    const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hoist-home-" }));
    const bin = `${dir}/.bin`;
    await Deno.mkdir(bin);
    const write = (name: string, body: string) =>
      Deno.writeTextFile(`${bin}/${name}`, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    const programs = Object.keys(denoJson.exports).filter((name) => name !== ".");
    for (const name of programs.map((program) => program.slice("./".length))) {
      await write(name, `exec ${executable(name).map(quoted).join(" ")} "$@"`);
    }
    await write("deno", `exec ${quoted(Deno.execPath())} "$@"`);
    await write(
      "npx",
      `[ "$1" = -y ] && shift
package=$1; shift
case $package in
  deno@*) exec deno "$@" ;;
  @modelcontextprotocol/*) exec deno run -A "npm:$package" "$@" ;;
  *) exec hoist-mcp-demo ;;
esac`,
    );
    const env = {
      HOME: dir,
      PATH: `${bin}:${Deno.env.get("PATH") ?? ""}`,
      DENO_DIR: await denoDir(),
      NO_COLOR: "1",
    };
    return new ScratchHome(dir, env);
  }

  /** Runs a program in it to its end. */
  async run(
    words: readonly string[],
    options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const [program = "", ...args] = words;
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args,
      cwd: options.cwd ?? this.dir,
      env: { ...this.env, ...options.env },
    }).output();
    const text = new TextDecoder();
    return { code, out: text.decode(stdout), err: text.decode(stderr) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.dir, { recursive: true });
  }
}

/** A word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Where this Deno keeps what it has downloaded. */
export async function denoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
