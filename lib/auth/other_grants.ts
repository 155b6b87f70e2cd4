/**
 * Signs in without a browser on this machine: with a device code (RFC 8628), or
 * as a client of its own (RFC 6749 §4.4).
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
  oauthCode,
  oauthFault,
  requestOptions,
} from "./oauth_requests.ts";

/** The step between polls that RFC 8628 §3.5 asks for. */
const SLOWER_S = 5;

/** Ports of a device sign-in. */
export interface DevicePorts {
  readonly fetch: OauthFetch;
  /** Shows the user where to go and what to type there. */
  readonly show: (where: string, code: string) => void;
  /** Waits. */
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * Signs in with a device code.
 *
 * @param found The authorization server and the resource.
 * @param client The client and the scope.
 * @param ports What it asks of the world.
 * @returns The tokens.
 */
export async function signInWithDevice(
  { server, resource }: Discovered,
  { client, scope }: { readonly client: OauthClient; readonly scope: string | undefined },
  { fetch, show, pause }: DevicePorts,
): Promise<oauth.TokenEndpointResponse> {
  if (server.device_authorization_endpoint === undefined) {
    throw new Error(`Cannot sign in: "${server.issuer}" offers no device codes`);
  }
  const options = { ...requestOptions(fetch), additionalParameters: { resource } };
  const known = libraryClient(client);
  const proof = clientAuthOf(client);
  try {
    const parameters = { resource, ...scope === undefined ? {} : { scope } };
    const asked = await oauth.deviceAuthorizationRequest(server, known, proof, parameters, options);
    const device = await oauth.processDeviceAuthorizationResponse(server, known, asked);
    show(device.verification_uri_complete ?? device.verification_uri, device.user_code);
    let waitS = device.interval ?? SLOWER_S;
    for (let leftS = device.expires_in; leftS > 0; leftS -= waitS) {
      await pause(waitS * 1000);
      try {
        const response = await oauth.deviceCodeGrantRequest(
          server,
          known,
          proof,
          device.device_code,
          options,
        );
        return await oauth.processDeviceCodeResponse(server, known, response);
      } catch (error) {
        const code = oauthCode(error);
        if (code === "slow_down") waitS += SLOWER_S;
        else if (code !== "authorization_pending") throw error;
      }
    }
  } catch (error) {
    throw new Error(`Cannot sign in: ${oauthFault(error)}`, { cause: error });
  }
  throw new Error("Cannot sign in: the code has expired");
}

/**
 * Signs in as a client of its own.
 *
 * @param server The token endpoint's server.
 * @param client The client, with its secret.
 * @param request The resource and the scope.
 * @returns The tokens.
 */
export async function signInAsClient(
  server: oauth.AuthorizationServer,
  client: OauthClient,
  { resource, scope, fetch }: {
    readonly resource: string;
    readonly scope: string | undefined;
    readonly fetch: OauthFetch;
  },
): Promise<oauth.TokenEndpointResponse> {
  const known = libraryClient(client);
  const parameters = { resource, ...scope === undefined ? {} : { scope } };
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    known,
    clientAuthOf(client),
    parameters,
    requestOptions(fetch),
  );
  return await oauth.processClientCredentialsResponse(server, known, response);
}
