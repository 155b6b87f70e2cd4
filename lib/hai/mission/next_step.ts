/**
 * The next step of a project: proposed by an agent, made canonical by the owner.
 *
 * @module
 */

/** File an agent proposes in. */
export const PROPOSED = "NEXT_STEP.proposed.md";

/** File that counts. */
export const CANONICAL = "NEXT_STEP.md";

/** Artifacts that are read, in this order. */
export const ARTIFACTS: readonly string[] = [
  "PROJECT_STATE.md",
  "PROMPT.md",
  "INTENT.md",
  "CODE_STATE.md",
  "BRIEFING.md",
  CANONICAL,
  PROPOSED,
  "EXECUTOR_HANDOFF_NEXT_STEP.md",
  "EXECUTION_REPORT_NEXT_STEP.md",
  "VALIDATION_REPORT_NEXT_STEP.md",
  "VERIFICATION_REPORT_NEXT_STEP.md",
  "LOOP_STATUS_NEXT_STEP.md",
  "BLOCKED_LOG_NEXT_STEP.md",
  "DRIFT_LOG.md",
];

const MARKER = "<!-- proposed by hai-mcp";

/** The proposal file: a marker line, a blank line, the content. */
export function proposalText(content: string, at: string): string {
  return `${MARKER} at ${at}; not canonical until the owner accepts -->\n\n${content.trim()}\n`;
}

/** A body as it is approved and hashed: trimmed, one final newline, no marker lines. */
export function stepBody(content: string): string {
  const lines = content.split("\n").filter((line) => !line.startsWith(MARKER));
  return `${lines.join("\n").trim()}\n`;
}

/** How a step was accepted. */
interface Acceptance {
  readonly at: string;
  readonly reason: string;
  readonly gate: string;
}

/** The canonical file: the body, then how it was accepted. */
export function canonicalText(body: string, { at, reason, gate }: Acceptance): string {
  const oneLine = reason.replaceAll(/\s*[\r\n]+\s*/g, " ");
  return [
    body.trimEnd(),
    "",
    "---",
    "_Accepted via hai-mcp_",
    `- at: ${at}`,
    `- reason: ${oneLine}`,
    `- gate: ${gate}`,
    "",
  ].join("\n");
}

/**
 * The first characters of a text, counted as code points.
 *
 * @param text The text.
 * @param limit How many.
 * @returns The cut, the full length, and whether something was cut.
 */
export function cutText(text: string, limit: number) {
  const points = [...text];
  return {
    content: points.length > limit ? points.slice(0, limit).join("") : text,
    chars: points.length,
    truncated: points.length > limit,
  };
}
