/**
 * What commands and sessions ask of the model client: kept answers and the live oracle.
 *
 * @module
 */

import type { AnswerStore, Oracle } from "../oracle/oracle.ts";

/** Opens the oracle of a command. */
export interface OracleDoor {
  /** The answers kept in a folder. */
  openCache(dir: string): AnswerStore;
  /** The live oracle; throws when there is no key. */
  openLive(): Promise<Oracle>;
}

/** The oracle of a session. */
export interface OracleJob {
  readonly kind: "jev" | "replay" | "mock";
  /** Folder of kept answers. */
  readonly cacheDir: string;
  /** Undefined when there is none: then nothing is asked. */
  readonly key: string | undefined;
  readonly baseUrl: string;
  /** The model's name in questions about confirmations. */
  readonly model: string;
}
