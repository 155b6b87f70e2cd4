/**
 * What the program and the worker that serves the console tell each other.
 *
 * @module
 */

import type { ConsoleOptions } from "../record/console_options.ts";

/** From the program to the worker. */
export type ToConsole =
  | { readonly kind: "start"; readonly options: ConsoleOptions }
  | { readonly kind: "stop" };

/** From the worker to the program. */
export type FromConsole =
  | { readonly kind: "loaded" }
  /** It listens; `file` leads a browser to the address without showing the token to other users. */
  | { readonly kind: "listening"; readonly url: string; readonly file: string | undefined }
  /** The pages were written. */
  | { readonly kind: "exported"; readonly sessions: number }
  | { readonly kind: "say"; readonly line: string }
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "ended"; readonly code: number };
