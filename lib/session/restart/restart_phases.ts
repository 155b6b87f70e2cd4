/**
 * The phases of a session that survives its server.
 *
 * | phase | what it waits for |
 * |---|---|
 * | up | a server serves |
 * | draining | a watched file has changed: the answers to what is open; new lines are held |
 * | stopping | that server's exit |
 * | down | the server has ended: the time of the next start |
 * | greeting | the new server's answer to the host's own greeting |
 * | waiting | the attempts have ended: the next change of a watched file |
 * | ending | the host has closed, or the session cannot go on: the server's exit |
 * | over | nothing |
 *
 * @module
 */

import type { Moves } from "../phases.ts";

/** Phases of a session that survives its server. */
export type RestartPhase =
  | "up"
  | "draining"
  | "stopping"
  | "down"
  | "greeting"
  | "waiting"
  | "ending"
  | "over";

/** What moves it on. */
export type RestartSignal =
  | "saved"
  | "drained"
  | "crash"
  | "start"
  | "greeted"
  | "giveUp"
  | "close"
  | "gone";

/** Which phase each signal leads to. */
export const RESTART_MOVES: Moves<RestartPhase, RestartSignal> = {
  up: { saved: "draining", crash: "down", close: "ending" },
  draining: { drained: "stopping", crash: "down", close: "ending" },
  stopping: { start: "greeting", close: "ending" },
  down: { start: "greeting", giveUp: "waiting", close: "over" },
  greeting: { greeted: "up", crash: "down", close: "ending" },
  waiting: { start: "greeting", close: "over" },
  ending: { gone: "over" },
  over: {},
};
