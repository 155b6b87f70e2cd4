/**
 * What `hoist auth` asks of the machine: requests, a browser, the store.
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import { createUpstreamClient, upstreamNetwork } from "../http_client/upstream_network.ts";
import type { ClientCertificateFiles } from "../proxy_options/http_flags.ts";
import type { UpstreamSignIn } from "../oauth/sign_in.ts";
import type { Runtime } from "../ports/runtime.ts";
import { type OauthFetch, oauthFetch } from "./oauth_fetch.ts";
import { clientAuthOf, libraryClient, requestOptions } from "./oauth_requests.ts";
import { signIn, type SignInRequest } from "./sign_in_flow.ts";
import { signedInUrls, SignInStore } from "./sign_in_store.ts";

/** Longest time for a request to revoke a token: the user waits. */
const REVOKE_MS = 5_000;

/**
 * Makes the machine.
 *
 * @param runtime Where to print, and the environment.
 * @returns The ports of `hoist auth`.
 */
export function authMachine(runtime: Runtime) {
  const fetchFor = (
    url: URL,
    { withinMs, certificate }: {
      readonly withinMs?: number;
      readonly certificate?: ClientCertificateFiles | undefined;
    } = {},
  ): OauthFetch => {
    const network = upstreamNetwork({ url: url.href, certificate }, runtime);
    return oauthFetch(url, {
      client: createUpstreamClient({ ...network, certificate: undefined }),
      // The client certificate is for the upstream alone.
      upstreamClient: createUpstreamClient(network),
      ...withinMs === undefined ? {} : { withinMs },
    });
  };
  return {
    readText: (path: string) => Deno.readTextFileSync(path),
    login(
      url: URL,
      folder: string,
      request: SignInRequest & {
        readonly opensBrowser: boolean;
        readonly certificate: ClientCertificateFiles | undefined;
      },
    ): Promise<UpstreamSignIn> {
      return signIn(url, request, {
        fetch: fetchFor(url, request),
        store: new SignInStore(folder, url.href),
        unixMs: runtime.unixMs,
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        show: (where, code) => runtime.say(`open ${where} and enter the code ${code}`),
        open(where) {
          runtime.say(`open this URL to sign in: ${where}`);
          if (request.opensBrowser) openBrowser(where);
        },
      });
    },
    list: (folder: string): UpstreamSignIn[] =>
      signedInUrls(folder).flatMap(({ folder, url }) => new SignInStore(folder, url).read() ?? []),
    async logout(url: URL, folder: string): Promise<"told" | "kept" | "failed" | undefined> {
      const store = new SignInStore(folder, url.href);
      if (store.read() === undefined) return undefined;
      // A session that renews now would write the sign-in again.
      return await store.alone(async () => {
        const kept = store.read();
        store.remove();
        if (kept?.revocationEndpoint === undefined) return "kept";
        return await revoke(kept, fetchFor(url, { withinMs: REVOKE_MS }));
      });
    },
  };
}

async function revoke(kept: UpstreamSignIn, fetch: OauthFetch): Promise<"told" | "failed"> {
  const { issuer, revocationEndpoint = "", refreshToken, accessToken } = kept;
  const server = { issuer, revocation_endpoint: revocationEndpoint };
  try {
    for (const token of [refreshToken, accessToken]) {
      if (token === undefined) continue;
      const response = await oauth.revocationRequest(
        server,
        libraryClient(kept),
        clientAuthOf(kept),
        token,
        requestOptions(fetch),
      );
      await oauth.processRevocationResponse(response);
    }
    return "told";
  } catch {
    return "failed";
  }
}

/** Starts the system's browser; a machine without one has the URL on stderr. */
function openBrowser(url: string): void {
  const [program, args] = Deno.build.os === "darwin"
    ? ["open", [url]]
    : Deno.build.os === "windows"
    ? ["rundll32", ["url.dll,FileProtocolHandler", url]]
    : ["xdg-open", [url]];
  try {
    const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
    new Deno.Command(program, { args, ...quiet }).spawn().unref();
  } catch {
    // There is none.
  }
}
