/**
 * A session's log, as the decisions of a session write to it.
 *
 * @module
 */

/** Records whole lines. */
export interface LineLog {
  /** Records a line of the host. */
  clientLine(line: Uint8Array): void;
  /** Records a line of the server. */
  serverLine(line: Uint8Array): void;
  /** Records a line that the proxy wrote itself. */
  proxy(line: Uint8Array): void;
}
