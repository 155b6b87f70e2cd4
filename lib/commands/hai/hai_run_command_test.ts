/** `hai-mcp run`: a host with a session that begins and ends with it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { commandRuntime } from "../../../tests/util/command_runtime.ts";
import { haiCase, type HaiHome, scriptedTerminal } from "../../../tests/util/hai_home.ts";
import { runHai } from "./hai_commands.ts";

async function run(hai: HaiHome, words: readonly string[]) {
  const { runtime, said } = commandRuntime(hai);
  const status = await runHai(["run", ...words], runtime, scriptedTerminal([], false));
  return { status, said: said.join("\n") };
}

/** A host that writes down what it finds, and ends with a status. */
function host(hai: HaiHome, status: number): string[] {
  const path = hai.write(
    "host.js",
    `const lease = "${hai.root}/lease.json", hook = Deno.env.get("HAI_SESSION_FILE");
     const mode = (path) => (Deno.statSync(path).mode & 0o777).toString(8);
     Deno.writeTextFileSync("${hai.root}/seen.json", JSON.stringify({
       lease: JSON.parse(Deno.readTextFileSync(lease)), hook, modes: [mode(lease), mode(hook)],
     }));
     Deno.removeSync(lease); // As a proxy does.
     Deno.exit(${status});`,
  );
  return ["--", Deno.execPath(), "run", "-A", "--no-config", path];
}

haiCase(
  "hai-mcp run",
  "starts a host with a session, and ends the session with it",
  async (hai) => {
    const mission = await hai.open({ constraints: { capabilities: ["read", "write"] } });
    const lease = `${hai.root}/lease.json`;
    const flags = ["--lease", lease, "--session", "~/hook.json", "--capability", "read"];
    const { status, said } = await run(hai, [...flags, ...host(hai, 7)]);
    assertEquals(status, 7, said);
    const seen = JSON.parse(Deno.readTextFileSync(`${hai.root}/seen.json`));
    assertEquals([seen.hook, seen.modes], [`${hai.root}/hook.json`, ["600", "600"]]);
    assertStringIncludes(said, `session ${seen.lease.session_id} is released`);
    assert(!said.includes(seen.lease.session_token), "the token is nowhere said");
    assertEquals([hai.has("lease.json"), hai.has("hook.json")], [false, false]);
    const after = await hai.call("hai_get_contract", seen.lease);
    assertEquals(after.ok, false);
    // The slot is free again.
    assertEquals((await hai.authorize(mission.mission_id)).ok, true);
  },
);

haiCase(
  "hai-mcp run",
  "says why no host was started, and leaves no session behind",
  async (hai) => {
    const none = await run(hai, host(hai, 0));
    assertEquals(none.status, 1);
    assertStringIncludes(none.said, "no mission to work for");
    const { mission_id } = await hai.open();
    const missing = await run(hai, ["--", "no-such-host-here"]);
    assertEquals(missing.status, 125);
    assertStringIncludes(missing.said, "no such command");
    hai.write("lease.json", "mine");
    const taken = await run(hai, ["--lease", `${hai.root}/lease.json`, ...host(hai, 0)]);
    assertEquals(taken.status, 125);
    assertStringIncludes(taken.said, "it is there already");
    assertEquals(Deno.readTextFileSync(`${hai.root}/lease.json`), "mine");
    const wrong = await run(hai, ["--criterion", "dc-9", ...host(hai, 0)]);
    assertEquals(wrong.status, 1);
    assertEquals((await hai.authorize(mission_id)).ok, true, "every session was released");
    assertEquals((await run(hai, [])).status, 2);
    assertEquals((await run(hai, ["--minutes", "0", "--", "x"])).status, 2);
  },
);
