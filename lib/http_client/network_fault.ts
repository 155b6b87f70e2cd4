/**
 * Formats a failed request as a reason without the URL, which may hold a
 * credential.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";

/** Longest reason. */
const MAX_TEXT = 300;

/** The reason why a request failed. Newer runtimes keep it in the error's cause. */
export function networkFault(error: unknown): string {
  const reasoned = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = reasonOf(reasoned);
  const reason = /client error \(\w+\): (.*)$/s.exec(text)?.[1] ??
    text.replace(/(?:for url )?\(?https?:\/\/\S+/g, "the upstream");
  return reason.slice(0, MAX_TEXT);
}
