/**
 * What waits for the owner: calls that proxies hold, requests at the gate, running sessions.
 *
 * @module
 */

import type { WaitingCall } from "../../ports/approval_desk.ts";
import { heldLines } from "../../approval/shown.ts";
import type { RequestView } from "../../hai/desk/request_view.ts";
import { requestLines } from "../../hai/desk/request_view.ts";
import type { Lease } from "../../hai/state/records.ts";
import { OUTCOME_SENTENCES, type WishOutcome } from "../answer/owner_wish.ts";
import { type Html, markup, NOTHING } from "./html.ts";
import { counted } from "./layout.ts";

/** A mission that was closed, and what showed that it was done. */
export interface ClosedMission {
  readonly id: string;
  readonly status: string;
  readonly closedAt: string;
  readonly outcome: string;
  /** The file of each criterion, as it was when the mission was closed. */
  readonly evidence: readonly {
    readonly criterion: string;
    readonly path: string;
    readonly sha256: string;
  }[];
}

/** The control plane, as the page shows it. */
export interface ControlPlane {
  readonly requests: readonly RequestView[];
  /** Why there are none; undefined when nothing is wrong. */
  readonly problem: string | undefined;
  /** Id and objective of the active mission; undefined when there is none. */
  readonly mission:
    | { readonly id: string; readonly objective: string; readonly criteria: readonly string[] }
    | undefined;
  /** The latest missions that were closed. */
  readonly closed: readonly ClosedMission[];
  readonly leases: readonly Lease[];
  /** Events of the audit trail, which was verified; undefined when it is broken. */
  readonly events: number | undefined;
}

/** What the page shows. */
export interface AnswersModel {
  readonly held: readonly WaitingCall[];
  /** Folder of held calls. */
  readonly approveDir: string;
  /** Undefined where there is no control plane. */
  readonly plane: ControlPlane | undefined;
  /** How the last wish ended. */
  readonly outcome: WishOutcome | undefined;
}

/** Columns of a request's lines. */
const WIDTH = 110;

/** Prints the page. */
export function answersPage(model: AnswersModel): Html {
  const { held, plane, outcome, approveDir } = model;
  const requests = plane?.requests ?? [];
  const waiting = requests.filter(({ status }) => status === "pending");
  return markup`<h1>Answers</h1>
${
    outcome === undefined
      ? NOTHING
      : markup`<p class="said card" role="status">${OUTCOME_SENTENCES[outcome]}</p>`
  }
<p>Each approval asks for the code that the terminal of this console shows; to deny needs none. An answer is bound to exactly what is shown here.</p>
<div id="answers" data-live>
<h2>Calls that wait</h2>
<div id="held" data-live-rows>${
    held.length === 0
      ? markup`<p id="held-none" class="empty">No call waits. Rules with <code>approve</code> hold calls behind <code>hoist-mcp --approve</code>; they are read from <code>${approveDir}</code>.</p>`
      : held.map(heldCard)
  }</div>
${plane === undefined ? noPlane() : planeSection(plane, waiting)}
</div>`;
}

function heldCard({ call, fingerprint }: WaitingCall): Html {
  return card({
    id: `h-${call.id}`,
    title: call.tool,
    lines: heldLines(call),
    fields: { kind: "held", id: call.id, fingerprint },
    others: [["denied", "Deny"]],
    isApproved: false,
  });
}

function requestCard(view: RequestView): Html {
  const isApproved = view.status === "approved";
  return card({
    id: `q-${view.id}-${view.status}`,
    title: view.action,
    lines: requestLines(view, WIDTH),
    fields: { kind: "request", id: view.id, fingerprint: view.fingerprint },
    others: isApproved ? [["pending", "Take back"]] : [["denied", "Deny"], ["later", "Later"]],
    isApproved,
  });
}

interface Card {
  readonly id: string;
  readonly title: string;
  /** Safe to show. */
  readonly lines: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
  /** Verdicts besides approval, which need no code. */
  readonly others: readonly (readonly [verdict: string, name: string])[];
  readonly isApproved: boolean;
}

function card({ id, title, lines, fields, others, isApproved }: Card): Html {
  const hidden = Object.entries(fields).map(([name, value]) =>
    markup`<input type="hidden" name="${name}" value="${value}">`
  );
  const approve = isApproved
    ? NOTHING
    : markup`<form method="post" action="/answers">${hidden}<input type="hidden" name="verdict" value="approved"><label>Code from the terminal<input name="code" autocomplete="off" required maxlength="20" spellcheck="false"></label><button>Approve ${title}</button></form>`;
  return markup`<section class="card ask" id="${id}"><h3>${title}${
    isApproved ? markup`<span class="badge">approved, not used yet</span>` : ""
  }</h3><pre tabindex="0" aria-label="What is asked for">${
    lines.join("\n")
  }</pre><div class="acts">${approve}${
    others.map(([verdict, name]) =>
      markup`<form method="post" action="/answers">${hidden}<input type="hidden" name="verdict" value="${verdict}"><button class="quiet">${name} ${title}</button></form>`
    )
  }</div></section>`;
}

function noPlane(): Html {
  return markup`<h2>Requests at the gate</h2><p class="empty">There is no control plane here: <code>hai-mcp</code> keeps one in <code>HAI_HOME</code>.</p>`;
}

function planeSection(plane: ControlPlane, waiting: readonly RequestView[]): Html {
  const { requests, problem, mission, closed, leases, events } = plane;
  return markup`<h2>Requests at the gate</h2>
<div id="requests" data-live-rows>${
    problem !== undefined
      ? markup`<p id="requests-problem" class="empty">${problem}</p>`
      : requests.length === 0
      ? markup`<p id="requests-none" class="empty">Nothing waits at the gate.</p>`
      : requests.map(requestCard)
  }</div>
<h2>Mission</h2>
<div id="mission" data-live-rows><section class="card" id="mission-${mission?.id ?? "none"}-${
    events ?? "broken"
  }-${waiting.length}">${
    mission === undefined
      ? markup`<p>No mission is active.</p>`
      : markup`<h3>${mission.id}</h3><p>${mission.objective}</p><ul>${
        mission.criteria.map((text) => markup`<li>${text}</li>`)
      }</ul>`
  }<p class="meta">${
    events === undefined
      ? markup`<b class="alarm">The audit trail is broken: nothing is decided until it is repaired.</b>`
      : `Audit trail verified, ${counted(events, "event")}.`
  }</p></section></div>
${closed.length === 0 ? NOTHING : markup`<h2>Closed missions</h2>${closed.map(closedCard)}`}
<h2>Sessions of the mission</h2>
<div id="leases" data-live-rows>${
    leases.length === 0
      ? markup`<p id="leases-none" class="empty">No session runs.</p>`
      : leases.map(leaseCard)
  }</div>
<div class="acts">
<form method="post" action="/answers"><input type="hidden" name="kind" value="stop"><button class="danger">Stop all work</button></form>
<form method="post" action="/answers"><input type="hidden" name="kind" value="resume"><label>Code from the terminal<input name="code" autocomplete="off" required maxlength="20" spellcheck="false"></label><button class="quiet">Let work go on</button></form>
</div>`;
}

function closedCard({ id, status, closedAt, outcome, evidence }: ClosedMission): Html {
  return markup`<section class="card" id="closed-${id}"><h3>${id}, ${status}</h3><p>${outcome}</p>${
    evidence.length === 0
      ? NOTHING
      : markup`<ul>${
        evidence.map(({ criterion, path, sha256 }) =>
          markup`<li>${criterion}: <code>${path}</code>, SHA-256 <code>${
            sha256.slice(0, 16)
          }…</code></li>`
        )
      }</ul>`
  }<p class="meta">closed ${closedAt}</p></section>`;
}

function leaseCard(lease: Lease): Html {
  const { session_id, agent_identity, role, contribution, granted_at, expires_at } = lease;
  return markup`<section class="card ask" id="l-${session_id}"><h3>${agent_identity}, ${role}</h3><p>${contribution}</p><p class="meta">${session_id}, from ${granted_at} to ${expires_at}</p><div class="acts"><form method="post" action="/answers"><input type="hidden" name="kind" value="revoke"><input type="hidden" name="session" value="${session_id}"><button class="quiet">End the session of ${agent_identity}</button></form></div></section>`;
}
