/**
 * Many proxies, one sign-in: tokens of 60 seconds, a clock that tests move, and a server that
 * rotates refresh tokens and takes none twice. `HOIST_SIGN_IN_HOURS` asks for more hours.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { UpstreamSignIn } from "../oauth/sign_in.ts";
import { SignInStore } from "./sign_in_store.ts";
import { TokenSource } from "./token_source.ts";

const HOURS = Number(Deno.env.get("HOIST_SIGN_IN_HOURS") ?? "0.25");
const URL_OF = "https://mcp.example.com/mcp";
const KEPT: UpstreamSignIn = {
  version: 1,
  url: URL_OF,
  resource: URL_OF,
  issuer: "https://as.example.com",
  tokenEndpoint: "https://as.example.com/token",
  revocationEndpoint: undefined,
  clientId: "c",
  clientSecret: undefined,
  clientAuth: "none",
  registeredRedirect: undefined,
  scope: "read",
  renewal: "refresh",
  accessToken: "access-0",
  refreshToken: "refresh-0",
  expiresUnixMs: 60_000,
  isEnded: false,
};

/** A token endpoint that rotates. */
class Rotating {
  nowMs = 0;
  count = 0;
  reuses = 0;
  status = 200;
  readonly fetch = (_url: string, init: RequestInit = {}): Promise<Response> => {
    if (this.status !== 200) return Promise.resolve(new Response("down", { status: this.status }));
    const given = new URLSearchParams(String(init.body)).get("refresh_token");
    if (given !== `refresh-${this.count}`) {
      this.reuses++;
      return Promise.resolve(Response.json({ error: "invalid_grant" }, { status: 400 }));
    }
    this.count++;
    return Promise.resolve(Response.json({
      access_token: `access-${this.count}`,
      refresh_token: `refresh-${this.count}`,
      token_type: "Bearer",
      expires_in: 60,
    }));
  };
}

async function withSources(
  count: number,
  test: (server: Rotating, sources: readonly TokenSource[], store: SignInStore) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "hoist-tokens-" });
  const server = new Rotating();
  const stores = Array.from({ length: count }, () => new SignInStore(folder, URL_OF));
  stores[0]?.write(KEPT);
  const sources = stores.map((store) =>
    new TokenSource(URL_OF, { store, fetch: server.fetch, unixMs: () => server.nowMs })
  );
  await test(server, sources, stores[0] ?? new SignInStore(folder, URL_OF));
  await Deno.remove(folder, { recursive: true });
}

Deno.test(`eight proxies keep one sign-in for ${HOURS} hours, and use no refresh token twice`, () =>
  withSources(8, async (server, sources) => {
    for (; server.nowMs < HOURS * 3_600_000; server.nowMs += 20_000) {
      const tokens = await Promise.all(sources.map((source) => source.token()));
      // One that was renewed by another process in this turn is still good.
      for (const token of tokens) assert(Number(token.slice(7)) >= server.count - 1, token);
    }
    assertEquals(server.reuses, 0);
  }));

Deno.test("TokenSource.instead() renews once for a refused token", () =>
  withSources(4, async (server, sources) => {
    const tokens = await Promise.all(sources.map((source) => source.instead("access-0")));
    assertEquals([new Set(tokens), server.count], [new Set(["access-1"]), 1]);
  }));

Deno.test("TokenSource uses a token to its end while its server is down", () =>
  withSources(1, async (server, [source]) => {
    server.status = 500;
    server.nowMs = 45_000;
    assertEquals(await source?.token(), "access-0");
    server.nowMs = 61_000;
    await assertRejects(() => source?.token() ?? Promise.resolve(), Error, "cannot be renewed");
    server.status = 200;
    assertEquals(await source?.token(), "access-1");
  }));

Deno.test("TokenSource says how to sign in again, and asks no more", () =>
  withSources(2, async (server, [source, other], store) => {
    store.write({ ...KEPT, refreshToken: "stolen" });
    const login = `run: hoist auth login ${URL_OF}`;
    await assertRejects(() => source?.instead("access-0") ?? Promise.resolve(), Error, login);
    await assertRejects(() => other?.instead("access-0") ?? Promise.resolve(), Error, login);
    assertEquals(server.reuses, 1);
    store.remove();
    await assertRejects(() => source?.token() ?? Promise.resolve(), Error, login);
  }));

Deno.test("TokenSource asks for more rights, but not for those that the sign-in has", () =>
  withSources(1, (_server, [source]) => {
    const refused = (scope: string) => {
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`;
      return source?.missingScope({ headers: new Headers({ "www-authenticate": challenge }) })
        ?.message;
    };
    assertEquals(
      refused("write"),
      `the upstream asks for more rights; run: hoist auth login ${URL_OF} --scope 'read write'`,
    );
    assertEquals(
      refused("read"),
      "the upstream asks for rights that the sign-in has already: read",
    );
    return Promise.resolve();
  }));
