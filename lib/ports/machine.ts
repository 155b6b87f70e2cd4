/**
 * What `hoist init` and `hoist doctor` ask of the machine: its programs, its
 * configuration files, its log folders.
 *
 * @module
 */

/** How `hoist-mcp` is started: the compiled program, the npm package, or its module by Deno. */
export type ProxyProgram =
  | { readonly kind: "compiled"; readonly path: string }
  | { readonly kind: "npm"; readonly spec: string }
  | { readonly kind: "deno"; readonly deno: string; readonly entry: string };

/** The machine, as `hoist init` changes it. */
export interface SetupMachine {
  readonly os: "linux" | "macos" | "windows";
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** How `hoist-mcp` of this installation is started. */
  readonly self: ProxyProgram;
  /** The file that a command's name stands for; undefined where there is none. */
  find(program: string): string | undefined;
  /** A file's text to the byte; undefined where there is none. */
  read(path: string): Promise<string | undefined>;
  /** Replaces a file whole, keeping its mode; makes it where there is none. */
  write(path: string, text: string): Promise<void>;
  /** Removes a file that may be missing. */
  remove(path: string): void;
}

/** A file that `hoist doctor --data` opens. */
export interface DataFile {
  readonly kind: "log" | "flow" | "lock" | "index";
  readonly path: string;
}

/** Something that `hoist doctor --network` has found about an upstream. */
export interface UpstreamFinding {
  readonly state: "ok" | "note" | "fix";
  readonly says: string;
}

/** A folder of logs, as it lies on the disk. */
export interface LogFolder {
  /** Permission bits; undefined where the system has none. */
  readonly mode: number | undefined;
  /** Whether a file can be made in it. */
  readonly isWritable: boolean;
  /** Logs in it and one folder further down, with their permission bits. */
  readonly logs: readonly { readonly path: string; readonly mode: number | undefined }[];
  /** The console's index in it; undefined where there is none. */
  readonly index?: string | undefined;
}

/** The outcome of asking a server to initialize. */
export type InitializeReply =
  | { readonly kind: "answered"; readonly server: string }
  | { readonly kind: "failed"; readonly why: string };

/** The machine, as `hoist doctor` examines it. */
export interface DoctorMachine extends SetupMachine {
  /** Deno's version, and whether it is part of a compiled program. */
  readonly deno: { readonly version: string; readonly isCompiled: boolean };
  /** Names of the variables of the environment. */
  variableNames(): readonly string[];
  /** A folder of logs; undefined when there is none, and one can be made. */
  logFolder(path: string): Promise<LogFolder | undefined>;
  /** The version that a program says; undefined when it says none. */
  versionOf(path: string): Promise<string | undefined>;
  /** What is wrong with a file; undefined when nothing is. */
  dataFault(
    file: DataFile,
  ): Promise<{ readonly isBroken: boolean; readonly says: string } | undefined>;
  /** Asks an upstream to initialize. */
  upstream(url: string, timeoutMs: number): Promise<readonly UpstreamFinding[]>;
  /** Starts a server and asks it to initialize. */
  initialize(words: readonly string[], options: InitializeOptions): Promise<InitializeReply>;
}

/** How a server is started and asked. */
export interface InitializeOptions {
  /** Variables to set. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of the variables to inherit; all where it is undefined. */
  readonly inherits?: readonly string[] | undefined;
  /** Timeout of the answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** The `initialize` with which `hoist doctor` asks a server. */
export const DOCTOR_HELLO = {
  jsonrpc: "2.0",
  id: "hoist-doctor",
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "hoist-doctor", version: "1" },
  },
} as const;
