/**
 * A request as the owner reads it: project, mission and reason first, then the exact change.
 *
 * Every line of the agent's text stands behind a gutter of two characters that the text itself
 * cannot reach: `+ `, `- ` or blanks, `> ` where a long line goes on, `~ ` where this program says
 * something. So no text can pass for a line of ours, push it out of sight, or hide letters.
 *
 * @module
 */

import { plainText } from "../../text/plain_text.ts";
import type { CallContext } from "../call/call_context.ts";
import {
  gutter,
  inline,
  lineCount,
  sectionLines,
  sectionsOf,
  warningsOf,
} from "../owner/change_lines.ts";
import { activeMissionId, loadContract, loadMission } from "../mission/missions.ts";
import type { Challenge, Contract } from "../state/records.ts";
import { StateCorruptError } from "../state/refusal.ts";

/** Columns of a terminal whose width is not known. */
const WIDTH = 100;
/** Deceiving characters that are named at most; the rest is counted. */
const MAX_NAMED = 20;

/** A request, ready to be shown. */
export interface RequestView {
  /** Its challenge. */
  readonly id: string;
  /** The last letters of the id, to name it by. */
  readonly tag: string;
  /** Action of the gate. */
  readonly action: string;
  /** The project's folder or name; undefined when the request is about none. */
  readonly project: string | undefined;
  /** Mission and objective; undefined when there is none. */
  readonly mission: string | undefined;
  /** The reason that the agent gave. */
  readonly reason: string;
  /** One sentence of the server. */
  readonly summary: string;
  /** When it lapses, UTC. */
  readonly expiresAt: string;
  /** `pending` waits for the owner; `approved` waits for the agent to use it. */
  readonly status: string;
  /** What a decision has to name: the change that was shown. */
  readonly fingerprint: string;
  /** Characters that can deceive, each with its place. */
  readonly warnings: readonly string[];
  /** The exact change, a line each, with gutters and not yet wrapped. */
  readonly change: readonly string[];
}

/** The letters by which a request is named. */
export function tagOf(id: string): string {
  return id.slice(-4);
}

/**
 * Makes the view of a request.
 *
 * @param ctx The call: mission and project are read as they are now.
 * @param challenge The request.
 * @returns The view.
 */
export function viewRequest(ctx: CallContext, challenge: Challenge): RequestView {
  const { challenge_id, preview, reason } = challenge;
  const about = aboutOf(ctx, challenge);
  const sections = sectionsOf(preview);
  const named = [{ title: "reason", lines: gutter(reason ?? "") }, ...sections].flatMap(warningsOf);
  return {
    id: challenge_id,
    tag: tagOf(challenge_id),
    action: challenge.action,
    project: about.project === undefined ? undefined : plainText(about.project),
    mission: about.mission === undefined ? undefined : plainText(about.mission),
    reason: plainText(reason ?? "(none given)"),
    summary: plainText(challenge.summary),
    expiresAt: challenge.expires_at,
    status: challenge.status,
    fingerprint: challenge.fingerprint,
    warnings: named.length <= MAX_NAMED
      ? named
      : [...named.slice(0, MAX_NAMED), `and ${named.length - MAX_NAMED} more such places`],
    change: sections.flatMap(sectionLines),
  };
}

/**
 * The view as lines for a terminal.
 *
 * @param view The view.
 * @param width Columns; longer lines are wrapped, and the wrap is marked.
 * @returns The lines.
 */
export function requestLines(view: RequestView, width: number = WIDTH): string[] {
  const head = [
    ...field("project", view.project ?? "(none)"),
    ...field("mission", view.mission ?? "(none)"),
    ...field("reason", view.reason),
    ...field("asks for", `${view.action}: ${view.summary}`),
    ...field("request", `${view.id}, until ${view.expiresAt}, check ${checkOf(view)}`),
    ...view.warnings.map((warning) => `look out: ${warning}`),
  ];
  return [...head, "", ...view.change].flatMap((line) => wrapped(line, width < 40 ? WIDTH : width));
}

/**
 * One line on each request. Where two read alike, each says where it differs.
 *
 * @param views The requests.
 * @returns A line each.
 */
export function listLines(views: readonly RequestView[]): string[] {
  return views.map((view) => {
    const twins = views.filter((other) => other !== view && headline(other) === headline(view));
    const own = view.change.find((line, i) => twins.some((twin) => twin.change[i] !== line));
    const differs = twins.length === 0
      ? ""
      : `  only here: ${cut(own ?? `${view.change.length} lines`, 60)}`;
    const state = view.status === "approved" ? "approved, unused" : "waits";
    return `${view.id}  ${state} until ${view.expiresAt}  ${headline(view)}${differs}  ` +
      `check ${checkOf(view)}`;
  });
}

/** The first letters of what a decision is bound to: two different requests never share them. */
function checkOf({ fingerprint }: RequestView): string {
  return fingerprint.replace(/^sha256:/, "").slice(0, 8);
}

function headline({ action, project, reason, change }: RequestView): string {
  const first = change.find((line) => /^[+-] .*\S/u.test(line)) ?? "";
  return [action, project ?? "", `"${cut(reason.replaceAll("\n", " "), 60)}"`, cut(first, 60)]
    .filter((part) => part !== "").join("  ");
}

function aboutOf(ctx: CallContext, { preview }: Challenge) {
  const named = textOf(preview.mission_id);
  const missionId = named ?? (isOpening(preview) ? undefined : activeId(ctx));
  const contract = missionId === undefined ? undefined : contractOf(ctx, missionId);
  const own = textOf(preview.project_path) ?? textOf(preview.path) ?? placeOf(preview.constraints);
  return {
    project: own ?? placeOf(contract?.constraints),
    mission: missionId === undefined
      ? isOpening(preview) ? `(new) ${textOf(preview.objective)}` : undefined
      : `${missionId} ${contract?.objective ?? ""}`.trim(),
  };
}

function isOpening(preview: Challenge["preview"]): boolean {
  return "objective" in preview && "done_criteria" in preview;
}

function activeId(ctx: CallContext): string | undefined {
  return believing(() => activeMissionId(ctx.tx)) ?? undefined;
}

function contractOf(ctx: CallContext, missionId: string): Contract | undefined {
  return believing(() => {
    const mission = loadMission(ctx.tx, missionId);
    return mission && loadContract(ctx.tx, missionId, mission.current_version);
  });
}

/** A broken record must not lock the owner out of the rest. */
function believing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StateCorruptError) return undefined;
    throw error;
  }
}

function placeOf(constraints: unknown): string | undefined {
  if (typeof constraints !== "object" || constraints === null) return undefined;
  const { project_path, project_id } = constraints as Partial<Record<string, unknown>>;
  return textOf(project_path) ?? textOf(project_id);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `name:     text`; a text of several lines gets the gutter. */
function field(name: string, text: string): string[] {
  const label = `${name}:`.padEnd(10);
  const lines = text.split("\n");
  return lines.length === 1 ? [`${label} ${inline(text)}`] : [
    `${label} ${lineCount(lines.length)}`,
    ...sectionLines({ title: name, lines: gutter(text) }).slice(1),
  ];
}

/** Cuts a line at the width; the rest follows behind `> `. */
function wrapped(line: string, width: number): string[] {
  const out: string[] = [];
  let piece = "";
  let columns = 0;
  for (const point of line) {
    // Wide letters take two columns: no terminal may wrap by itself, where no mark would stand.
    const wide = point === "\t" ? 8 : point > "\u007f" ? 2 : 1;
    if (columns + wide > width) {
      out.push(piece);
      piece = "> ";
      columns = 2;
    }
    piece += point;
    columns += wide;
  }
  return [...out, piece];
}

function cut(text: string, most: number): string {
  const points = [...inline(text)];
  return points.length <= most ? points.join("") : `${points.slice(0, most - 1).join("")}…`;
}
