/** Servers that a person starts by hand, at a terminal: they say what they wait for. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ScratchHome } from "../util/scratch_home.ts";
import { atTerminal, hasTerminal } from "../util/terminal.ts";

const GREETING =
  "stdin is a terminal: a host's messages go here, one a line; Ctrl-D ends the session";

for (const line of ["hoist-mcp -- cat", "hoist-mcp-demo", "hai-mcp"]) {
  Deno.test({
    name: `${line}, at a terminal, says what it waits for, and ends at Ctrl-D`,
    ignore: !hasTerminal,
    fn: async () => {
      await using home = await ScratchHome.make();
      const { code, out } = await atTerminal(line, { after: GREETING, type: "\x04" }, {
        cwd: home.dir,
        env: home.env,
      });
      assertEquals(code, 0, out);
      assertStringIncludes(out, `${line.split(" ")[0]}: ${GREETING}`);
    },
  });
}

Deno.test("a server that a host starts says nothing of terminals", async () => {
  await using home = await ScratchHome.make();
  const { code, err } = await home.run(["hoist-mcp", "--", "cat"]);
  assertEquals([code, err], [0, ""]);
});
