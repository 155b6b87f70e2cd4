/**
 * Explains a procedure in words, for the person who decides whether to trust it.
 *
 * @module
 */

import {
  type Action,
  type Argument,
  type Procedure,
  type ProcedureNode,
  START_SITE,
  toolsOf,
} from "./procedure.ts";
import type { Reference } from "./reference.ts";

/**
 * Explains a procedure.
 *
 * @param procedure The procedure.
 * @returns The lines of the explanation.
 */
export function explain(procedure: Procedure): string[] {
  const { domain, provenance, inputs, trees, fallback, checks, maxCalls, reads } = procedure;
  const origin = provenance.training_tasks === 0
    ? "not learned"
    : `learned from ${provenance.training_tasks} tasks`;
  const tools = toolsOf(procedure);
  const lines = [
    `A procedure for ${domain}, ${origin} (${provenance.sources.join(", ")}).`,
    `It makes ${maxCalls} calls at most. Reads: ${list(tools.filter((t) => reads.has(t)))}. ` +
    `Writes: ${list(tools.filter((t) => !reads.has(t)))}.`,
  ];
  for (const [name, { type, description, isOptional, pattern }] of Object.entries(inputs)) {
    const form = pattern === undefined ? "" : `, of the form ${pattern}`;
    const need = isOptional ? ", may be left out" : "";
    lines.push(`Input ${name} (${type}${form}${need}): ${description}`);
  }
  for (const [site, tree] of Object.entries(trees)) {
    lines.push("", `${siteWords(site)}:`, ...nodeLines(tree, procedure, "  "));
  }
  lines.push("", "Anywhere else:", ...nodeLines(fallback, procedure, "  "));
  for (const { phrase, probe, contains, lacks } of checks) {
    const has = contains.map((text) => `has ${JSON.stringify(text)}`);
    const not = lacks.map((text) => `has no ${JSON.stringify(text)}`);
    lines.push(
      "",
      `When it stops and the ticket says "${phrase}", ${probe.tool} is called` +
        `${argumentWords(probe)}; the ticket is resolved if the answer ${
          [...has, ...not].join(" and ") || "is no error"
        }.`,
    );
  }
  return lines;
}

function siteWords(site: string): string {
  if (site === START_SITE) return "At the start";
  return site.endsWith("!") ? `After ${site.slice(0, -1)} failed` : `After ${site}`;
}

function nodeLines(node: ProcedureNode, procedure: Procedure, indent: string): string[] {
  if (node.kind === "hand_back") return [`${indent}hand back: ${node.reason}`];
  if (node.kind === "split") {
    return [
      `${indent}if ${featureWords(node.feature)}:`,
      ...nodeLines(node.yes, procedure, `${indent}  `),
      `${indent}else:`,
      ...nodeLines(node.no, procedure, `${indent}  `),
    ];
  }
  const lines = node.actions.map(({ action, count }, i) =>
    `${indent}${node.actions.length > 1 ? `${i + 1}. ` : ""}${actionWords(action, procedure)}` +
    (procedure.provenance.training_tasks > 0 ? ` [${count}]` : "")
  );
  if (node.otherwise !== undefined) lines.push(`${indent}else hand back: ${node.otherwise}`);
  return lines;
}

function actionWords(action: Action, { stop, handoff, reads }: Procedure): string {
  if (action.tool === stop) return "stop";
  if (action.tool === handoff) return `hand the customer on with ${action.tool}`;
  return `${reads.has(action.tool) ? "look up" : "WRITE"} ${action.tool}${argumentWords(action)}`;
}

function argumentWords(action: Action): string {
  const args = Object.entries(action.arguments ?? {});
  if (args.length === 0) return "";
  return ` with ${args.map(([name, value]) => `${name} = ${valueWords(value)}`).join(", ")}`;
}

function valueWords(argument: Argument): string {
  switch (argument.kind) {
    case "value":
      return JSON.stringify(argument.json);
    case "list":
      return `[${argument.items.map(valueWords).join(", ")}]`;
    case "object":
      return `{${
        Object.entries(argument.fields).map(([name, value]) => `${name}: ${valueWords(value)}`)
          .join(", ")
      }}`;
    case "reference":
      return referenceWords(argument.reference);
  }
}

function referenceWords(reference: Reference): string {
  if (reference.kind === "input") return `the input ${reference.name}`;
  if (reference.kind === "ticket") return `the ticket's ${reference.pattern.source}`;
  const { tool, path, selectors } = reference;
  const { fields, ticket, isAll, isOnly, instead } = selectors;
  const what = path.length === 1 ? "the whole" : path.replace(/^[$@]\.?/, "");
  const side = path.startsWith("@") ? `what ${tool} was called with` : tool;
  const parts = [`${isAll ? "all " : ""}${what} of ${side}`];
  for (const [field, value] of Object.entries(fields)) parts.push(`where ${field} is ${value}`);
  if (ticket === "said") parts.push("that the ticket names");
  if (ticket === "described") parts.push("that the ticket speaks of");
  if (instead !== undefined) parts.push(`that the ticket wants in place of ${instead}`);
  if (isOnly) parts.push("if there is one way only");
  return parts.join(" ");
}

function featureWords(feature: string): string {
  const word = /^ticket: (.*)$/s.exec(feature)?.[1];
  if (word !== undefined) return `the ticket says "${word}"`;
  const [, input, , value] = /^input ([\w-]+)(=(.*))?$/s.exec(feature) ?? [];
  if (input !== undefined) {
    return value === undefined ? `input ${input} is given` : `input ${input} is ${value}`;
  }
  const [, tool, field, of] = /^([^:]+):(.+?)=(.*)$/s.exec(feature) ?? [];
  if (tool === undefined) return feature;
  const [, kind, path] = /^(len|said|described)\((.*)\)$/.exec(field ?? "") ?? [];
  if (kind === "len") return `${tool} gave ${of} of ${path}`;
  if (kind !== undefined) {
    return `the ticket ${kind === "said" ? "names" : "speaks of"} ${of} of ${tool}'s ${path}`;
  }
  return `${field} of ${tool} is ${of}`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
