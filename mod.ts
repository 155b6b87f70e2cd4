/**
 * Hoist as a library: read recorded MCP sessions, decide lookups with a flow, check calls
 * against guards, and relay a session between two stream pairs, with interceptors of your own.
 *
 * @example From a log to an episode
 * ```ts
 * import { episode, manifest, readLog } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const log = await readLog("testdata/sessions/v2/parcels.jsonl");
 * const ep = episode(log);
 * ep.reward = 1; // If you know the task was solved.
 * assertEquals(ep.events.length, 5);
 * assertEquals(manifest(log, ep.domain).tools, { find_sender: "generic", get_sender: "generic" });
 * ```
 *
 * @module
 */

export { VERSION } from "./lib/flags/version.ts";
export {
  type CheckedRun,
  checkFlowLog,
  type FlowLogCheck,
} from "./lib/flow/walking/check_flow_log.ts";
export { type LookupDecision, LookupFlow, type LookupLimits } from "./lib/replay/lookup_flow.ts";
export {
  type GuardedRecord,
  Guards,
  type GuardVerdict,
  type PlannedCall,
} from "./lib/guard/report/guards.ts";
export { type RelayOptions, relayStreams, type StreamPair } from "./lib/relay/relay_streams.ts";
export type {
  StreamCrossing,
  StreamInterceptor,
  StreamInterceptorFactory,
  StreamMessage,
} from "./lib/relay/stream_interceptor.ts";
export {
  type CallAnswer,
  type ChainCall,
  PASS,
  refuseCall,
  type TextAnswer,
  type Verdict,
} from "./lib/intercept/chain/interceptor.ts";
export { readLog, readLogs } from "./lib/disk/read_log.ts";
export type {
  LineBase,
  LineSource,
  LogHeader,
  LogLine,
  LogProblem,
  MessageLine,
  PartialLog,
  RawLine,
  SessionLog,
} from "./lib/log/log.ts";
export { parseLog, type ParseLogOptions } from "./lib/log/parse_log.ts";
export { redactArgs } from "./lib/log/redact_args.ts";
export { type LogFault, LogSyntaxError } from "./lib/log/log_syntax_error.ts";
export { afterCall, type EpisodeAfterCall } from "./lib/trace/after_call.ts";
export type { Call, Caller } from "./lib/trace/calls.ts";
export type {
  AssistantEvent,
  CallTurn,
  Episode,
  EpisodeCall,
  EpisodeEvent,
  EpisodeStep,
  ToolResultEvent,
} from "./lib/trace/episode.ts";
export { episode, type EpisodeOptions } from "./lib/trace/log_episode.ts";
export type {
  RecordedEpisode,
  RecordedEvent,
  RecordedResult,
  RecordedTurn,
  Usage,
  UserEvent,
} from "./lib/trace/recorded_episode.ts";
export type { CallResult } from "./lib/trace/call_result.ts";
export type { JsonObject } from "./lib/json/json.ts";
export { type Manifest, manifest, type ToolDoc, type ToolKind } from "./lib/trace/manifest.ts";
export type { TurnOptions } from "./lib/trace/turns.ts";
