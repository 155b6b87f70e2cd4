/**
 * Formats a failed request as a reason without the URL, which may hold a
 * credential.
 *
 * @module
 */

import { reasonOf } from "../text/reason.ts";

/** Longest reason. */
const MAX_TEXT = 300;

/** What the runtime says, and what it means to who has to mend it. */
const CAUSES: readonly (readonly [said: RegExp, cause: string])[] = [
  [/dns error|failed to lookup address/i, "its name is not found (DNS)"],
  [/Connection refused/i, "the connection is refused: nothing listens there"],
  [/UnknownIssuer/, "TLS: the issuer of its certificate is not trusted; SSL_CERT_FILE names more"],
  [/not valid for name|NotValidForName/, "TLS: its certificate is for another name"],
  [/\bExpired|certificate expired/i, "TLS: its certificate has expired"],
  [/CertificateRequired/, "TLS: it demands a client certificate; see --upstream-cert"],
  [/unsuccessful tunnel|tunnel error/i, "the proxy opens no tunnel to it"],
  [/while tunneling/i, "the proxy ends the connection instead of opening a tunnel"],
  [/proxy authentication required/i, "the proxy demands another user and password in its URL"],
  [/InvalidContentType|InvalidMessage/, "TLS: it does not speak TLS; is it http:?"],
];

/** The reason why a request failed. Newer runtimes keep it in the error's cause. */
export function networkFault(error: unknown): string {
  const reasoned = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = reasonOf(reasoned);
  const reason = /client error \(\w+\): (.*)$/s.exec(text)?.[1] ??
    text.replace(/(?:for url )?\(?https?:\/\/\S+/g, "the upstream");
  const cause = CAUSES.find(([said]) => said.test(reason))?.[1];
  return (cause === undefined ? reason : `${cause} (${reason})`).slice(0, MAX_TEXT);
}
