/**
 * Next step and artifacts of a project: read, propose, accept.
 *
 * @module
 */

import { z } from "zod";
import { type CallContext, OwnerAsking } from "../call/call_context.ts";
import { sha256 } from "../state/hashes.ts";
import {
  ARTIFACTS,
  CANONICAL,
  canonicalText,
  cutText,
  proposalText,
  PROPOSED,
  stepBody,
} from "../mission/next_step.ts";
import { checkAck, passGate } from "../owner/owner_gate.ts";
import { join } from "../state/path_text.ts";
import { openProject, type Project, readArtifact } from "../mission/projects.ts";
import { CallRefusal } from "../state/refusal.ts";
import {
  checkText,
  defineTool,
  literalTrue,
  optionalText,
  positive,
  text,
  type Tool,
} from "../call/tool.ts";

const PATH = text("The project's folder, absolute path.");

const getNextStep = defineTool({
  name: "hai_get_next_step",
  title: "The accepted next step",
  description:
    "Reads the canonical next step of a project. Follow it only when verified is true: " +
    "the owner accepted exactly this text.",
  effect: "reads",
  input: z.strictObject({ project_path: PATH }),
  output: z.looseObject({
    ok: z.literal(true),
    exists: z.boolean(),
    path: z.string(),
    content: z.string().nullable(),
    source: z.enum(["canonical", "unverified", "none"]),
    verified: z.boolean().describe("Whether the audit trail names exactly this text."),
  }),
  run(ctx, args) {
    const project = openProject(ctx, args.project_path);
    if (project instanceof CallRefusal) return project;
    const content = readArtifact(ctx, project, CANONICAL);
    if (content instanceof CallRefusal) return content;
    const path = join(project.artifacts, CANONICAL);
    if (content === undefined) {
      return { ok: true, exists: false, path, content: null, source: "none", verified: false };
    }
    const verified = isAccepted(ctx, project, content);
    const source = verified ? "canonical" : "unverified";
    return { ok: true, exists: true, path, content, source, verified };
  },
});

const readArtifacts = defineTool({
  name: "hai_read_artifacts",
  title: "Artifacts of a project",
  description: "Reads the project's known artifact files, each cut to max_chars.",
  effect: "reads",
  input: z.strictObject({
    project_path: PATH,
    max_chars: positive("Characters per file; 500 to 20000, values outside are moved inside.")
      .default(4000),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    project_path: z.string(),
    artifact_dir: z.string(),
    artifact_dir_exists: z.boolean(),
    artifacts: z.record(
      z.string(),
      z.strictObject({
        path: z.string(),
        chars: z.int(),
        truncated: z.boolean(),
        content: z.string(),
      }),
    ),
    present: z.array(z.string()),
  }),
  run(ctx, args) {
    const project = openProject(ctx, args.project_path);
    if (project instanceof CallRefusal) return project;
    const limit = Math.min(20000, Math.max(500, args.max_chars));
    const found = ARTIFACTS.flatMap((name) => {
      const content = readArtifact(ctx, project, name);
      if (content === undefined || content instanceof CallRefusal) return [];
      return [[name, { path: join(project.artifacts, name), ...cutText(content, limit) }] as const];
    });
    return {
      ok: true,
      project_path: project.root,
      artifact_dir: project.artifacts,
      artifact_dir_exists: ctx.world.disk.kind(project.artifacts) === "directory",
      artifacts: Object.fromEntries(found),
      present: found.map(([name]) => name).sort(),
    };
  },
});

const propose = defineTool({
  name: "hai_propose_next_step",
  title: "Propose the next step",
  description: "Writes a proposal beside the canonical next step. It counts for nothing until " +
    "the owner accepts it with hai_accept_next_step.",
  effect: "replaces",
  isIdempotent: true,
  input: z.strictObject({
    project_path: PATH,
    content: text("The proposed next step, Markdown, not blank."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    path: z.string(),
    canonical: z.literal(false),
    message: z.string(),
  }),
  run(ctx, args) {
    const blank = checkText("content", args.content);
    if (blank !== undefined) return blank;
    const project = openProject(ctx, args.project_path);
    if (project instanceof CallRefusal) return project;
    const path = join(project.artifacts, PROPOSED);
    ctx.tx.putText("project", path, proposalText(args.content, ctx.local), project.root);
    return { ok: true, path, canonical: false, message: "Proposed; the owner has to accept it" };
  },
});

const accept = defineTool({
  name: "hai_accept_next_step",
  title: "Accept the next step",
  description: "Makes a next step canonical. The owner has to approve exactly this text and " +
    "reason: the first call asks the owner, a second one with owner_code (or after an approval " +
    "in the owner's terminal) applies it.",
  effect: "replaces",
  asksOwner: true,
  input: z.strictObject({
    project_path: PATH,
    owner_code: optionalText("The code the owner handed over, XXXX-XXXX in any spelling."),
    reason: optionalText("Why this is the next step; part of what the owner approves."),
    content: optionalText("The text; left out, the proposal is accepted."),
    owner_ack: literalTrue("Counts only with HAI_OWNER_GATE=ack_legacy."),
  }),
  output: z.looseObject({
    ok: z.literal(true),
    path: z.string(),
    canonical: z.literal(true),
    reason: z.string(),
    owner_gate: z.looseObject({ gate: z.string() }),
  }),
  run(ctx, args) {
    const reason = args.reason?.trim() || null;
    if (ctx.config.gate === "ack_legacy") {
      const refused = checkAck(ctx, { ack: args.owner_ack, reason });
      if (refused !== undefined) return refused;
    }
    const project = openProject(ctx, args.project_path);
    if (project instanceof CallRefusal) return project;
    const step = findStep(ctx, project, args.content);
    if (step instanceof CallRefusal) return step;
    const passed = passGate(ctx, {
      action: "accept_next_step",
      subject: { project_path: project.root, body_sha256: sha256(step.body) },
      reason,
      summary: "Make this text the project's canonical next step",
      preview: { project_path: project.root, body: step.body, previous: step.previous ?? null },
      code: args.owner_code,
      ack: args.owner_ack,
    });
    if (passed instanceof CallRefusal || passed instanceof OwnerAsking) return passed;
    const gate = String(passed.info.gate);
    const given = passed.reason ?? `owner code accepted (${passed.info.challenge_id})`;
    const { path, text } = applyStep(ctx, project, { ...step, reason: given, gate });
    ctx.audit("next_step_accepted", {
      project_path: project.root,
      body_sha256: sha256(step.body),
      file_sha256: sha256(text),
      reason: given,
      owner_gate: gate,
    });
    return { ok: true, path, canonical: true, reason: given, owner_gate: passed.info };
  },
});

/** Tools of a project's artifacts, in the order they are listed. */
export const ARTIFACT_TOOLS: readonly Tool[] = [getNextStep, readArtifacts, propose, accept];

interface Step {
  readonly body: string;
  readonly previous: string | undefined;
  readonly proposal: string | undefined;
}

function findStep(
  ctx: CallContext,
  project: Project,
  content: string | null | undefined,
): Step | CallRefusal {
  const proposal = readArtifact(ctx, project, PROPOSED);
  if (proposal instanceof CallRefusal) return proposal;
  const previous = readArtifact(ctx, project, CANONICAL);
  if (previous instanceof CallRefusal) return previous;
  const isGiven = content !== null && content !== undefined && content.trim() !== "";
  const body = isGiven ? `${content.trim()}\n` : stepBody(proposal ?? "");
  if (body === "\n") {
    return new CallRefusal(
      "no_proposal",
      "There is no proposal to accept, and no content was given",
    );
  }
  return { body, previous, proposal };
}

/** Whether the trail names a text as the last next step that the owner accepted for a project. */
function isAccepted(ctx: CallContext, project: Project, content: string): boolean {
  const { chain } = ctx.world;
  return !("fault" in chain) && chain.trail.step(project.root) === sha256(content);
}

/** Files of one second share a stamp; what is there already is never overwritten. */
function historyPath(ctx: CallContext, project: Project, pattern: (stamp: string) => string) {
  for (let n = 1;; n++) {
    const stamp = n === 1 ? ctx.stamp : `${ctx.stamp}-${n}`;
    const path = join(project.artifacts, "history", pattern(stamp));
    if (ctx.world.disk.kind(path) === undefined) return path;
  }
}

function applyStep(
  ctx: CallContext,
  project: Project,
  step: Step & { readonly reason: string; readonly gate: string },
): { readonly path: string; readonly text: string } {
  const { tx } = ctx;
  const write = (path: string, content: string | null) =>
    tx.putText("project", path, content, project.root);
  const path = join(project.artifacts, CANONICAL);
  if (step.previous !== undefined) {
    write(historyPath(ctx, project, (stamp) => `NEXT_STEP_${stamp}_prev.md`), step.previous);
  }
  if (step.proposal !== undefined) {
    // A proposal that is not what was accepted is kept.
    if (stepBody(step.proposal) !== step.body) {
      write(historyPath(ctx, project, (stamp) => `NEXT_STEP_${stamp}_proposed.md`), step.proposal);
    }
    write(join(project.artifacts, PROPOSED), null);
  }
  const text = canonicalText(step.body, { at: ctx.local, reason: step.reason, gate: step.gate });
  write(path, text);
  const record = {
    event: "accept_next_step",
    at: ctx.local,
    reason: step.reason,
    project_path: project.root,
    path,
    owner_gate: step.gate,
  };
  write(
    historyPath(ctx, project, (stamp) => `accept_${stamp}.json`),
    `${JSON.stringify(record, Object.keys(record).sort(), 2)}\n`,
  );
  return { path, text };
}
