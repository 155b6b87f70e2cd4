/**
 * A flow in words and tables. Sections without content are left out.
 *
 * @module
 */

import { isUsual } from "../binding/bind.ts";
import { canonicalJson } from "../state/call_key.ts";
import type { Flow, Rate, Weights } from "../flow.ts";
import { programText } from "../program/program_text.ts";
import { thresholdAt } from "../walking/run_flow.ts";
import { siteRows } from "../deciding/site_rows.ts";
import { STANDARD_PROGRAM } from "../program/standard_program.ts";

/** Weights shown of one lookup. */
const MAX_WEIGHTS = 8;

/**
 * Describes a flow.
 *
 * @param flow The flow.
 * @param threshold The threshold to show it at; by default its own.
 * @returns Markdown, without a final newline.
 */
export function flowMarkdown(flow: Flow, threshold?: number): string {
  const { provenance, manifest } = flow;
  const from = provenance.sources.join(", ") || "no agent";
  return [
    `# The ${manifest.domain} flow`,
    "",
    `Learned by hoist ${provenance.hoist} from ${provenance.habit_episodes} solved sessions of ${from}. ` +
    `Threshold ${thresholdAt(flow, "", threshold)}.`,
    ...section("Tools", tools(flow)),
    ...section("Run", run(flow)),
    ...section("Sites", sites(flow, threshold)),
    ...section("Bindings", bindings(flow)),
    ...section("Records", records(flow)),
    ...section(
      "Constants",
      [...flow.bindings.constants].map(([key, v]) => `- ${key}: ${JSON.stringify(v)}`),
    ),
    ...section("Code features", features(flow)),
    ...section("Arbiter", arbiter(flow)),
    ...section("Hints", hints(flow)),
    ...section(
      "Weights",
      flow.cues === undefined ? [] : [
        `Words of the customer that count: ${flow.cues.words.join(", ") || "none"}.`,
        "",
        ...weights(flow.cues.reach, "comes at all"),
        ...weights(flow.cues.choice, "is this call"),
      ],
    ),
    ...section(
      "Contracts",
      Object.entries(flow.contracts ?? {}).map(([tool, c]) => `- ${tool}(${c})`),
    ),
    ...section("Promotion", promotion(flow)),
    ...section(
      "Thresholds",
      Object.entries(flow.thresholds).map(([site, t]) => `- ${site}: ${t > 1 ? "off" : t}`),
    ),
    ...section("Surprise", surprise(flow)),
  ].join("\n");
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `## ${heading}`, "", ...lines];
}

function tools(flow: Flow): string[] {
  const of = (kind: string) =>
    flow.vocab.tools.filter((t) => flow.manifest.tools[t] === kind).join(", ");
  return ([["read", "the only ones it may call"], ["write", "never called"], [
    "generic",
    "unknown, never called",
  ]] as const)
    .filter(([kind]) => of(kind) !== "").map(([kind, what]) => `- ${kind} (${what}): ${of(kind)}`);
}

/** The program of a run, and what stands for what in it. */
function run({ program }: Flow): string[] {
  const isStandard = canonicalJson(program) === canonicalJson(STANDARD_PROGRAM);
  return [
    `Behind each call of the agent's, \`call\`, ${
      isStandard ? "the standard program" : "a program of its own"
    }:`,
    "",
    "```",
    ...programText(program),
    "```",
    "",
    "`Decide` is what the site says below, 0 for handing back; `Outcome` whether the lookup succeeds.",
  ];
}

function sites(flow: Flow, threshold: number | undefined): string[] {
  if (flow.next.size === 0) return [];
  const rows = siteRows(flow).map(({ site, lookup, followed, p, binding }) => {
    const q = p * binding;
    const does = q >= thresholdAt(flow, site, threshold) ? "looks up" : "hands back";
    return `| ${site} | ${lookup} | ${+followed.toFixed(1)} | ${p.toFixed(2)} × ${
      binding.toFixed(2)
    } = ${q.toFixed(2)} | ${does} |`;
  });
  return [
    "From counts alone, with an unmentioned record; in a session the weights shift both factors.",
    ...(flow.everyRead ? ["Every other read is offered at every site as well."] : []),
    "",
    "| after | lookup | seen next | chance | at the threshold |",
    "|---|---|---|---|---|",
    ...rows,
  ];
}

function bindings(flow: Flow): string[] {
  const { namedOther, describedRead } = flow.bindings;
  const others = [
    ...(namedOther.size > 0 ? [["another named", namedOther] as const] : []),
    ...(describedRead.size > 0 ? [["described one read", describedRead] as const] : []),
  ];
  const rows = [...flow.bindings.sources].flatMap(([key, { values, found }]) => {
    const [lookup, arg] = JSON.parse(key);
    const usual = found.filter((s) => isUsual(s.found, values));
    const [plain, named] = flow.bindings.agreed.get(lookup) ?? [[0, 0], [0, 0]];
    const from = usual.map((s) => `${s.tool} at \`${s.path}\` (${s.found} of ${values})`).join(
      "; ",
    );
    const rates = [plain, named, ...others.map(([, counted]) => counted.get(lookup) ?? [0, 0])];
    return [
      `| ${lookup} | ${arg} | ${from || "nothing shows it"} | ${
        rates.map((r) => rate(r as Rate)).join(" | ")
      } |`,
    ];
  });
  if (rows.length === 0) return [];
  return [
    `| ${
      ["lookup", "argument", "from", "unmentioned right", "mentioned right"]
        .concat(others.map(([name]) => name)).join(" | ")
    } |`,
    `|${"---|".repeat(5 + others.length)}`,
    ...rows,
  ];
}

function records(flow: Flow): string[] {
  return [...flow.bindings.records].flatMap(([lookup, { calls, found }]) =>
    found.map((r) =>
      `- ${lookup}: ${
        Object.entries(r.fields).map(([a, f]) => `${a} from \`${f}\``).join(", ")
      } of one record of ` +
      `${r.tool} at \`${r.path}\` (${r.found} of ${calls})`
    )
  );
}

function weights(all: Weights, what: string): string[] {
  return [...all].flatMap(([tool, list]) => {
    const strong = [...list].sort(([a, x], [b, y]) => Math.abs(y) - Math.abs(x) || (a < b ? -1 : 1))
      .slice(0, MAX_WEIGHTS);
    if (strong.length === 0) return [];
    return [
      `- ${tool} ${what}: ${
        strong.map(([name, w]) => `${name} ${w > 0 ? "+" : ""}${w.toFixed(2)}`).join(", ")
      }`,
    ];
  });
}

function promotion(flow: Flow): string[] {
  return Object.entries(flow.promoted?.sites ?? {}).map(([site, s]) =>
    `- ${site}: ${
      s.promoted ? "promoted" : "not promoted"
    }, ${s.used} of ${s.lookups} used, lower bound ${s.lower.toFixed(3)}, ${s.tasks} tasks`
  );
}

/** Their values are data, so they are only counted. */
function features({ map }: Flow): string[] {
  const fields = Object.values(map.fields).flat().length;
  return fields === 0 ? [] : [`${fields} fields of results, ${map.ids.size} combinations.`];
}

function surprise({ surprise: bar }: Flow): string[] {
  if (bar === undefined) return [];
  const { window, threshold, quantile } = bar;
  const by = quantile === undefined
    ? "set by hand"
    : `what ${quantile} of the training sessions stayed within`;
  return [
    `It acts no more in a session once ${window} steps of the agent's in a row surprise it by more than ` +
    `${threshold.toFixed(3)} nats each: ${by}.`,
  ];
}

/** What the oracle is told that results were used for. */
function hints({ feeds }: Flow): string[] {
  return [...feeds].map(([lookup, list]) =>
    `- ${lookup}: ${list.map((f) => `${f.arg} of ${f.write} (${f.count})`).join(", ")}`
  );
}

function rate([right, tried]: Rate): string {
  return tried === 0 ? "-" : `${right}/${tried}`;
}

function arbiter({ arbiter, provenance }: Flow): string[] {
  if (arbiter === undefined) return [];
  const names = ["habit", "choice", "split", "hand back", ...arbiter.weighed.map((p) => p.id)];
  return [
    `Fitted on ${provenance.arbiter_cases} decisions that ${arbiter.model} was asked at.`,
    "",
    `| fold | ${[...names, "reliability"].join(" | ")} | pick agreed | step was an option |`,
    `|---|${"---|".repeat(names.length + 3)}`,
    ...arbiter.folds.map(({ weights, rates }, fold) => {
      const cells = [...weights, rates.agree, rates.cover].map((x) => x.toFixed(3));
      return `| ${fold} | ${cells.join(" | ")} |`;
    }),
    ...(arbiter.predicates.length === 0 ? [] : [""]),
    ...arbiter.predicates.map(({ id, favors, question, yes, no }) => {
      const isWeighed = arbiter.weighed.some((p) => p.id === id);
      const what = typeof favors === "string" ? favors : favors.lookup;
      return `- ${id} (favours ${what}${
        isWeighed ? "" : "; not weighed"
      }): ${question} Yes: ${yes} No: ${no}`;
    }),
  ];
}
