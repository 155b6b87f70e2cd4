/**
 * Reads the bodies of the System One protocol. An answer that does not fit its question is dropped.
 *
 * @module
 */

import { z } from "zod";
import { at, isObject, textAt } from "../json/json.ts";
import type { Answer, OracleResponse } from "./oracle.ts";
import type { OracleRequest, Question } from "./question.ts";

const share = z.number().min(0).max(1);
const probabilities = z.record(z.string(), share);
const noul = z.object({ type: z.literal("noul"), noul: share });
const choice = z.object({
  type: z.literal("choice"),
  choice: z.string(),
  probabilities,
  confidence: share,
});
const score = z.object({
  type: z.literal("score"),
  score: z.number().min(0),
  probabilities,
  confidence: share,
});
const responseSchema = z.object({
  model: z.string().min(1),
  answers: z.record(z.string(), z.unknown()),
  usage: z.object({ input_tokens: z.number().min(0), output_tokens: z.number().min(0) }),
});

/** How far a sum of probabilities may be from 1. */
const SUM_SLACK = 0.02;
/** How far a score may be from the expectation of its levels. */
const SCORE_SLACK = 0.03;
/** Characters of a server's error text that are shown. */
const MAX_WORDS = 200;

/**
 * Reads a response.
 *
 * @param request What was asked.
 * @param body The response's body.
 * @returns The response without fields we do not know; undefined when it does not answer the request.
 */
export function readResponse(request: OracleRequest, body: unknown): OracleResponse | undefined {
  const parsed = responseSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const { model, answers, usage } = parsed.data;
  const asked = Object.keys(request.questions).sort();
  if (Object.keys(answers).sort().join("\n") !== asked.join("\n")) return undefined;
  const read: Record<string, Answer> = {};
  for (const [id, question] of Object.entries(request.questions)) {
    const answer = readAnswer(question, answers[id]);
    if (answer === undefined) return undefined;
    read[id] = answer;
  }
  return { model, answers: read, usage };
}

function readAnswer(question: Question, body: unknown): Answer | undefined {
  if (question.type === "noul") return noul.safeParse(body).data;
  if (question.type === "choice") {
    const answer = choice.safeParse(body).data;
    if (answer === undefined) return undefined;
    const fits = isDistribution(answer.probabilities, Object.keys(question.criteria)) &&
      Object.hasOwn(question.criteria, answer.choice);
    return fits ? answer : undefined;
  }
  const answer = score.safeParse(body).data;
  if (answer === undefined) return undefined;
  const levels = question.criteria.map((_, i) => String(i));
  if (!isDistribution(answer.probabilities, levels)) return undefined;
  const mean = levels.reduce((sum, l) => sum + Number(l) * (answer.probabilities[l] ?? 0), 0);
  return answer.score <= levels.length - 1 && Math.abs(mean - answer.score) <= SCORE_SLACK
    ? answer
    : undefined;
}

function isDistribution(p: Readonly<Record<string, number>>, options: readonly string[]): boolean {
  const sum = Object.values(p).reduce((a, b) => a + b, 0);
  return Object.keys(p).length === options.length &&
    options.every((option) => Object.hasOwn(p, option)) && Math.abs(sum - 1) <= SUM_SLACK;
}

/**
 * The error text in a server's body, in any of its known shapes.
 *
 * @param body The body of an error.
 * @param secret Text to take out, should the server repeat it.
 * @returns At most 200 characters.
 */
export function errorText(body: unknown, secret = ""): string {
  const detail = at(body, "detail");
  const first = Array.isArray(detail) && isObject(detail[0]) ? detail[0] : undefined;
  const loc = at(first, "loc");
  const where = Array.isArray(loc) ? `${loc.join(".")}: ` : "";
  const words = textAt(body, "error") ?? textAt(body, "error", "message") ??
    textAt(body, "message") ?? textAt(body, "detail") ?? textAt(detail, "message") ??
    (first === undefined ? undefined : where + (textAt(first, "msg") ?? "")) ??
    (typeof body === "string" ? body : JSON.stringify(body) ?? "");
  // Before it is cut, else the start of a secret could stay.
  const safe = secret === "" ? words : words.replaceAll(secret, "<redacted>");
  return safe.slice(0, MAX_WORDS);
}
