/**
 * What a program asks of the machine it runs on: lines on stderr, text on stdout,
 * environment variables and clocks. The core takes these as values or through
 * this port; `lib/runtime/deno_runtime.ts` is the real one.
 *
 * @module
 */

/** The machine, as a program sees it. */
export interface Runtime {
  /** Prints one line on stderr, after the program's name. */
  say(line: string): void;
  /** Prints text and a newline on stdout. */
  print(text: string): void;
  /** An environment variable; undefined when unset, empty or not granted. */
  env(name: string): string | undefined;
  /** Milliseconds since 1970, UTC. */
  unixMs(): number;
  /** Milliseconds on a clock that never goes back. */
  monotonicMs(): number;
  /** Whether stdout is a terminal. */
  readonly stdoutIsTerminal: boolean;
  /** Writes on stderr unchanged; absent where stderr is not a terminal. */
  readonly terminal?: { write(text: string): void };
  /** Gives up every permission but those of these kinds; absent in tests. */
  keepOnly?(kinds: readonly string[]): void;
  /** This process's id. */
  readonly pid: number;
  /** The parent's process id; undefined on Windows. */
  readonly parentPid: number | undefined;
}
