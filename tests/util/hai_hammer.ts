/**
 * A process that hammers one state root with mixed calls and prints a line of
 * JSON for each call that was answered. Arguments: calls to make, project folder.
 *
 * @module
 */

import { readHaiConfig } from "../../lib/hai/state/config.ts";
import { HaiShell } from "../../lib/hai/shell/hai_shell.ts";

const [calls = "100", project = "/"] = Deno.args;
const config = readHaiConfig((name) => Deno.env.get(name), "/nowhere");
const shell = new HaiShell(config, {
  version: "0.1.0",
  caller: "the test's agent",
  unixMs: () => Date.now(),
  onFault: (error) => console.error(error),
});

let mission: { id: string; session: string } | undefined;
let waiting: string | undefined;

for (let i = 0; i < Number(calls); i++) {
  const [name, args] = next(i);
  const reply = await shell.call(name, args);
  remember(name, reply);
  const line = JSON.stringify({
    name,
    ok: reply.ok,
    error: reply.error,
    intake: reply.intake_id,
    event: reply.audit_event_id ?? gateEvent(reply),
    path: name === "hai_park" ? reply.path : undefined,
  });
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

function next(i: number): [string, Record<string, unknown>] {
  switch (i % 10) {
    case 0:
      return ["hai_intake", { raw: `intake ${i}` }];
    case 1:
      return mission === undefined
        ? ["hai_mission_start", {
          problem: "p",
          artifact: "a",
          owner: "o",
          done_criteria: [{ description: "d" }],
          constraints: { project_path: project },
        }]
        : ["hai_park", { text: `thought ${i}` }];
    case 2:
      return ["hai_set_focus", { focus_id: `lane-${i % 3}` }];
    case 3:
      return ["hai_status", {}];
    case 4:
      return mission === undefined ? ["hai_park", { text: "t" }] : ["hai_authorize_session", {
        mission_id: mission.id,
        contract_version: 1,
        agent_identity: "a",
        role: "r",
        contribution: "c",
        expected_result: "e",
        duration_minutes: 5,
        criterion_ids: ["dc-1"],
      }];
    case 5:
      return ["hai_drop_lane", { focus_id: `lane-${i % 3}` }];
    case 6:
      return mission === undefined ? ["hai_checkpoint", {}] : ["hai_check_activity", {
        session_id: mission.session,
        activity_step: "s",
        criterion_id: "dc-1",
        affected_paths: ["log"],
      }];
    case 8:
      return ["hai_accept_next_step", { project_path: project, content: "# step" }];
    case 9:
      return ["hai_accept_next_step", {
        project_path: project,
        content: "# step",
        owner_code: waiting === undefined ? "" : ownerCode(waiting),
      }];
    default:
      return mission === undefined ? ["hai_health", {}] : ["hai_proof", {
        mission_id: mission.id,
        contract_version: 1,
        outcome_summary: "s",
        evidence: { "dc-1": { path: "log" } },
      }];
  }
}

function remember(name: string, reply: Readonly<Record<string, unknown>>): void {
  if (name === "hai_accept_next_step") {
    waiting = typeof reply.challenge_id === "string" ? reply.challenge_id : undefined;
  }
  if (name === "hai_mission_start" && reply.ok === true) {
    mission = { id: String(reply.mission_id), session: "S-20260101T000000-00000000" };
  } else if (name === "hai_authorize_session" && reply.ok === true && mission !== undefined) {
    mission = { ...mission, session: String(reply.session_id) };
  } else if (name === "hai_proof" && reply.ok === true) mission = undefined;
}

function gateEvent({ owner_gate }: Readonly<Record<string, unknown>>): unknown {
  return typeof owner_gate === "object" && owner_gate !== null && "audit_event_id" in owner_gate
    ? owner_gate.audit_event_id
    : undefined;
}

/** The code as the owner would hand it over; another process may have used it by now. */
function ownerCode(challengeId: string): string {
  try {
    return Deno.readTextFileSync(`${config.ownerHome}/${challengeId}.txt`).slice(16, 25);
  } catch {
    return ""; // Killed before the owner was told.
  }
}
