import { assertEquals, assertStringIncludes } from "@std/assert";
import type { FileStore } from "../../ports/files.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { haiMapCommand } from "./hai_map_command.ts";

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const written: Record<string, string> = {};
  const asked: (readonly string[])[] = [];
  const runtime = {
    say: (line: string) => void out.push(line),
    print: (text: string) => void out.push(text),
    env: () => undefined,
  } as unknown as Runtime;
  const status = await haiMapCommand(args, runtime, {
    files: {
      replace: (path: string, text: string) => Promise.resolve(void (written[path] = text)),
    } as unknown as FileStore,
    listTools: ({ command }) => {
      asked.push(command);
      return Promise.resolve([{ name: "read_file", inputSchema: { properties: { path: {} } } }]);
    },
  });
  return { status, out: out.join("\n"), written, asked };
}

Deno.test("hoist hai-map init asks the server for its tools, and prints or writes the draft", async () => {
  const { status, out, asked } = await run("init", "--server", "files", "--", "npx", "s");
  assertEquals([status, asked], [0, [["npx", "s"]]]);
  assertStringIncludes(out, 'server: "files"\ntools:\n  "read_file":\n    action: write');
  const { written } = await run("init", "--out", "m.yaml", "--", "s");
  assertStringIncludes(written["m.yaml"] ?? "", "hoist_hai_map: 1");
});

Deno.test("hoist hai-map refuses wrong usage", async () => {
  for (
    const args of [[], ["draft", "--", "s"], ["init"], ["init", "x", "--", "s"], ["init", "--"]]
  ) {
    assertEquals((await run(...args)).status, 2, args.join(" "));
  }
});
