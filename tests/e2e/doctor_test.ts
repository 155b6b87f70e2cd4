/** `hoist doctor` on a real folder and real servers: those that answer, and those that do not. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ScratchHome } from "../util/scratch_home.ts";

const CONFIG = ["--host", "cursor", "--config", "mcp.json"];

Deno.test("hoist doctor sees what hoist init has set up, and starts it when asked to", async () => {
  await using home = await ScratchHome.make();
  const server = ["--", "npx", "-y", "some-mcp-server"];
  const init = ["--host", "cursor", "--name", "shop", "--write", "mcp.json", ...server];
  assertEquals((await home.run(["hoist", "init", ...init])).code, 0);
  const { code, out } = await home.run(["hoist", "doctor", ...CONFIG, "--start"]);
  assertStringIncludes(out, "hoist-mcp in front of 1 of 1 servers");
  assertStringIncludes(out, "ok    server shop: answered: hoist-mcp-demo");
  assertEquals(code, 0, out);
  const logs = `${home.dir}/.hoist/logs/shop`;
  assertEquals(await Deno.stat(logs).then(() => true, () => false), false, "no session is left");
  const log = `${logs}/20260101T000000.000Z-1.jsonl`;
  await Deno.mkdir(logs, { recursive: true });
  await Deno.writeTextFile(log, "");
  await Deno.chmod(log, 0o644);
  await Deno.chmod(logs, 0o755);
  const after = await home.run(["hoist", "doctor", ...CONFIG]);
  assertStringIncludes(after.out, `chmod 700 '${logs}'`);
  assertStringIncludes(after.out, `chmod 600 '${log}'`);
  assertEquals(after.code, 1);
});

Deno.test("hoist doctor says why a server does not answer, and leaves none behind", async () => {
  await using home = await ScratchHome.make();
  const rows = [
    ["no-such-server", 'cannot start "no-such-server": no such command'],
    ["exit 3", "it ended with 3 unasked\n"],
    [
      "echo starting >&2; echo 'no DATABASE_URL' >&2; exit 3",
      "it ended with 3 unasked; it said last: no DATABASE_URL\n",
    ],
    [
      "echo Listening; sleep 60",
      "it writes something else than MCP to its standard output: Listening",
    ],
    ["cat", "it sends back what it is sent"],
    [
      `read line; echo '{"jsonrpc":"2.0","id":"hoist-doctor","error":{"code":1,"message":"no"}}'`,
      "it refused to initialize: no",
    ],
    ["echo $$ >pid; trap '' TERM; sleep 60 & wait", "no answer to initialize within 1 s"],
  ];
  await Promise.all(rows.map(async ([script = "", words = ""]) => {
    const command = script === "no-such-server" ? [script] : ["sh", "-c", script];
    const { code, out } = await home.run([
      "hoist",
      "doctor",
      "--timeout",
      "1",
      "--",
      ...command,
    ]);
    assertStringIncludes(out, `fix   server: ${words}`);
    assertEquals(code, 1);
  }));
  const pid = (await Deno.readTextFile(`${home.dir}/pid`)).trim();
  // Until whoever inherits it has taken note of its end, a process that is dead still has its group.
  const gone = `while kill -s 0 -- -${pid} 2>/dev/null; do sleep 0.1; done`;
  assertEquals((await home.run(["timeout", "30", "sh", "-c", gone])).code, 0);
});

Deno.test("hoist doctor --start hands on what hoist-mcp says of a server that is not there", async () => {
  await using home = await ScratchHome.make();
  const init = ["--host", "cursor", "--name", "s", "--write", "mcp.json", "--", "no-such-server"];
  assertEquals((await home.run(["hoist", "init", ...init])).code, 0);
  const { code, out } = await home.run(["hoist", "doctor", ...CONFIG, "--start"]);
  assertStringIncludes(out, 'said last: hoist-mcp: cannot start "no-such-server": no such command');
  assertEquals(code, 1);
});
