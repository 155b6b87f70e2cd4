import { openRecordings } from "/work/procedure/lib/cli/recordings.ts";
import { diskFiles } from "/work/procedure/lib/disk/file_store.ts";
import { readTasks } from "/work/procedure/lib/tau2/read_tasks.ts";
import { resultReader } from "/work/procedure/lib/flow/read_result.ts";
import { lenientParser } from "/work/procedure/lib/flow/lenient.ts";
import { growProcedure, groundsOf } from "/work/procedure/lib/distill/grow_procedure.ts";
import { tryOn } from "/work/procedure/lib/distill/trial.ts";
import { procedureOf } from "/work/procedure/lib/procedure/read_procedure.ts";
import { Tau2Tools } from "/work/procedure/lib/tau2/tools.ts";
import { foldsOf } from "/work/procedure/lib/learn/folds.ts";
const D = "/work/shared/data/tau2";
const rec = await openRecordings({ sessions: undefined, results: [], tau2: D, domain: "retail", skipAgents: [], agents: [], split: undefined, splitPart: "train", manifest: undefined, rewards: undefined }, diskFiles);
const tickets = new Map(readTasks(await diskFiles.readText(D + "/tasks/retail-tasks.json.gz"), "t", { identity: true }).map((t) => [t.id, t]));
const db = JSON.parse(await diskFiles.readText(D + "/db/retail-db.json.gz"));
const by = new Map<string, any[]>();
for await (const c of rec.source.each()) if (c.reward >= 1) by.set(c.taskId, [...by.get(c.taskId) ?? [], c]);
const tasks = [...by].map(([id, courses]) => ({ id, given: { ticket: tickets.get(id)!.ticket, inputs: tickets.get(id)!.inputs }, courses }));
console.log(tasks.length, "tasks", tasks.reduce((n, t) => n + t.courses.length, 0), "courses");
const read = resultReader(await lenientParser());
const options: any = { manifest: rec.manifest, contracts: rec.contracts, sources: ["x"], read, inputs: inputsOf(tasks),
  answerer: () => { const w = new Tau2Tools("retail", db); return (t: string, a: any) => { const { text, isError } = w.callTool(t, a); return { error: isError, content: text }; }; } };
function inputsOf(ts: any[]) { const f: any = {}; for (const t of ts) for (const n of Object.keys(t.given.inputs)) f[n] = { type: "string", description: n, optional: true }; return f; }
let t0 = performance.now();
import { learnProcedure } from "/work/procedure/lib/distill/learn_procedure.ts";

const g = groundsOf(tasks, options); console.log("grounds", Math.round(performance.now() - t0));
import { groundsWithin } from "/work/procedure/lib/distill/grow_procedure.ts";
for (const a of g.decided.actions) { const r = new Set<string>(), w = new Set<string>(); for (const [d, ok] of a.isRight) (ok ? r : w).add(d.task.id); console.log(r.size, "right", [...r].join(" "), "| wrong", w.size, [...w].join(" "), a.text); }
const folds = foldsOf(tasks.map((t) => t.id));
for (const depth of [1, 2, 3]) { console.log("DEPTH", depth);
  for (let f = 0; f < 5; f++) { const sub = groundsWithin(g, (t) => folds.get(t) !== f); const file = growProcedure(sub, depth, options); const p = procedureOf(file, "x");
    const rs = tasks.filter((t) => folds.get(t.id) === f).map((t) => tryOn(p, t, options));
    for (const r of rs) if (r.outcome !== "handed_back" || r.writes) console.log("  ", f, r.task, r.outcome, r.reason, JSON.stringify(r.steps)); } }
