/**
 * What the program knows of an interceptor before it runs: its flags, the files and
 * permissions these need, and where its set-up is. All of it is data and pure functions;
 * the set-up is loaded only when the interceptor is asked for.
 *
 * @module
 */

import type { FlagReader } from "../../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../../flags/flags.ts";
import type { OpenInterceptor } from "./chains.ts";
import type { ReadPorts, SetUpPorts } from "./set_up_ports.ts";

/** A kind of interceptor. */
export interface InterceptorKind<Options, Job> {
  /** Its name, and the key of its options. */
  readonly name: string;
  /** Its flags, as `--help` shows them. */
  readonly flags: readonly Flag[];
  /**
   * Reads its flags.
   *
   * @returns The options; undefined if the flags do not ask for it.
   * @throws {FlagFault} When a flag is wrong, or stands without one that it needs.
   */
  parse(read: FlagReader, values: FlagValues): Options | undefined;
  /** Files that each session has of its own. */
  files?(options: Options): readonly SessionFile[];
  /** Files that are read before a session begins. */
  startReads?(options: Options): readonly string[];
  /** Folders that it reads and writes while sessions run. */
  folders?(options: Options): readonly SharedFolder[];
  /** Files that are read and removed before a session begins. */
  startTakes?(options: Options): readonly string[];
  /** Files and folders that it looks at while sessions run. */
  reads?(options: Options): readonly string[];
  /** Environment variables that are read before a session begins. */
  variables?(options: Options): readonly string[];
  /** Whether it may ask an oracle. */
  asksOracle?(options: Options): boolean;
  /** Loads its set-up. */
  setUp(): Promise<InterceptorSetUp<Options, Job>>;
}

/** A file that each session has of its own. */
export interface SessionFile {
  /** The flag that names it, without the dashes. */
  readonly flag: string;
  /** Its path, `{session}` in it. */
  readonly path: string;
  /** Whether it is read while the session runs, or lines are appended to it. */
  readonly use: "read" | "append";
}

/** A folder that all sessions share. */
export interface SharedFolder {
  /** The flag that names it, without the dashes. */
  readonly flag: string;
  readonly path: string;
}

/** How an interceptor comes to life. */
export interface InterceptorSetUp<Options, Job> {
  /**
   * Reads and checks its files, before anything starts.
   *
   * @returns What was read, in a form that can be handed to a worker.
   * @throws {Error} When a file cannot be used; names the flag.
   */
  read(options: Options, ports: ReadPorts): Promise<ReadJob<Job>>;
  /** Makes what its sessions share, where they run. */
  open(options: Options, job: Job, ports: SetUpPorts): Promise<OpenInterceptor>;
}

/** What was read for an interceptor. */
export interface ReadJob<Job> {
  readonly job: Job;
  /** What happens while no oracle answers, in words for the user; none if it asks nothing. */
  readonly withoutOracle: readonly string[];
}
