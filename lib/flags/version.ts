/**
 * The version of every program, as deno.json states it (a test compares them).
 *
 * @module
 */

/** The package's version. */
export const VERSION = "0.1.0";
