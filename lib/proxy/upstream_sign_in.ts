/**
 * The sign-in of a session with an upstream: found at the start, used while the
 * session runs.
 *
 * @module
 */

import type { UpstreamAuth } from "../http_client/upstream_fetch.ts";
import { createUpstreamClient, type UpstreamNetwork } from "../http_client/upstream_network.ts";
import type { Runtime } from "../ports/runtime.ts";
import { CERTIFICATE_VARIABLES } from "../proxy_options/permissions.ts";
import type { UpstreamOptions } from "../proxy_options/http_flags.ts";
import type { ProxyOptions } from "../proxy_options/proxy_flags.ts";
import { reasonOf } from "../text/reason.ts";

/**
 * Finds out whether the user has signed in at the upstream, and which certificates it needs.
 *
 * @param given The flags.
 * @param runtime Tells the user of a sign-in that cannot be read.
 * @returns The flags, with what the session needs for both.
 */
export async function withSignIn(given: ProxyOptions, runtime: Runtime): Promise<ProxyOptions> {
  const certificateFiles = CERTIFICATE_VARIABLES.flatMap((name) => runtime.env(name) ?? []);
  const options = given.upstream === undefined
    ? given
    : { ...given, upstream: { ...given.upstream, certificateFiles } };
  const { upstream } = options;
  const folder = upstream?.signInFolder;
  if (upstream === undefined || folder === undefined) return options;
  const { SignInStore } = await import("../auth/sign_in_store.ts");
  try {
    const signIn = new SignInStore(folder, upstream.url).read();
    if (signIn === undefined) return options;
    return { ...options, upstream: { ...upstream, tokenUrl: signIn.tokenEndpoint } };
  } catch (error) {
    if (!(error instanceof Error && error.cause instanceof Deno.errors.NotCapable)) {
      runtime.say(`going on without the sign-in: ${reasonOf(error)}`);
    }
    return options;
  }
}

/**
 * Opens the sign-in that {@linkcode withSignIn} has found.
 *
 * @param upstream The upstream.
 * @param network The network toward it.
 * @param runtime The clock.
 * @returns Its access tokens; undefined when the user has not signed in.
 */
export async function openSignIn(
  upstream: UpstreamOptions | undefined,
  network: UpstreamNetwork,
  runtime: Pick<Runtime, "unixMs">,
): Promise<UpstreamAuth | undefined> {
  if (upstream?.tokenUrl === undefined || upstream.signInFolder === undefined) return undefined;
  const { SignInStore } = await import("../auth/sign_in_store.ts");
  const { TokenSource } = await import("../auth/token_source.ts");
  const { oauthFetch } = await import("../auth/oauth_fetch.ts");
  const { url, signInFolder } = upstream;
  return new TokenSource(url, {
    store: new SignInStore(signInFolder, url),
    fetch: oauthFetch(new URL(url), {
      // The client certificate is for the upstream alone.
      client: createUpstreamClient({ ...network, certificate: undefined }),
    }),
    unixMs: runtime.unixMs,
  });
}
