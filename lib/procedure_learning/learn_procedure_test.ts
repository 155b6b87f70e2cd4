import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { shown } from "../flow/state/output.ts";
import type { Episode } from "../trace/episode.ts";
import { linkEpisode } from "../trace/episode.ts";
import type { Manifest } from "../trace/manifest.ts";
import { procedureOf } from "../procedure/read_procedure.ts";
import { learnProcedure } from "./learn_procedure.ts";
import { trialAnswers } from "./trial_answers.ts";
import { compileReport, countTrials } from "./compile_report.ts";
import type { SolvedTask } from "./solved_task.ts";
import { runTrial } from "./trial.ts";

const MANIFEST: Manifest = {
  domain: "shop",
  tools: { find_user: "read", get_order: "read", cancel_order: "write", hand_over: "generic" },
};
const read = (text: string) => {
  const value: unknown = JSON.parse(text);
  return { value, shown: shown(value) };
};

const THINGS = ["Desk Lamp", "Water Bottle", "Office Chair", "Yoga Mat"];

/** A shop task: the customer has two orders, and wants to cancel or to return one of them. */
function task(n: number, wants: "cancel" | "return"): SolvedTask {
  const [mine = "", other = ""] = [THINGS[n % 4], THINGS[(n + 1) % 4]];
  const orders = [`#W${n}01`, `#W${n}02`];
  const answers: Record<string, unknown> = {
    find_user: { user_id: `user_${n}`, orders },
    [orders[0] ?? ""]: { order_id: orders[0], status: "pending", items: [{ name: mine }] },
    [orders[1] ?? ""]: { order_id: orders[1], status: "pending", items: [{ name: other }] },
  };
  const call = (id: string, name: string, args: Record<string, unknown>) => ({
    id,
    name,
    arguments: args,
    by: "agent" as const,
  });
  const steps = [
    call("a", "find_user", { email: `lea${n}@post.example` }),
    call("b", "get_order", { order_id: orders[0] }),
    call("c", "get_order", { order_id: orders[1] }),
    wants === "cancel"
      ? call("d", "cancel_order", { order_id: orders[0] })
      : call("d", "hand_over", { note: "a return" }),
  ];
  const episode: Episode = linkEpisode({
    id: `s${n}`,
    task_id: `t${n}`,
    trial: 0,
    domain: "shop",
    agent_model: "m",
    reward: 1,
    events: steps.flatMap((step) => [
      { kind: "assistant" as const, text: null, calls: [step], usage: null },
      {
        kind: "tool_result" as const,
        call_id: step.id,
        name: step.name,
        error: false,
        content: JSON.stringify(
          answers[step.name] ?? answers[String(step.arguments.order_id)] ?? { done: true },
        ),
      },
    ]),
  });
  const verb = wants === "cancel" ? "cancel" : "send back";
  return {
    id: `t${n}`,
    given: {
      ticket: `Hello, I want to ${verb} the order with the ${mine.toLowerCase()}.`,
      inputs: { email: `lea${n}@post.example` },
    },
    episodes: [episode],
  };
}

const TASKS = Array.from({ length: 40 }, (_, n) => task(n, n % 3 === 0 ? "return" : "cancel"));
const options = {
  manifest: MANIFEST,
  contracts: { cancel_order: "order_id:string!", other: "" },
  sources: ["m"],
  inputs: { email: { type: "string" as const, description: "email", optional: true } },
  read,
  answerer: trialAnswers(TASKS, MANIFEST),
};

Deno.test("learnProcedure() learns what sessions do alike, and hands the rest back", () => {
  const learned = learnProcedure(TASKS.slice(0, 30), options);
  const procedure = procedureOf(learned.file, "p");
  const trials = TASKS.slice(30).map((one) => runTrial(procedure, one, options));
  assertEquals(
    trials.map(({ outcome }) => outcome),
    TASKS.slice(30).map(({ given }) =>
      given.ticket.includes("cancel") ? "resolved" : "handed_back"
    ),
  );
  const counts = countTrials(learned.heldOut);
  assertEquals([counts.resolved, counts.wrong, counts.wrongWrites], [20, 0, 0]);
  const text = JSON.stringify(learned.file);
  assert(!/lea\d|#W\d|user_\d/.test(text), "no customer's value stands in the file");
  assertEquals(Object.keys(learned.file.contracts), ["cancel_order"]);
  assertStringIncludes(compileReport(learned, 30), "| resolved | 20 (66.7 %) |");
});

Deno.test("learnProcedure() gives the same file for the same sessions", () => {
  const twice = [0, 1].map(() => JSON.stringify(learnProcedure(TASKS.slice(0, 20), options).file));
  assertEquals(twice[0], twice[1]);
});

Deno.test("learnProcedure() writes nothing where sessions contradict each other", () => {
  const at = (n: number) => ({ ...task(n, n * 7 % 11 < 5 ? "cancel" : "return") });
  const tasks = Array.from({ length: 30 }, (_, n) => {
    const one = at(n);
    return {
      ...one,
      given: { ...one.given, ticket: one.given.ticket.replace(/cancel|send back/, "stop") },
    };
  });
  const learned = learnProcedure(tasks, options);
  const procedure = procedureOf(learned.file, "p");
  assertEquals(countTrials(tasks.map((one) => runTrial(procedure, one, options))).writes, 0);
  assertStringIncludes(compileReport(learned, 30), "No leaf writes or stops");
});

Deno.test("learnProcedure() hands back a ticket that says what no ticket said", () => {
  const procedure = procedureOf(learnProcedure(TASKS.slice(0, 30), options).file, "p");
  const tickets = TASKS.slice(30).filter(({ given }) => given.ticket.includes("cancel"));
  for (const more of ["", " Unless it ships today.", " Or keep it."]) {
    const trials = tickets.map((one) => {
      const given = { ...one.given, ticket: one.given.ticket + more };
      return runTrial(procedure, { ...one, given }, options);
    });
    const outcome = more === "" ? "resolved" : "handed_back";
    assertEquals([more, ...new Set(trials.map((trial) => trial.outcome))], [more, outcome]);
  }
});

Deno.test("learnProcedure() leaves out a kind of write that is wrong where it is held out", () => {
  // Every fifth ticket reads like the others, and was solved otherwise.
  const tasks = TASKS.map((one, n) => {
    if (n % 5 !== 4) return one;
    const [episode] = task(n, "return").episodes;
    return { ...one, episodes: episode === undefined ? [] : [episode] };
  });
  const learned = learnProcedure(tasks, options);
  assertEquals(countTrials(learned.heldOut).wrongWrites, 0);
  const all = learned.tried.flatMap(({ trials }) => trials);
  assertEquals(countTrials(all).wrongWrites, 0);
});

Deno.test("recordedWorlds() answers as another task's session where all agree", () => {
  const answerer = trialAnswers(TASKS.slice(0, 2), MANIFEST);
  const [one, two] = TASKS;
  if (one === undefined || two === undefined) throw new Error("no tasks");
  const order = { order_id: "#W001" };
  assertEquals(answerer(two)("get_order", order), answerer(one)("get_order", order));
  assertEquals(answerer(two)("get_order", { order_id: "#W901" }), undefined);
});

Deno.test("learnProcedure() learns two workflows in one procedure", () => {
  const both = TASKS.map((one, n): SolvedTask => {
    const isReturn = one.given.ticket.includes("send back");
    if (!isReturn) return one;
    const episodes = one.episodes.map((episode) => ({
      ...episode,
      calls: episode.calls.map((call) =>
        call.name === "hand_over"
          ? { ...call, name: "return_order", arguments: { order_id: `#W${n}01` } }
          : call
      ),
    }));
    return { ...one, episodes };
  });
  const manifest: Manifest = { ...MANIFEST, tools: { ...MANIFEST.tools, return_order: "write" } };
  const learned = learnProcedure(both, {
    ...options,
    manifest,
    answerer: trialAnswers(both, manifest),
  });
  assertEquals(countTrials(learned.heldOut).resolved, 40);
});
