import { assertEquals, assertRejects } from "@std/assert";
import { answer, call, type ScriptLine, scriptLog } from "../../../tests/util/script_log.ts";
import type { LogProblem, SessionLog } from "../../log/log.ts";
import type { FileStore } from "../../ports/files.ts";
import { workedSessions } from "./known_sessions.ts";
import { openRecordings } from "./recordings.ts";
import type { RecordingsRequest } from "./recordings_flags.ts";

const REQUEST: RecordingsRequest = {
  sessions: "logs",
  results: [],
  tau2: undefined,
  domain: undefined,
  skipAgents: [],
  agents: [],
  split: undefined,
  splitPart: undefined,
  manifest: undefined,
  rewards: undefined,
};

const CALLS: readonly ScriptLine[] = [
  [1, "client", call(1, "find")],
  [2, "server", answer(1, "found")],
];

function store(
  sessions: Readonly<Record<string, readonly ScriptLine[]>>,
  problems: readonly LogProblem[] = [],
): FileStore {
  const logs = new Map<string, SessionLog>(
    Object.entries(sessions).map(([session, lines]) => {
      const log = scriptLog(lines, { session, agent_model: `model of ${session}` });
      return [`logs/${session}.jsonl`, { ...log, problems }];
    }),
  );
  return {
    listLogs: () => Promise.resolve([...logs].map(([path, { header }]) => ({ path, header }))),
    readLog: (path) => Promise.resolve(logs.get(path) ?? scriptLog([])),
    readText: () => Promise.resolve(`{"rated": 1}`),
    replace: () => Promise.reject(new Error("nothing is written")),
  };
}

Deno.test("openRecordings() names the agents when --agent or --skip-agent leaves none", async () => {
  const files = store({ a: CALLS, b: CALLS });
  const known = 'the sessions\' agents are "model of a", "model of b"';
  for (
    const [change, flag] of [
      [{ agents: ["nobody"] }, "--agent nobody"],
      [{ skipAgents: ["model of a", "model of b"] }, "--skip-agent model of a, model of b"],
    ] as const
  ) {
    await assertRejects(
      () => openRecordings({ ...REQUEST, ...change }, files),
      Error,
      `No session is left by ${flag}: ${known}`,
    );
  }
});

Deno.test("openRecordings() notes each line that cannot be read", async () => {
  const problem: LogProblem = { kind: "cut", line: 3, message: 'is cut: {"t_ms"' };
  const { notes } = await openRecordings(REQUEST, store({ a: CALLS }, [problem]));
  assertEquals(notes, ['"logs/a.jsonl": line 3 is cut: {"t_ms"; the line is skipped']);
});

Deno.test("workedSessions() leaves out a session without calls unless its reward is given", async () => {
  const request = { ...REQUEST, rewards: "rewards.json" };
  const files = store({ worked: CALLS, idle: [], rated: [] });
  const worked = workedSessions(await openRecordings(request, files));
  const ids = [];
  for await (const { id } of worked.source.each()) ids.push(id);
  assertEquals(ids, ["worked", "rated"]);
  const said: string[] = [];
  worked.say({ say: (line) => said.push(line) });
  assertEquals(said, [
    "1 session holds no call of the agent, left out: nothing shows that it solved a task",
  ]);
});
