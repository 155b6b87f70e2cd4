import { assertEquals } from "@std/assert";
import { permissionFlags, shellLine, startFlags } from "./permissions.ts";
import { parseProxyFlags } from "./proxy_flags.ts";

const NONE = { run: [], read: [], write: [], net: [], env: [] };

Deno.test("permissionFlags() lists what is needed and nothing more", () => {
  assertEquals(permissionFlags({ ...NONE, run: ["npx", "sh"], write: ["/a b"] }), [
    "--no-prompt",
    "--allow-run=npx,sh",
    "--allow-write=/a b",
  ]);
});

Deno.test("permissionFlags() grants all of a kind where a comma cannot be listed", () => {
  assertEquals(permissionFlags({ ...NONE, run: ["a,b", "sh"], write: ["/x,y"] }), [
    "--no-prompt",
    "--allow-run",
    "--allow-write",
  ]);
});

Deno.test("shellLine() quotes what a shell would take apart", () => {
  assertEquals(shellLine(["--a=b/c,d", "x y", "it's"]), `--a=b/c,d 'x y' 'it'\\''s'`);
});

Deno.test("startFlags() names the unstable features of the modes that run in a worker", () => {
  for (
    const [args, isWorker] of [
      [["--", "server"], false],
      [["--record", "logs", "--", "server"], false],
      [["--upstream", "http://127.0.0.1:1/mcp"], true],
      [["--listen", "127.0.0.1:1", "--", "server"], true],
      [["--context", "c.jsonl", "--", "server"], true],
    ] as const
  ) {
    const parsed = parseProxyFlags(args, "/home/you");
    const flags = parsed.kind === "options" ? startFlags(parsed.options, undefined) : [];
    assertEquals(flags.includes("--unstable-worker-options"), isWorker, args.join(" "));
  }
});
