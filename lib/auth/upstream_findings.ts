/**
 * Asks an upstream as `hoist-mcp --upstream` would, for `hoist doctor --network`.
 *
 * @module
 */

import { UpstreamFetch } from "../http_client/upstream_fetch.ts";
import { upstreamNetwork } from "../http_client/upstream_network.ts";
import { loginLine, signInFolder } from "../oauth/sign_in.ts";
import { DOCTOR_HELLO, type UpstreamFinding } from "../ports/machine.ts";
import type { Runtime } from "../ports/runtime.ts";
import { reasonOf } from "../text/reason.ts";
import { SignInStore } from "./sign_in_store.ts";

/**
 * Asks an upstream to initialize, without the sign-in, which only a session uses.
 *
 * @param url The upstream.
 * @param ask Where the environment comes from, and how long an answer may take.
 * @returns What was found: the way to it, what it answers, the sign-in.
 */
export async function upstreamFindings(
  url: string,
  { runtime, timeoutMs }: { readonly runtime: Runtime; readonly timeoutMs: number },
): Promise<readonly UpstreamFinding[]> {
  const said: string[] = [];
  const network = upstreamNetwork({ url }, { ...runtime, say: (line) => said.push(line) });
  const found: UpstreamFinding[] = said.map((says) => ({ state: "fix", says }));
  const { proxy, caCerts } = network;
  if (proxy !== undefined) {
    found.push({ state: "ok", says: `by the proxy ${proxy.address} of ${proxy.variable}` });
  }
  if (caCerts.length > 0) {
    found.push({ state: "ok", says: `certificates of ${caCerts.length} files are trusted` });
  }
  const home = runtime.env("HOME") ?? runtime.env("USERPROFILE");
  try {
    const response = await new UpstreamFetch(url, network).send({
      method: "POST",
      headers: [
        ["content-type", "application/json"],
        ["accept", "application/json, text/event-stream"],
      ],
      body: new TextEncoder().encode(JSON.stringify(DOCTOR_HELLO)),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    found.push(answered(url, response.status, home));
  } catch (error) {
    const isLate = error instanceof Error && /timed? ?out/i.test(error.message);
    found.push({
      state: "fix",
      says: isLate ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error),
    });
  }
  return found;
}

function answered(url: string, status: number, home: string | undefined): UpstreamFinding {
  if (status === 401) {
    const signIn = home === undefined
      ? undefined
      : new SignInStore(signInFolder(home, url), url).read();
    if (signIn === undefined) {
      return { state: "fix", says: `asks for a sign-in: ${loginLine(url)}` };
    }
    if (signIn.isEnded) return { state: "fix", says: `the sign-in has ended: ${loginLine(url)}` };
    return { state: "ok", says: "asks for a sign-in, and you have signed in" };
  }
  if (status >= 200 && status < 300) return { state: "ok", says: "answers" };
  const isOld = [400, 404, 405].includes(status);
  const more = isOld ? "; a server of HTTP+SSE answers so too" : "";
  return { state: "note", says: `answers with HTTP ${status}${more}` };
}
