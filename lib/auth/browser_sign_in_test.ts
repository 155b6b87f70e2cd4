/** What the answer of a browser may be: only the one to this sign-in leads to a request for tokens. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { redirectServer, signInWithBrowser } from "./browser_sign_in.ts";
import { chooseClient } from "./client_choice.ts";
import { clientAuthOf, type OauthClient } from "./oauth_requests.ts";

const SERVER = {
  issuer: "https://as.example.com",
  authorization_endpoint: "https://as.example.com/authorize",
  token_endpoint: "https://as.example.com/token",
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
};
const CLIENT: OauthClient = {
  clientId: "c",
  clientSecret: undefined,
  clientAuth: "none",
  registeredRedirect: undefined,
};
const TOKENS = { access_token: "a", token_type: "Bearer", expires_in: 60 };

/** A sign-in whose browser answers with these parameters; what was asked of the server. */
async function signIn(
  answer: (sent: URLSearchParams) => Readonly<Record<string, string>>,
  tokens: () => Response = () => Response.json(TOKENS),
  server: typeof SERVER | Omit<typeof SERVER, "code_challenge_methods_supported"> = SERVER,
) {
  const redirect = redirectServer(0);
  const asked: URLSearchParams[] = [];
  let page: Promise<unknown> = Promise.resolve();
  try {
    const found = { server, resource: "https://mcp.example.com/mcp", scope: undefined };
    const got = await signInWithBrowser(found, { client: CLIENT, redirect, scope: "read" }, {
      fetch: (_url, init) => {
        asked.push(new URLSearchParams(String(init?.body)));
        return Promise.resolve(tokens());
      },
      open: (url) => {
        const sent = new URL(url).searchParams;
        const to = new URL(redirect.url);
        for (const [name, value] of Object.entries(answer(sent))) to.searchParams.set(name, value);
        // A page that is not the answer comes first: a browser asks for an icon.
        page = fetch(new URL("/favicon.ico", to)).then((icon) => icon.body?.cancel())
          .then(() => fetch(to)).then((landed) => landed.text());
      },
    });
    return { token: got.access_token, asked };
  } catch (error) {
    return { why: error instanceof Error ? error.message : "", asked };
  } finally {
    await page;
    await redirect.close();
  }
}

const right = (sent: URLSearchParams) => ({
  code: "k",
  state: sent.get("state") ?? "",
  iss: SERVER.issuer,
});

Deno.test("signInWithBrowser() sends the code with its verifier and the resource", async () => {
  const { token, asked } = await signIn(right);
  assertEquals(token, "a");
  const [form] = asked;
  assertEquals([form?.get("code"), form?.get("resource")], ["k", "https://mcp.example.com/mcp"]);
  assertEquals((form?.get("code_verifier") ?? "").length > 40, true);
});

const WRONG = [
  ["another state", () => ({ code: "k", state: "mine", iss: SERVER.issuer }), "state"],
  ["no state", () => ({ code: "k", iss: SERVER.issuer }), "state"],
  [
    "the answer of another server",
    (sent: URLSearchParams) => ({ ...right(sent), iss: "https://evil.example" }),
    "iss",
  ],
  [
    "a user who says no",
    (sent: URLSearchParams) => ({
      error: "access_denied",
      state: sent.get("state") ?? "",
      iss: SERVER.issuer,
    }),
    "access_denied",
  ],
] as const;

for (const [what, answer, why] of WRONG) {
  Deno.test(`signInWithBrowser() asks for no token after ${what}`, async () => {
    const result = await signIn(answer);
    assertStringIncludes(result.why ?? "", why);
    assertEquals(result.asked.length, 0);
  });
}

Deno.test("signInWithBrowser() says what a failing token endpoint says, and demands PKCE", async () => {
  const broken = await signIn(right, () => new Response("oops", { status: 500 }));
  assertStringIncludes(broken.why ?? "", "Cannot sign in");
  const refused = await signIn(
    right,
    () => Response.json({ error: "invalid_grant", error_description: "used" }, { status: 400 }),
  );
  assertStringIncludes(refused.why ?? "", "invalid_grant");
  const { code_challenge_methods_supported: _, ...plain } = SERVER;
  const unsafe = await signIn(right, undefined, plain);
  assertEquals([unsafe.why?.includes("PKCE"), unsafe.asked.length], [true, 0]);
});

Deno.test("clientAuthOf() encodes an id as forms do, and leaves what needs no encoding", async () => {
  const auth = clientAuthOf({
    clientId: "",
    clientSecret: "s-e.c_r:e t",
    clientAuth: "client_secret_basic",
    registeredRedirect: undefined,
  });
  const headers = new Headers();
  await auth(SERVER, { client_id: "my-client.1" }, new URLSearchParams(), headers);
  const [, basic = ""] = headers.get("authorization")?.split(" ") ?? [];
  assertEquals(atob(basic), "my-client.1:s-e.c_r%3Ae+t");
});

Deno.test("chooseClient() takes a registration whose secret says nothing of its end", async () => {
  const server = { ...SERVER, registration_endpoint: "https://as.example.com/register" };
  const made = { client_id: "c", client_secret: "s", redirect_uris: [] };
  const client = await chooseClient(server, {
    given: undefined,
    before: undefined,
    redirect: "http://127.0.0.1:1/callback",
    fetch: () => Promise.resolve(Response.json(made, { status: 201 })),
  });
  assertEquals([client.clientId, client.clientSecret], ["c", "s"]);
});

Deno.test("chooseClient() takes a client's metadata document where the server does, and registers nothing", async () => {
  const given = { id: "https://client.example/hoist.json", secret: undefined };
  const setting = {
    given,
    before: undefined,
    redirect: "http://127.0.0.1:1/callback",
    fetch: () => Promise.reject(new Error("nothing is asked")),
  };
  const server = { ...SERVER, registration_endpoint: "https://as.example.com/register" };
  await assertRejects(() => chooseClient(server, setting), Error, "takes no URL as a client id");
  const taking = { ...server, client_id_metadata_document_supported: true };
  assertEquals(await chooseClient(taking, setting), { ...CLIENT, clientId: given.id });
});
