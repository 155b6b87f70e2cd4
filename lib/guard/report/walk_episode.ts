/**
 * Walks a recorded session with the facts that a guard had at each step.
 *
 * A proxy stands before one server and learns nothing from others, so each server of a
 * merged session has facts of its own.
 *
 * @module
 */

import type { Episode, EpisodeCall } from "../../trace/episode.ts";
import { stepsOf } from "../../trace/episode_steps.ts";
import { jsonMembers } from "../../json/json_members.ts";
import { ambiguityOf } from "../check.ts";
import { type AnsweredCall, Facts } from "../facts.ts";
import type { RuleSet } from "../rules/compile_rules.ts";
import type { GuardedCall } from "../rules/rule.ts";

/** Called on the steps of a session. */
export interface EpisodeVisitor {
  /** A call of the agent or of a commit, before it is made. */
  onCall?(call: EpisodeCall, made: GuardedCall, facts: Facts): void;
  /** An answer to any call, before it is added to the facts. */
  onAnswer?(call: EpisodeCall, answered: AnsweredCall, facts: Facts): void;
}

/**
 * Walks a session.
 *
 * @param rules The rules whose tables are filled.
 * @param episode The session.
 * @param visitor Called on each call and answer.
 * @returns The facts after the last step, by server; a session with one server has the name "".
 */
export function walkEpisode(
  rules: RuleSet,
  episode: Episode,
  visitor: EpisodeVisitor,
): ReadonlyMap<string, Facts> {
  const steps = stepsOf(episode);
  const servers = new Map([["", new Facts(rules)]]);
  for (const step of steps) {
    if (step.kind === "said") continue;
    const { server } = splitName(step.call.name);
    if (!servers.has(server)) servers.set(server, new Facts(rules));
  }
  const ambiguous = new Map<EpisodeCall, { readonly ambiguity: string }>();
  for (const step of steps) {
    if (step.kind === "said") {
      for (const facts of servers.values()) {
        if (step.role === "user") facts.heard(step.text);
        else facts.spoke(step.text);
      }
      continue;
    }
    const { call } = step;
    const { server, tool } = splitName(call.name);
    const facts = servers.get(server);
    if (facts === undefined) continue;
    const made = { tool, arguments: call.arguments, ...ambiguous.get(call) };
    if (step.kind === "sent") {
      const ambiguity = step.written === undefined ? undefined : ambiguityIn(step.written);
      if (ambiguity !== undefined) ambiguous.set(call, { ambiguity });
      // A flow's lookups only read: they add facts and are not checked.
      if (call.by !== "flow") {
        visitor.onCall?.(call, { ...made, ...ambiguous.get(call), turn: step.turn }, facts);
      }
    } else if (call.answer !== undefined) {
      const answered = { ...made, ...call.answer };
      visitor.onAnswer?.(call, answered, facts);
      facts.answered(answered);
    }
  }
  return servers;
}

/** {@linkcode ambiguityOf} of the arguments in the text of a `tools/call` request. */
function ambiguityIn(request: string): string | undefined {
  const params = memberText(request, "params");
  const args = params && memberText(params, "arguments");
  return args && ambiguityOf(args);
}

/** The text of a member of an object; of duplicates the last, as `JSON.parse` takes. */
function memberText(text: string, name: string): string | undefined {
  const member = jsonMembers(text).findLast(({ key }) => key === name);
  return member && text.slice(member.start, member.end).trim();
}

/** Splits off the `server::` prefix, which merged sessions add and a proxy never sees. */
export function splitName(name: string): { readonly server: string; readonly tool: string } {
  const end = name.lastIndexOf("::");
  return end < 0
    ? { server: "", tool: name }
    : { server: name.slice(0, end), tool: name.slice(end + 2) };
}
