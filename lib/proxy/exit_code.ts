/**
 * The exit statuses of `hoist-mcp` that are not the server's.
 *
 * @module
 */

/** Exit status when the proxy itself fails: no log, no server, an internal error. */
export const PROXY_FAILED = 125;

/** Exit status for a fault of the command line, or of a file that it names. */
const USAGE = 2;

/** The session log cannot be created. */
export class RecordFault extends Error {
  override readonly name = "RecordFault";
}

/**
 * The exit status of a start that failed.
 *
 * @param error What was thrown while the options were checked.
 * @returns The status.
 */
export function startStatus(error: unknown): number {
  return error instanceof RecordFault ? PROXY_FAILED : USAGE;
}
