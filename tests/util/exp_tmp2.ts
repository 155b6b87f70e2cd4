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
const g: any = groundsOf(tasks, options);
console.log("grounds", performance.now() - t0);
for (const [site, ex] of g.sites) { const c = new Map<string, Set<string>>(); for (const e of ex) c.set(e.label, (c.get(e.label) ?? new Set()).add(e.task)); console.log("##", site, ex.length); for (const [l, n] of [...c].sort((a, b) => b[1].size - a[1].size).slice(0, 12)) console.log("   ", n.size, l || "UNTOLD"); }
import { RunState } from "/work/procedure/lib/procedure/run_state.ts";
import { learnable } from "/work/procedure/lib/distill/task.ts";
import { unordered } from "/work/procedure/lib/distill/templates.ts";
for (const t of tasks) {
  const seen = new Set<string>();
  console.log("=====", t.id, t.given.ticket.replaceAll("\n", " / ").slice(0, 700), JSON.stringify(t.given.inputs));
  for (const c of t.courses) {
    const st = new RunState(t.given, read);
    for (const k of learnable(c, rec.manifest)) {
      const w = rec.manifest.tools[k.tool] === "write";
      if (w) { const key = k.tool + unordered(k.arguments); if (!seen.has(key)) { seen.add(key);
        const call = { tool: k.tool, arguments: k.arguments, isWrite: true };
        const l = g.templates.label(call, st);
        const items = k.arguments.item_ids as string[] | undefined;
        let o: any; for (const x of st.outputs) if (x.tool === "get_order_details" && x.arguments.order_id === k.arguments.order_id) o = x;
        console.log("  ", l ? "TOLD " + l.text : "UNTOLD", k.tool, JSON.stringify(k.arguments), "| items in order:", o ? JSON.stringify((o.result.leaves.get("$.items[*].name") ?? []).map((x: any) => x.text + ":" + (items?.includes(x.record.fields.get("item_id").text) ? "*" : ""))) : "?"); } }
      st.answered({ tool: k.tool, arguments: k.arguments, isRead: !w, text: k.tool }, k.answer);
    }
  }
}
