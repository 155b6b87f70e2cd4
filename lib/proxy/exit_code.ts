/**
 * The exit status of `hoist-mcp` that is not the server's.
 *
 * @module
 */

/** Exit status when the proxy itself fails, in a worker or out of one. */
export const PROXY_FAILED = 125;
