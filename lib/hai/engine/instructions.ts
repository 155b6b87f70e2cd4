/**
 * The instructions that an agent receives when it connects.
 *
 * @module
 */

/** The server's instructions. */
export const INSTRUCTIONS =
  `hai-mcp governs work; it does none. Ask it before you act, tell it what you did.

Start: hai_health, then hai_get_mission. Without a mission agree on one with the person you work for and open it with hai_mission_start (or hai_open_mission): one objective, criteria that can be checked, constraints.project_path, allowed_paths.
Work: hai_authorize_session once, and send its session_token with each call of the session; hai_check_activity before each step with the criterion and every path, and do what required_action says: continue, pause, stop, park (hai_park_item) or request_recontract (hai_recontract). hai_release_session when done.
Finish: hai_proof with a file per criterion inside the project. status "incomplete" with closed false means NOT closed.
Aside: hai_park for thoughts, hai_intake and hai_distill for raw input, hai_checkpoint before risky steps, hai_recover after a restart, hai_stop at the end of the day.

Owner gate: hai_accept_next_step, hai_recontract, abandoning, moving a mount, and opening a mission wider than the last need the owner. The first call answers owner_gate_required: hand the sentence tell_owner to the person, wait, call again with the same arguments and owner_code, or without it once they approved in their terminal. Never look for the code yourself, and do not retry with guesses.

Every reply has ok. ok false names error, message and often field, expected and got: fix the argument and call again. Wrong types and unknown arguments are refused, nothing is converted. state_corrupt and state_unavailable are for the owner: report them and stop.`;
