/**
 * The flag of the conversation, and its entry in the order of interceptors.
 *
 * @module
 */

import type { InterceptorKind } from "../kinds/kind.ts";
import type { ContextOptions } from "./options.ts";

/** The conversation. */
export const CONTEXT_KIND = {
  name: "context",
  flags: [{
    name: "context",
    value: "FILE",
    help:
      "Read the conversation from this file as it grows, log it, and let rules and flow see it; " +
      "{session} in it is the host session, else the session's id. See docs/context.md.",
  }],
  parse(read) {
    const path = read.path("context");
    return path === undefined ? undefined : { path };
  },
  files: ({ path }) => [{ flag: "context", path, use: "read" }],
  setUp: async () => (await import("./set_up.ts")).contextSetUp,
} as const satisfies InterceptorKind<ContextOptions, undefined>;
