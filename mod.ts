/**
 * Hoist as a library.
 *
 * @module
 */

export { VERSION } from "./lib/cli/version.ts";
