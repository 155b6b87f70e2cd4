/**
 * Opens what the flow commands work on: a flow, its decider, and recorded sessions.
 *
 * @module
 */

import type { FlowDecider } from "../../flow/deciding/decider.ts";
import type { Decider } from "../../flow/deciding/option.ts";
import { readFlow } from "../../flow/file/read_flow.ts";
import type { Flow } from "../../flow/flow.ts";
import { lenientParser } from "../../flow/state/lenient.ts";
import { resultReader } from "../../flow/state/read_result.ts";
import type { ReadResult } from "../../flow/state/flow_state.ts";
import { needed, type Run } from "../../cli/command.ts";
import type { FileStore } from "../../ports/files.ts";
import type { OracleDoor } from "../../ports/oracle_door.ts";
import { type Recordings, recordingsOf } from "../sessions/recordings.ts";
import { requestOf } from "../sessions/recordings_flags.ts";
import { deciderOf } from "./decider_flags.ts";

/** What the commands that may ask an oracle work with. */
export interface OraclePorts {
  readonly files: FileStore;
  readonly door: OracleDoor;
}

/** A flow, and recorded sessions to try it on. */
export interface OpenFlow {
  readonly flow: Flow;
  readonly decider: FlowDecider;
  readonly recordings: Recordings;
  readonly read: ReadResult;
}

/**
 * Reads the flow that the command line names.
 *
 * @param run The command's run.
 * @returns The flow.
 */
export async function readNamedFlow(
  { values, files }: Run<{ readonly files: Pick<FileStore, "readText"> }>,
): Promise<Flow> {
  const path = needed(values, "flow");
  return readFlow(await files.readText(path), path);
}

/**
 * Opens the flow and the sessions that the command line names.
 *
 * @param run The command's run.
 * @param otherwise The decider where the command line names none; then the flow's counts alone
 *   decide, since its weights answer another question (whether the tool comes at all).
 * @returns The flow, its decider and the sessions.
 */
export async function openFlow(run: Run<OraclePorts>, otherwise?: Decider): Promise<OpenFlow> {
  needed(run.values, "flow");
  const request = requestOf(run.values);
  const flow = await readNamedFlow(run);
  const decider = otherwise === undefined
    ? deciderOf(run, flow)
    : deciderOf(run, { ...flow, cues: undefined }, otherwise);
  const recordings = await recordingsOf(request, run);
  return { flow, decider, recordings, read: resultReader(await lenientParser()) };
}
