/** `hai-mcp hook`: what the host's own tools may do under a contract. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { commandRuntime } from "../../../tests/util/command_runtime.ts";
import { haiCase, type HaiHome, scriptedTerminal } from "../../../tests/util/hai_home.ts";
import { runHai } from "./hai_commands.ts";

/** Runs the hook on a call; why it is denied, undefined where it is not. */
async function hook(
  hai: HaiHome,
  tool: string,
  args: Record<string, unknown>,
  more: { readonly input?: string; readonly cwd?: string; readonly words?: string[] } = {},
) {
  const { runtime, out, said } = commandRuntime(hai);
  const input = more.input ?? JSON.stringify({
    hook_event_name: "PreToolUse",
    cwd: more.cwd ?? hai.project(),
    tool_name: tool,
    tool_input: args,
  });
  const words = more.words ?? ["--session", `${hai.root}/session.json`];
  const status = await runHai(
    ["hook", ...words],
    runtime,
    scriptedTerminal([], false),
    () => Promise.resolve(input),
  );
  const text = out.join("\n");
  const output = text.startsWith("{") ? JSON.parse(text).hookSpecificOutput : undefined;
  const why: string | undefined = output?.permissionDecisionReason;
  return { status, decision: output?.permissionDecision, why, said: said.join("\n"), out: text };
}

/** A session whose contract allows `src`, and the shell if it is asked for. */
async function session(hai: HaiHome, more: Record<string, unknown> = {}) {
  hai.write("project/src/a.ts", "x");
  const mission = await hai.open({
    constraints: { project_path: hai.project(), allowed_paths: ["src"], ...more },
  });
  const capabilities = more["capabilities"];
  const { session_id, session_token } = await hai.authorize(
    mission.mission_id,
    capabilities === undefined ? {} : { capabilities },
  );
  hai.write("session.json", JSON.stringify({ session_id, session_token }));
  Deno.chmodSync(`${hai.root}/session.json`, 0o600);
  return { session_id, session_token };
}

haiCase(
  "hai-mcp hook",
  "judges files by their paths, and says nothing where all is well",
  async (hai) => {
    await session(hai);
    const inside = `${hai.project()}/src/a.ts`;
    const allowed: [string, Record<string, unknown>][] = [
      ["Read", { file_path: inside, limit: 5 }],
      ["Edit", { file_path: "src/a.ts", old_string: "x", new_string: "y" }],
      ["Write", { file_path: `${hai.project()}/src/new.ts`, content: "" }],
      ["Grep", { pattern: "x", path: `${hai.project()}/src` }],
      ["TodoWrite", { todos: [] }],
      ["mcp__shop__get", { anything: 1 }],
    ];
    for (const [tool, args] of allowed) {
      const { status, out } = await hook(hai, tool, args);
      assertEquals([status, out], [0, ""], tool);
    }
    const denied: [string, Record<string, unknown>, RegExp][] = [
      ["Read", { file_path: "/etc/passwd" }, /outside the contract/],
      ["Edit", { file_path: `${hai.project()}/README.md` }, /outside the contract/],
      ["Write", { file_path: `${hai.project()}/src/../x`, content: "" }, /no absolute path/],
      ["Glob", { pattern: "/etc/*" }, /outside the contract/],
      ["Grep", { pattern: "x" }, /outside the contract/],
      ["Bash", { command: "ls" }, /was not granted "shell"/],
      ["WebFetch", { url: "https://a.example", prompt: "p" }, /was not granted "network"/],
      ["Unknown", {}, /does not know the tool/],
      ["Read", { file_path: inside, follow: true }, /does not know the argument/],
    ];
    for (const [tool, args, why] of denied) {
      const found = await hook(hai, tool, args);
      assertEquals([found.status, found.decision], [0, "deny"], tool);
      assertMatch(found.why ?? "", why);
    }
  },
);

haiCase(
  "hai-mcp hook",
  "lets a shell run where the contract names it, until the session ends",
  async (hai) => {
    const held = await session(hai, { capabilities: ["read", "shell"], servers: ["claude-code"] });
    assertEquals((await hook(hai, "Bash", { command: "ls" })).out, "");
    await hai.call("hai_release_session", { ...held, reason: "over" });
    assertEquals((await hook(hai, "Bash", { command: "ls" })).decision, "deny");
  },
);

haiCase(
  "hai-mcp hook",
  "denies what it cannot judge: no session, open files, other input",
  async (hai) => {
    const read = { file_path: `${hai.project()}/src/a.ts` };
    assertEquals((await hook(hai, "Read", read)).status, 2);
    const held = await session(hai);
    Deno.chmodSync(`${hai.root}/session.json`, 0o644);
    assertStringIncludes((await hook(hai, "Read", read)).said, "others may read it");
    Deno.chmodSync(`${hai.root}/session.json`, 0o600);
    for (const input of ["", "{}", '{"hook_event_name":"PostToolUse","tool_name":"Read"}']) {
      assertEquals((await hook(hai, "Read", read, { input })).status, 2, input);
    }
    hai.write("session.json", '{"session_id":"S-1"}');
    assertEquals((await hook(hai, "Read", read)).status, 2);
    hai.write("session.json", JSON.stringify(held));
    assertEquals((await hook(hai, "Read", read)).out, "");
    Deno.removeSync(`${hai.home}/audit/HEAD.json`);
    assertEquals((await hook(hai, "Read", read)).decision, "deny", "a trail without its head");
    assertEquals((await hook(hai, "Read", read, { words: [] })).status, 2);
    const shown = await hook(hai, "", {}, { words: ["--session", "/a b/s.json", "--settings"] });
    assertStringIncludes(shown.out, "hai-mcp hook --session '/a b/s.json'");
  },
);
