/**
 * `hoist context-hook` as Claude Code runs it: the settings of docs/context.md, the hook's
 * input on stdin, and what the proxy then reads.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { ContextFile } from "../../lib/disk/context_file.ts";
import { executable, ROOT } from "../util/executables.ts";

interface Settings {
  readonly hooks: Readonly<
    Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>
  >;
}

/** The settings that docs/context.md tells to paste. */
function settings(): Settings {
  const page = Deno.readTextFileSync(`${ROOT}/docs/context.md`);
  const [, json = ""] = /```json\n(\{\n {2}"hooks"[^]*?)```/.exec(page) ?? [];
  return JSON.parse(json);
}

/** Runs a command line of a hook with `hoist` being the program under test; the shell expands ~. */
async function hook(command: string, input: string, env: Readonly<Record<string, string>>) {
  const hoist = executable("hoist").map((word) => `'${word}'`).join(" ");
  const child = new Deno.Command("sh", {
    args: ["-c", `hoist() { HOME='${Deno.env.get("HOME") ?? ""}' ${hoist} "$@"; }; ${command}`],
    env: { ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

async function inHome(run: (home: string) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "hoist-hook-" });
  await Deno.mkdir(`${home}/.hoist`);
  try {
    await run(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

Deno.test("the settings of docs/context.md write the conversation that the proxy reads", () =>
  inHome(async (home) => {
    const path = `${home}/.hoist/context.jsonl`;
    await Deno.writeTextFile(path, '{"role":"user","content":"of an old session"}\n');
    const inputs = [
      { hook_event_name: "SessionStart", source: "startup" },
      { hook_event_name: "UserPromptSubmit", prompt: "Cancel #W1, “please”\nnow" },
      { hook_event_name: "Stop", last_assistant_message: "Shall I cancel #W1?" },
      {
        hook_event_name: "PostToolUse",
        tool_name: "AskUserQuestion",
        tool_input: { questions: [{ question: "Sure?", options: [{ label: "Yes" }] }] },
        tool_response: { answers: { "Sure?": "Yes" } },
      },
    ];
    const { hooks } = settings();
    assertEquals(Object.keys(hooks).sort(), inputs.map((i) => i.hook_event_name).sort());
    for (const input of inputs) {
      const command = hooks[input.hook_event_name]?.[0]?.hooks[0]?.command ?? "";
      const common = { session_id: "s", transcript_path: "/none", cwd: "/", permission_mode: "x" };
      const done = await hook(command, JSON.stringify({ ...common, ...input }), { HOME: home });
      assertEquals(done, { code: 0, stdout: "", stderr: "" });
    }
    const said: string[] = [];
    const file = new ContextFile(path, { say: (line) => said.push(line) });
    assertEquals(file.poll().map(({ role, content }) => `${role}: ${content}`), [
      "user: Cancel #W1, “please”\nnow",
      "assistant: Shall I cancel #W1?",
      "assistant: Sure?\n- Yes",
      "user: Yes",
    ]);
    assertEquals(said, []);
  }));

Deno.test("a session of its own gets a file of its own, 0600", () =>
  inHome(async (home) => {
    const command = "hoist context-hook --context ~/.hoist/{session}.jsonl";
    const input = JSON.stringify({ hook_event_name: "UserPromptSubmit", prompt: "Hi" });
    const done = await hook(command, input, { HOME: home, HOIST_SESSION: "a-1" });
    assertEquals(done, { code: 0, stdout: "", stderr: "" });
    const path = `${home}/.hoist/a-1.jsonl`;
    assertEquals(await Deno.readTextFile(path), '{"role":"user","content":"Hi"}\n');
    assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
  }));

Deno.test.each<{ why: string; command: string; input: string; says: RegExp }>([
  {
    why: "no file is named",
    command: "hoist context-hook",
    input: "{}",
    says: /Missing --context/,
  },
  {
    why: "the input is not JSON",
    command: "hoist context-hook --context ~/c.jsonl",
    input: "{",
    says: /Cannot read the hook's input: it is not JSON/,
  },
  {
    why: "the file cannot be written",
    command: "hoist context-hook --context /dev/null/c.jsonl",
    input: '{"hook_event_name":"UserPromptSubmit","prompt":"x"}',
    says: /Cannot write "\/dev\/null\/c.jsonl"/,
  },
  {
    why: "no session is named",
    command: "hoist context-hook --context ~/{session}.jsonl",
    input: "{}",
    says: /needs HOIST_SESSION, which names the session/,
  },
])(
  "the hook ends with 1, never 2, when $why",
  ({ command, input, says }) =>
    inHome(async (home) => {
      const { code, stdout, stderr } = await hook(command, input, {
        HOME: home,
        HOIST_SESSION: "",
      });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, says);
    }),
);
