import { assertEquals } from "@std/assert";
import { needsWorker, permissionNeeds, workerNeeds } from "./permissions.ts";
import { intercepts } from "../intercept/asked_for.ts";
import { parseProxyFlags } from "./proxy_flags.ts";

function options(...flags: readonly string[]) {
  const parsed = parseProxyFlags([...flags, "--", "server"], "/home/me");
  if (parsed.kind !== "options") throw new Error(JSON.stringify(parsed));
  return parsed.options;
}
const RETAIL = ["--guards", "--domain", "retail"] as const;
const MOCK = { kind: "mock", cacheDir: "/cache", baseUrl: "https://api.typesafe.ai" } as const;
const JEV = { ...MOCK, kind: "jev" } as const;

Deno.test("parseProxyFlags() reads what is done about writes", () => {
  const { interceptors, oracle } = options(
    ...[
      "--guards",
      "--guard-rules",
      "~/rules.yaml",
      "--commit",
      "--context",
      "~/c-{session}.jsonl",
    ],
    ...["--confirm-judge", "enforce", "--confirm-second", "proposed", "--confirm-second-shadow"],
    ...["--confirm-threshold", "0.4", "--confirm-questions", "7", "--confirm-log", "/l.jsonl"],
    ...["--oracle", "replay", "--oracle-cache", "~/answers"],
  );
  assertEquals(interceptors, {
    context: { path: "/home/me/c-{session}.jsonl" },
    commit: {},
    guard: {
      rules: { path: "/home/me/rules.yaml" },
      judge: {
        rule: { threshold: 0.4, second: { wording: "proposed", isShadow: true } },
        isEnforced: true,
      },
      asking: { questions: 7, log: "/l.jsonl" },
    },
  });
  assertEquals(oracle, { kind: "replay", cacheDir: "/home/me/answers" });
});

Deno.test("parseProxyFlags() takes shipped rules by their domain, and the defaults of the judge", () => {
  const { interceptors, oracle } = options(...RETAIL, "--context", "c", "--confirm-judge", "log");
  assertEquals([interceptors.guard?.rules, interceptors.commit], [
    { domain: "retail" },
    undefined,
  ]);
  assertEquals(oracle?.kind, "jev");
  assertEquals(interceptors.guard?.judge, {
    rule: { threshold: 0.5 },
    isEnforced: false,
  });
  assertEquals(interceptors.guard?.asking, { questions: 100, log: undefined });
});

Deno.test("parseProxyFlags() has rules ask where an oracle is named", () => {
  const log = ["--confirm-log", "/l.jsonl", "--confirm-questions", "2"];
  assertEquals(options(...RETAIL).interceptors.guard?.asking, undefined);
  assertEquals(options(...RETAIL).oracle, undefined);
  assertEquals(options("--flow", "f", ...RETAIL).interceptors.guard?.asking, undefined);
  const { interceptors, oracle } = options(...RETAIL, "--oracle", "replay", ...log);
  assertEquals(interceptors.guard?.asking, { questions: 2, log: "/l.jsonl" });
  assertEquals(oracle?.kind, "replay");
  const refused = parseProxyFlags([...RETAIL, ...log, "--", "server"], "/home/me");
  assertEquals(
    refused.kind === "refused" && refused.message.split("\n")[0],
    "--confirm-questions needs --confirm-judge, or --guards and --oracle",
  );
});

Deno.test.each<{ flags: readonly string[]; acts: boolean; worker: boolean }>([
  { flags: [], acts: false, worker: false },
  { flags: RETAIL, acts: true, worker: false },
  { flags: ["--commit"], acts: true, worker: false },
  { flags: ["--context", "c"], acts: true, worker: true },
])("a session with $flags acts: $acts, and keeps a right: $worker", ({ flags, acts, worker }) => {
  const given = options(...flags);
  assertEquals([intercepts(given.interceptors), needsWorker(given, undefined)], [acts, worker]);
});

Deno.test("permissionNeeds() reads rules at the start; workerNeeds() the conversation as long as it runs", () => {
  const own = ["--guards", "--guard-rules", "/r.yaml"];
  const judged = options(
    ...[...own, "--context", "/c/{session}/talk.jsonl", "--confirm-judge", "log"],
    ...["--confirm-log", "/l/{session}.jsonl"],
  );
  assertEquals(workerNeeds(judged, MOCK), {
    run: ["server", "sh"],
    read: ["/c"],
    write: ["/l"],
    net: [],
    env: [],
  });
  assertEquals(workerNeeds(judged, JEV), {
    run: ["server", "sh"],
    read: ["/c", "/cache"],
    write: ["/l", "/cache"],
    net: ["api.typesafe.ai:443"],
    env: [],
  });
  const { read, env } = permissionNeeds(judged, "/app/cmd/hoist_mcp.ts", JEV);
  assertEquals(read, ["/c", "/cache", "/app", "/r.yaml"]);
  assertEquals(env.includes("TYPESAFE_DEFAULT_MODEL"), true);
  assertEquals(workerNeeds(options("--context", "{session}.jsonl")).read, ["."]);
  assertEquals(workerNeeds(options("--context", "/{session}.jsonl")).read, ["/"]);
  assertEquals(workerNeeds(options("--context", "a/c.jsonl")).read, ["a/c.jsonl"]);
});

Deno.test("parseProxyFlags() reads when a session surprises a flow", () => {
  const surprise = (...flags: readonly string[]) =>
    options("--flow", "f.json", ...flags).interceptors.flow?.surprise;
  assertEquals(surprise(), undefined);
  assertEquals(surprise("--flow-surprise", "off"), "off");
  assertEquals(surprise("--flow-surprise", "2.5"), 2.5);
  for (
    const [flags, words] of [
      [["--flow", "f", "--flow-surprise", "much"], "--flow-surprise takes off or a number of nats"],
      [["--flow-surprise", "off"], "--flow-surprise needs --flow"],
    ] as const
  ) {
    const parsed = parseProxyFlags([...flags, "--", "server"], "/home/me");
    assertEquals(parsed.kind === "refused" && parsed.message.startsWith(words), true, words);
  }
});

Deno.test("parseProxyFlags() takes --flow-explore above 0 in shadow only", () => {
  const parse = (...flags: string[]) =>
    parseProxyFlags(["--flow", "f.json", ...flags, "--", "server"], "/home/me").kind;
  assertEquals(parse("--flow-explore", "0"), "options");
  assertEquals(parse("--flow-explore", "0.1", "--flow-shadow"), "options");
  assertEquals(parse("--flow-explore", "0.1") === "options", false);
});

Deno.test("parseProxyFlags() takes --flow-holdout with a record and lookups only", () => {
  const fault = (...flags: string[]) => {
    const parsed = parseProxyFlags(["--flow", "f.json", ...flags, "--", "server"], "/home/me");
    return parsed.kind === "refused" ? parsed.message.split("\n")[0] : undefined;
  };
  assertEquals(
    fault("--record", "d", "--flow-holdout", "0.2", "--flow-holdout-seed", "4"),
    undefined,
  );
  assertEquals(fault("--flow-holdout", "0.2"), "--flow-holdout needs --record");
  assertEquals(fault("--flow-holdout-seed", "1"), "--flow-holdout-seed needs --flow-holdout");
  assertEquals(
    fault("--record", "d", "--flow-holdout", "0.2", "--flow-shadow"),
    "--flow-holdout and --flow-shadow exclude each other",
  );
  assertEquals(
    fault("--record", "d", "--flow-holdout", "2"),
    '--flow-holdout takes a probability from 0 to 1, not "2"',
  );
});
