/** Mistyped commands and flags, in every program. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ROOT } from "./util/executables.ts";

Deno.test("a mistyped program, command or flag is answered with what it may have meant", async () => {
  const rows = [
    ["hoist-mpc", "; did you mean hoist-mcp?"],
    ["hoist lern", 'hoist: Unknown command "lern"; did you mean learn?'],
    ["hoist learn --sesions x", "hoist: Unknown flag --sesions; did you mean --sessions?"],
    ["hoist-mcp --recrod x -- y", "hoist-mcp: Unknown flag --recrod; did you mean --record?"],
    ["hoist procedure chek", 'hoist: Unknown command "chek"; did you mean check?'],
    ["hai-mcp docter", 'hai-mcp: Unknown command "docter"; did you mean doctor?'],
    ["hoist xyzzy", 'hoist: Unknown command "xyzzy"\n'],
    ["hoist-mcp --xyzzy -- y", "hoist-mcp: Unknown flag --xyzzy\n"],
  ];
  for (const [line = "", words = ""] of rows) {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", `${ROOT}/main.ts`, ...line.split(" ")],
    }).output();
    assertStringIncludes(new TextDecoder().decode(stderr), words);
    assertEquals([code, stdout.length], [2, 0], line);
  }
});
