/**
 * What a procedure learned from recorded sessions of the made-up shop does with
 * tickets that no session had: the table of docs/results_procedures.md.
 *
 *     deno run -A tests/util/plain_results.ts
 *
 * `hoist procedure compile` learns, `hoist-procedure` runs, a process a ticket, against
 * the fixture server; `--in-process` takes the same steps in this process.
 *
 * @module
 */

import { sortedText } from "../../lib/procedure_learning/action_templates.ts";
import { lenientParser } from "../../lib/flow/state/lenient.ts";
import { resultReader } from "../../lib/flow/state/read_result.ts";
import { readProcedure } from "../../lib/procedure/read_procedure.ts";
import { runProcedure } from "./run_procedure.ts";
import type { RunReport } from "../../lib/procedure/run/run_report.ts";
import { Tau2Tools } from "../../lib/tau2/tools.ts";
import { executable, util } from "./executables.ts";
import type { ShopTicket } from "./plain_shop.ts";
import { writeSessions, writeShop } from "./plain_sessions.ts";
import { type PlainTickets, plainTickets } from "./plain_tickets.ts";

/** How many tickets there are. */
export const COUNTS = { train: 300, test: 100, unseen: 40, twisted: 40 };
/** A part of them, for every run of the tests. */
export const FEW = { train: 150, test: 50, unseen: 10, twisted: 10 };

/** A shop on disk, and what was learned from its sessions. */
export interface LearnedShop {
  readonly tickets: PlainTickets;
  readonly dir: string;
  /** The procedure's file. */
  readonly path: string;
  /** What `hoist procedure compile` printed. */
  readonly report: string;
}

/**
 * Records the sessions and learns from them.
 *
 * @param dir An empty folder.
 * @param counts How many tickets there are.
 * @returns What was learned.
 */
export async function learnShop(dir: string, counts = COUNTS): Promise<LearnedShop> {
  const tickets = plainTickets(counts);
  await writeShop(dir, tickets);
  await writeSessions(`${dir}/sessions`, tickets);
  const path = `${dir}/shop.procedure.json`;
  const [program = "", ...first] = executable("hoist");
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...first, "procedure", "compile", "--sessions", `${dir}/sessions`, "--out", path],
  }).output();
  const decoder = new TextDecoder();
  if (code !== 0) throw new Error(decoder.decode(stderr));
  return { tickets, dir, path, report: decoder.decode(stdout) };
}

/** Runs a ticket; gives the run's report and what it changed in the database. */
export type RunTicket = (
  ticket: ShopTicket,
) => Promise<{ readonly report: RunReport; readonly state: string }>;

/** Runs `hoist-procedure` against the fixture server. */
export function byProgram({ dir, path }: LearnedShop): RunTicket {
  return async ({ ticket }) => {
    const [program = "", ...first] = executable("hoist-procedure");
    const state = await Deno.makeTempFile({ dir });
    const { stdout, stderr } = await new Deno.Command(program, {
      args: [
        ...first,
        ...["--procedure", path, "--ticket", ticket, "--"],
        ...util("tau2_server"),
        ...["--domain", "retail", "--data", dir, "--state", state],
      ],
    }).output();
    const printed = new TextDecoder().decode(stdout);
    if (printed === "") throw new Error(new TextDecoder().decode(stderr));
    return { report: JSON.parse(printed), state: await Deno.readTextFile(state) };
  };
}

/** Takes the steps of a run in this process. */
export async function inProcess({ path, tickets }: LearnedShop): Promise<RunTicket> {
  const procedure = readProcedure(await Deno.readTextFile(path), path);
  const read = resultReader(await lenientParser());
  return async ({ ticket }) => {
    const tools = new Tau2Tools("retail", tickets.shop.data);
    const report = await runProcedure(procedure, { ticket, inputs: {}, read }, {
      call: ({ tool, arguments: args }) => {
        const { text, isError } = tools.callTool(tool, args);
        return Promise.resolve({ kind: "answered", error: isError, content: text });
      },
    });
    return { report, state: tools.databaseState() };
  };
}

/** What runs came to. */
interface Counts {
  tickets: number;
  resolved: number;
  handedBack: number;
  wrong: number;
  writes: number;
  wrongWrites: number;
}

/**
 * Runs tickets, and counts what came of each kind.
 *
 * @param tickets The tickets.
 * @param data Whose shop.
 * @param run How one is run.
 * @returns The rows of the table, a kind each, sorted, and the sum.
 */
export async function shopRows(
  tickets: readonly ShopTicket[],
  { tickets: { shop } }: LearnedShop,
  run: RunTicket,
): Promise<{ readonly rows: readonly string[]; readonly sum: Counts }> {
  const kinds = new Map<string, Counts>();
  const sum = none();
  for (const one of tickets) {
    const { report, state } = await run(one);
    const gold = new Tau2Tools("retail", shop.data);
    for (const { tool, arguments: args } of one.writes) gold.callTool(tool, args);
    const wanted = one.writes.map(({ tool, arguments: args }) => `${tool} ${sortedText(args)}`);
    const counts = kinds.get(one.kind) ?? none();
    kinds.set(one.kind, counts);
    for (const all of [counts, sum]) {
      const left = [...wanted];
      all.tickets++;
      if (report.verdict === "hand_back" || report.verdict === "failed") all.handedBack++;
      else if (one.writes.length > 0 && state === gold.databaseState()) all.resolved++;
      else all.wrong++;
      for (const { tool, arguments: args, error } of report.calls) {
        if (error || /^(?:find|get)_/.test(tool)) continue;
        all.writes++;
        const at = left.indexOf(`${tool} ${sortedText(args)}`);
        if (at < 0) all.wrongWrites++;
        else left.splice(at, 1);
      }
    }
  }
  const rows = [...kinds].sort(([a], [b]) => a < b ? -1 : 1).map(([kind, c]) => row(kind, c));
  return { rows: [...rows, row("all", sum)], sum };
}

function none(): Counts {
  return { tickets: 0, resolved: 0, handedBack: 0, wrong: 0, writes: 0, wrongWrites: 0 };
}

function row(kind: string, c: Counts): string {
  return `| ${kind} | ${c.tickets} | ${c.resolved} | ${c.handedBack} | ${c.wrong} | ${c.writes} | ` +
    `${c.wrongWrites} |`;
}

const HEAD = [
  "| wish | tickets | resolved | handed back | wrong | writes | of them wrong |",
  "|---|---|---|---|---|---|---|",
];

if (import.meta.main) {
  const dir = await Deno.makeTempDir();
  try {
    const learned = await learnShop(dir);
    console.log(learned.report);
    const run = Deno.args[0] === "--in-process" ? await inProcess(learned) : byProgram(learned);
    for (const part of ["test", "unseen", "twisted"] as const) {
      console.log(`\n${part}:\n`);
      const { rows } = await shopRows(learned.tickets[part], learned, run);
      console.log([...HEAD, ...rows].join("\n"));
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
