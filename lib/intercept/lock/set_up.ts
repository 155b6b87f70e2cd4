/**
 * Sets up the lock: reads it once, and judges each session by it.
 *
 * @module
 */

import { reasonOf } from "../../text/reason.ts";
import { readLock } from "../../tool_lock/tools_lock.ts";
import type { InterceptorSetUp } from "../kinds/kind.ts";
import { LOCKED_METHODS, LockInterceptor } from "./lock.ts";
import type { LockOptions } from "./options.ts";

/** The text of a lock that was read and checked. */
export interface LockJob {
  readonly text: string;
}

/** Its set-up. */
export const lockSetUp: InterceptorSetUp<LockOptions, LockJob> = {
  read({ path }, { readText }) {
    try {
      const text = readText(path);
      readLock(text, path);
      return Promise.resolve({ job: { text }, withoutOracle: [] });
    } catch (error) {
      return Promise.reject(new Error(`--lock "${path}": ${reasonOf(error)}`, { cause: error }));
    }
  },
  open({ path, onChange }, { text }) {
    const lock = readLock(text, path);
    return Promise.resolve({
      methods: LOCKED_METHODS,
      begin: ({ say }) => ({
        make: (ports) => new LockInterceptor({ lock, path, onChange, say, ports }),
      }),
    });
  },
};
