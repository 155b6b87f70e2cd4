/**
 * A real authorization server (oidc-provider) on loopback, and an MCP server over HTTP that takes
 * its tokens only.
 *
 * @module
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Provider } from "oidc-provider";
import { OldTransport } from "./old_transport.ts";

/** How the rig behaves. */
export interface OidcOptions {
  /** Scopes that the MCP server asks for. */
  readonly scope?: string;
  /** Serve HTTP+SSE of 2024-11-05, with this endpoint, instead of Streamable HTTP. */
  readonly oldEndpoint?: string;
}

/** What the authorization server tells of a grant. */
interface Grant {
  readonly oidc: { readonly params?: Readonly<Record<string, unknown>> };
}

/** Both servers. */
export interface OidcRig extends AsyncDisposable {
  /** The MCP server's URL. */
  readonly url: string;
  readonly issuer: string;
  /** Errors that the authorization server has answered with. */
  readonly faults: string[];
  /** How many refresh tokens were used. */
  refreshes: number;
  /** Calls after which the MCP server refuses a token. */
  usesOfToken: number;
  /** The scope a call needs; undefined for none besides a token. */
  needs: string | undefined;
  /** Takes the user's place: follows the URL through login and consent; the redirect it ends at. */
  browse(url: string): Promise<string>;
}

const CLIENT = { client_id: "robot", client_secret: "robot-secret-robot-secret" };

/** Starts both. */
export async function oidcRig(options: OidcOptions = {}): Promise<OidcRig> {
  const { scope = "read", oldEndpoint } = options;
  let handle: (req: IncomingMessage, res: ServerResponse) => void = () => {};
  const http = createServer((req, res) => handle(req, res));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const issuer = `http://127.0.0.1:${port}`;
  let resource = "";
  const provider = providerFor(issuer);
  const faults: string[] = [];
  for (const event of ["grant.error", "authorization.error", "registration_create.error"]) {
    // deno-lint-ignore no-explicit-any -- as above
    provider.on(event as any, (_: unknown, error: { error?: string; message: string }) => {
      if (!/pending|slow/.test(error.error ?? "")) faults.push(error.error ?? error.message);
    });
  }
  const callback = provider.callback();
  handle = (req, res) => {
    if (!req.url?.startsWith("/interaction/")) return void callback(req, res);
    void interact(provider, req, res, resource);
  };
  const rig: OidcRig = {
    url: "",
    issuer,
    faults,
    refreshes: 0,
    usesOfToken: Infinity,
    needs: undefined,
    browse: (url) => browse(url, issuer),
    async [Symbol.asyncDispose]() {
      old?.close();
      await upstream.shutdown();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  provider.on("grant.success", (ctx: Grant) => {
    if (ctx.oidc.params?.["grant_type"] === "refresh_token") rig.refreshes++;
  });
  const old = oldEndpoint === undefined ? undefined : new OldTransport(oldEndpoint);
  const upstream = guarded(provider, { rig, scope, old, resource: () => resource });
  resource = `http://127.0.0.1:${upstream.addr.port}/mcp`;
  return Object.assign(rig, { url: resource });
}

/** The authorization server. */
function providerFor(issuer: string): Provider {
  return new Provider(issuer, {
    clients: [{
      ...CLIENT,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    }],
    scopes: ["offline_access"],
    clientDefaults: { id_token_signed_response_alg: "RS256" },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      deviceFlow: { enabled: true },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: "read write",
          accessTokenFormat: "opaque",
          accessTokenTTL: 3600,
        }),
        useGrantedResource: () => true,
      },
    },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    // deno-lint-ignore no-explicit-any -- the package has no types for its configuration here
  } as any);
}

/** The MCP server. */
function guarded(provider: Provider, { rig, scope, old, resource }: {
  readonly rig: OidcRig;
  readonly scope: string;
  readonly old: OldTransport | undefined;
  readonly resource: () => string;
}): Deno.HttpServer<Deno.NetAddr> {
  const uses = new Map<string, number>();
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/.well-known/oauth-protected-resource/mcp") {
        return Response.json({
          resource: resource(),
          authorization_servers: [rig.issuer],
          scopes_supported: [scope],
        });
      }
      const token = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
      const found = token === undefined ? undefined : await provider.AccessToken.find(token) ??
        await provider.ClientCredentials.find(token);
      const metadata = `resource_metadata="${resource().replace("/mcp", "")}` +
        '/.well-known/oauth-protected-resource/mcp"';
      const used = uses.get(token ?? "") ?? 0;
      uses.set(token ?? "", used + 1);
      if (found === undefined || !found.isValid || used >= rig.usesOfToken) {
        const challenge = `Bearer ${metadata}, scope="${scope}"`;
        return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
      }
      if (old !== undefined && request.method === "GET") return old.stream();
      if (old !== undefined && pathname === "/mcp") return new Response(null, { status: 405 });
      const body = await request.json();
      const isCall = body.method === "tools/call";
      if (isCall && rig.needs !== undefined && !found.scopes.has(rig.needs)) {
        const challenge = `Bearer error="insufficient_scope", scope="${rig.needs}", ${metadata}`;
        return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
      }
      return old === undefined ? answer(body) : await old.say(answer(body));
    },
  );
}

/** What the MCP server answers to somebody it knows. */
function answer({ id, method, params }: {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}): Response {
  if (id === undefined) return new Response(null, { status: 202 });
  const result = method === "initialize"
    ? {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "guarded", version: "1" },
    }
    : { content: [{ type: "text", text: "let in" }] };
  return Response.json({ jsonrpc: "2.0", id, result });
}

/** Logs in and consents, as a user who agrees to everything. */
async function interact(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  resource: string,
): Promise<void> {
  const details = await provider.interactionDetails(req, res);
  const { prompt, params, session, grantId } = details;
  if (prompt.name === "login") {
    return await provider.interactionFinished(req, res, { login: { accountId: "ann" } });
  }
  const grant = grantId === undefined
    ? new provider.Grant({
      accountId: session?.accountId ?? "ann",
      clientId: String(params["client_id"]),
    })
    : await provider.Grant.find(grantId);
  grant?.addOIDCScope("openid offline_access");
  grant?.addResourceScope(resource, "read write");
  const id = await grant?.save();
  await provider.interactionFinished(req, res, { consent: { grantId: id ?? "" } }, {
    mergeWithLastSubmission: true,
  });
}

/** Follows redirects with cookies, until one leaves the authorization server. */
async function browse(start: string, issuer: string): Promise<string> {
  const jar = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let hops = 0; hops < 20; hops++) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...form === undefined ? {} : { method: "POST", body: form },
    });
    form = undefined;
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    if (location !== null) {
      url = new URL(location, url).href;
      if (!url.startsWith(issuer)) return url;
      continue;
    }
    // The pages of the device flow are forms: the user presses the button.
    const action = /action="([^"]+)"/.exec(text)?.[1];
    if (action === undefined) return text;
    form = new URLSearchParams();
    for (const [, name = "", value = ""] of text.matchAll(/name="(\w+)" value="([^"]*)"/g)) {
      form.set(name, value);
    }
    url = new URL(action, url).href;
  }
  throw new Error("The authorization server redirects in circles");
}

/** The client that has a secret. */
export { CLIENT as ROBOT };
