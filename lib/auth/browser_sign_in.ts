/**
 * Signs in with a browser: authorization code with PKCE, and a redirect to a
 * server on loopback that takes this one answer (RFC 8252 §7.3).
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import type { Discovered } from "./discovery.ts";
import type { OauthFetch } from "./oauth_fetch.ts";
import {
  clientAuthOf,
  libraryClient,
  type OauthClient,
  oauthFault,
  requestOptions,
} from "./oauth_requests.ts";

/** How long the user may take. */
const PATIENCE_MS = 300_000;

/** The loopback server of one sign-in. */
export interface RedirectServer {
  /** Its URL, as the authorization server redirects to it. */
  readonly url: string;
  /** The URL of the first answer with the expected `state`. */
  answer(state: string): Promise<URL>;
  close(): Promise<void>;
}

/**
 * Listens on loopback.
 *
 * @param port The port; 0 for any.
 * @returns The server.
 */
export function redirectServer(port: number): RedirectServer {
  const answers: URL[] = [];
  let wake: (() => void) | undefined;
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, (request) => {
    const url = new URL(request.url);
    if (request.method !== "GET" || url.pathname !== "/callback") {
      return new Response("Not found", { status: 404 });
    }
    answers.push(url);
    wake?.();
    return new Response("You can close this window and go back to the terminal.\n", {
      headers: { "content-type": "text/plain", "referrer-policy": "no-referrer" },
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/callback`,
    async answer(state) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new Error("Cannot sign in: no answer of the browser within 5 minutes")),
          PATIENCE_MS,
        );
      });
      try {
        for (;;) {
          // An answer to something else, such as an old window's, is not ours.
          const ours = answers.find((url) => url.searchParams.get("state") === state);
          if (ours !== undefined) return ours;
          if (answers.length > 0) {
            answers.length = 0;
            throw new Error("Cannot sign in: the answer's state is not the one that was sent");
          }
          await Promise.race([new Promise<void>((resolve) => wake = resolve), late]);
        }
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => server.shutdown(),
  };
}

/**
 * Signs in.
 *
 * @param found The authorization server and the resource.
 * @param client The client, and where its answer goes.
 * @param ports `open` shows a URL to the user.
 * @returns The tokens.
 */
export async function signInWithBrowser(
  { server, resource }: Discovered,
  { client, redirect, scope }: {
    readonly client: OauthClient;
    readonly redirect: RedirectServer;
    readonly scope: string | undefined;
  },
  { fetch, open }: { readonly fetch: OauthFetch; readonly open: (url: string) => void },
): Promise<oauth.TokenEndpointResponse> {
  const { authorization_endpoint: endpoint } = server;
  if (endpoint === undefined) {
    throw new Error(`Cannot sign in: "${server.issuer}" names no authorization_endpoint`);
  }
  if (!server.code_challenge_methods_supported?.includes("S256")) {
    throw new Error(`Cannot sign in: "${server.issuer}" does not say that it checks PKCE (S256)`);
  }
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(endpoint);
  const parameters: Record<string, string> = {
    client_id: client.clientId,
    redirect_uri: redirect.url,
    response_type: "code",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    resource,
    ...scope === undefined ? {} : { scope },
    // Without consent some servers give no refresh token (OpenID Connect Core §11).
    ...scope?.split(" ").includes("offline_access") ? { prompt: "consent" } : {},
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  open(url.href);
  const answer = await redirect.answer(state);
  try {
    const checked = oauth.validateAuthResponse(server, libraryClient(client), answer, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      libraryClient(client),
      clientAuthOf(client),
      checked,
      redirect.url,
      verifier,
      { ...requestOptions(fetch), additionalParameters: { resource } },
    );
    return await oauth.processAuthorizationCodeResponse(server, libraryClient(client), response);
  } catch (error) {
    throw new Error(`Cannot sign in: ${oauthFault(error)}`, { cause: error });
  }
}
