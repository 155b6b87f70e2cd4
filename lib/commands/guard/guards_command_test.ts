import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Runtime } from "../../ports/runtime.ts";
import { guardsCommand } from "./guards_command.ts";
import type { FileStore } from "../../ports/files.ts";

const RULES = `{"hoist_guards": 1, "domain": "parcels", "rules": [
  {"id": "p.held", "for": ["hold_parcel"], "mode": "enforce", "refuse": "args.id == 'P-1'", "because": "no"}]}`;
/** One run of a results file: a call of the tool, accepted. */
function results(tool: string, domain: string): string {
  const messages = [
    { role: "user", content: "Please" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", name: tool, arguments: { id: "P-1" } }],
    },
    { role: "tool", id: "1", content: "{}", error: false },
  ];
  return JSON.stringify({
    info: { environment_info: { domain_name: domain }, agent_info: { llm: "m" } },
    simulations: [{ task_id: "0", trial: 0, reward_info: { reward: 1 }, messages }],
  });
}

const FILES: Readonly<Record<string, string>> = {
  "rules.json": RULES,
  "parcels.json": results("hold_parcel", "parcels"),
  "retail.json": results("cancel_pending_order", "retail"),
  "airline.json": results("cancel_reservation", "airline"),
};

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const written: Record<string, string> = {};
  const runtime: Runtime = {
    say: (line) => err.push(line),
    print: (text) => out.push(text),
    env: () => undefined,
    unixMs: () => 0,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
  };
  const files: FileStore = {
    readText: (path) => {
      const text = FILES[path];
      return text === undefined ? Promise.reject(new Error(`no ${path}`)) : Promise.resolve(text);
    },
    replace: (path, text) => {
      written[path] = text;
      return Promise.resolve();
    },
    listLogs: () => Promise.resolve([]),
    readLog: () => Promise.reject(new Error("none")),
  };
  const status = await guardsCommand(args, runtime, { files });
  const text = out.join("\n");
  return {
    text,
    err: err.join("\n"),
    written,
    status,
    sections: [...text.matchAll(/^## (.*)$/gm)].map((m) => m[1]),
  };
}

const BOTH = ["--results", "retail.json", "--results", "airline.json"] as const;

Deno.test.each<{ why: string; args: readonly string[]; sections: readonly string[] }>([
  { why: "both domains by default", args: BOTH, sections: ["airline", "retail"] },
  { why: "one that is named", args: [...BOTH, "--domain", "retail"], sections: ["retail"] },
  {
    why: "two that are named, in that order",
    args: [...BOTH, "--domain", "retail", "--domain", "airline"],
    sections: ["retail", "airline"],
  },
  {
    why: "what a rule file says",
    args: ["--results", "parcels.json", "--guard-rules", "rules.json"],
    sections: ["parcels"],
  },
])("guardsCommand() reports $why", async ({ args, sections }) => {
  const done = await run(...args);
  assertEquals([done.sections, done.status, done.err], [sections, 0, ""]);
});

Deno.test("guardsCommand() checks with the rules of the file, and no others", async () => {
  const { text } = await run("--results", "parcels.json", "--guard-rules", "rules.json");
  assertStringIncludes(text, "| p.held | enforce | 0/1/0 |");
  assertStringIncludes(text, "1 rules (rules.json), 1 of them enforced. 1 sessions.");
});

Deno.test("guardsCommand() writes its report and its numbers where it is told", async () => {
  const { text, written } = await run(...BOTH, "--out", "r.md", "--json", "r.json");
  assertEquals([text, Object.keys(written).sort()], ["", ["r.json", "r.md"]]);
  assertEquals(written["r.md"]?.endsWith(".\n"), true);
  const numbers: { domains: { domain: string }[] } = JSON.parse(written["r.json"] ?? "");
  assertEquals(numbers.domains.map(({ domain }) => domain), ["airline", "retail"]);
});

Deno.test.each<{ why: string; args: readonly string[]; status: number; says: string }>([
  {
    why: "a domain without rules",
    args: [...BOTH, "--domain", "x"],
    status: 2,
    says: 'There are no rules for domain "x": --domain takes airline or retail',
  },
  {
    why: "two domains for sessions",
    args: ["--sessions", "d", "--domain", "retail", "--domain", "airline"],
    status: 2,
    says: "--sessions takes one --domain",
  },
  {
    why: "a manifest, which it does not need",
    args: [...BOTH, "--manifest", "m"],
    status: 2,
    says: "Unknown flag --manifest",
  },
  {
    why: "no session of the domain",
    args: ["--results", "retail.json", "--domain", "airline"],
    status: 1,
    says: 'no session of domain "airline" is left',
  },
  {
    why: "no session at all",
    args: ["--results", "parcels.json"],
    status: 1,
    says: "no session is left to check",
  },
  {
    why: "a rule file that is none",
    args: [...BOTH, "--guard-rules", "retail.json"],
    status: 1,
    says: 'Cannot use rules "retail.json"',
  },
  { why: "an empty folder", args: ["--sessions", "d"], status: 1, says: 'No sessions in "d"' },
])("guardsCommand() refuses $why", async ({ args, status, says }) => {
  const done = await run(...args);
  assertEquals([done.status, done.text], [status, ""]);
  assertStringIncludes(done.err, says);
});
