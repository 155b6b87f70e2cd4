/**
 * Sets up the conversation: each session follows a file of its own.
 *
 * @module
 */

import { expandSession } from "../../log/session_name.ts";
import type { InterceptorSetUp } from "../kinds/kind.ts";
import { contextInterceptor } from "./context.ts";
import type { ContextOptions } from "./options.ts";

/** Its set-up. */
export const contextSetUp: InterceptorSetUp<ContextOptions, undefined> = {
  read({ path }, { contextFault }) {
    const fault = contextFault(expandSession(path, "session"));
    if (fault !== undefined) throw new Error(`--context "${path}": ${fault}`);
    return Promise.resolve({ job: undefined, withoutOracle: [] });
  },
  open: ({ path }, _job, { conversation }) =>
    Promise.resolve({
      begin: ({ id, hostSession, say }) => ({
        make: contextInterceptor(conversation(expandSession(path, hostSession ?? id), say)),
      }),
    }),
};
