/** Servers that a person starts by hand, at a terminal: they say what they wait for. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ScratchHome } from "../util/scratch_home.ts";

const decoder = new TextDecoder();
const hasScript = await new Deno.Command("script", { args: ["--version"] }).output()
  .then(
    ({ code, stdout }) => code === 0 && decoder.decode(stdout).includes("util-linux"),
    () => false,
  );

const GREETING =
  "stdin is a terminal: a host's messages go here, one a line; Ctrl-D ends the session";

for (const line of ["hoist-mcp -- cat", "hoist-mcp-demo", "hai-mcp"]) {
  Deno.test({
    name: `${line}, at a terminal, says what it waits for, and ends at Ctrl-D`,
    ignore: !hasScript, // util-linux's `script` makes the terminal.
    fn: async () => {
      await using home = await ScratchHome.make();
      const child = new Deno.Command("script", {
        args: ["-qec", `exec ${line}`, "/dev/null"],
        cwd: home.dir,
        env: { ...home.env, SHELL: "/bin/sh" },
        stdin: "piped",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const writer = child.stdin.getWriter();
      let out = "";
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
        const hadSaid = out.includes(GREETING);
        out += text;
        if (!hadSaid && out.includes(GREETING)) await writer.write(Uint8Array.of(4));
      }
      await writer.close().catch(() => {});
      assertEquals((await child.status).code, 0, out);
      assertStringIncludes(out, `${line.split(" ")[0]}: ${GREETING}`);
    },
  });
}

Deno.test("a server that a host starts says nothing of terminals", async () => {
  await using home = await ScratchHome.make();
  const { code, err } = await home.run(["hoist-mcp", "--", "cat"]);
  assertEquals([code, err], [0, ""]);
});
