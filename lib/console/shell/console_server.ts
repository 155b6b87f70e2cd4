/**
 * Serves the console: who may see it, which page an address means, and the headers of each answer.
 *
 * @module
 */

import { Hono } from "hono";
import type { Html } from "../view/html.ts";
import { type Frame, layout, type NavPlace } from "../view/layout.ts";
import { enteredPage, missingPage, signInPage } from "../view/sign_in_page.ts";
import { answersPage } from "../view/answers_page.ts";
import { consoleWish, OUTCOME_SENTENCES, type WishOutcome } from "../answer/owner_wish.ts";
import type { AnswerDesk } from "./answer_desk.ts";
import { CLIENT_FILES } from "./client_files.ts";
import {
  compareText,
  imageBytes,
  lineBytes,
  type PageSources,
  type PageText,
  rowText,
  sessionsText,
  sessionText,
} from "./console_pages.ts";
import type { EventHub } from "./event_hub.ts";
import type { IndexTotals } from "../index/index_totals.ts";
import { flowsText, guardsText, serversText, toolsText } from "./totals_pages.ts";
import type { SignIn } from "./sign_in.ts";

/** What every answer carries: nothing is run, framed, kept, guessed or told to others. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store",
};

/** What the server works with. */
export interface ServerParts {
  readonly pages: PageSources;
  readonly totals: IndexTotals;
  readonly signIn: SignIn;
  readonly events: EventHub;
  /** The owner's desk; undefined where the console only reads. */
  readonly desk: AnswerDesk | undefined;
  /** What the index is doing; empty when it is in step. */
  notice(): string;
}

/** How the last wish ended, as an address says it. */
function outcomeIn(url: string): WishOutcome | undefined {
  const said = new URL(url).searchParams.get("said") ?? "";
  return Object.hasOwn(OUTCOME_SENTENCES, said) ? said as WishOutcome : undefined;
}

/** The page of what waits for the owner, and its answers. */
function addAnswerRoutes(app: Hono, { desk }: ServerParts, { shown }: Answers): void {
  if (desk === undefined) return;
  app.get("/answers", async (c) => {
    const body = answersPage(await desk.model(outcomeIn(c.req.url)));
    return shown("answers", { title: "Answers", body });
  });
  app.post("/answers", async (c) => {
    const form = await c.req.formData();
    const field = (name: string) => String(form.get(name) ?? "").slice(0, 500);
    const wish = consoleWish(field);
    const outcome = wish === undefined ? "unclear" : await desk.carryOut(wish, field("code"));
    const location = `/answers?said=${outcome}`;
    return new Response(null, { status: 303, headers: { location } });
  });
}

/** The pages of the navigation. */
export const NAV: Frame["nav"] = [
  ["sessions", "Sessions", "/"],
  ["tools", "Tools", "/tools"],
  ["servers", "Servers and hosts", "/servers"],
  ["flows", "Flows", "/flows"],
  ["guards", "Guards", "/guards"],
];

/**
 * Makes the handler of requests.
 *
 * @param parts What it works with.
 * @returns Takes a request, and gives its answer.
 */
export function consoleHandler(parts: ServerParts): (request: Request) => Promise<Response> {
  const app = routes(parts);
  const { signIn } = parts;
  return async (request) => {
    const why = signIn.foreign(request);
    const reply = why === undefined
      ? await app.fetch(request)
      : new Response(`${why}\n`, { status: 403 });
    const headers = new Headers(reply.headers);
    for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
    return new Response(reply.body, { status: reply.status, headers });
  };
}

function routes(parts: ServerParts): Hono {
  const { pages, signIn, events, notice } = parts;
  const app = new Hono();
  const nav: Frame["nav"] = parts.desk === undefined
    ? NAV
    : [...NAV, ["answers", "Answers", "/answers"]];
  const shown = (place: NavPlace, { title, body }: PageText, status = 200) =>
    pageResponse(
      { title, place, nav, notice: notice(), isLive: status === 200 },
      body,
      status,
    );
  const missing = (what: string) => shown("", { title: "Not here", body: missingPage(what) }, 404);
  app.get("/_/:file", (c) => {
    const { file } = c.req.param();
    const found = Object.hasOwn(CLIENT_FILES, file) ? CLIENT_FILES[file] : undefined;
    if (found === undefined) return new Response("no such file\n", { status: 404 });
    return new Response(found.text, { headers: { "content-type": found.type } });
  });
  app.post("/sign-in", async (c) => await signInBy(await c.req.formData(), signIn));
  app.use(async (c, next) => {
    const url = new URL(c.req.url);
    const token = url.searchParams.get("token");
    if (token !== null && c.req.method === "GET") {
      url.searchParams.delete("token");
      return enter(token, url.pathname + url.search, signIn);
    }
    if (!signIn.isSignedIn(c.req.raw)) return signInResponse(url.pathname + url.search, false);
    return await next();
  });
  app.get("/events", () => {
    const stream = events.open();
    if (stream === undefined) return new Response("too many pages\n", { status: 503 });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  });
  app.get("/", (c) => shown("sessions", sessionsText(pages, new URL(c.req.url).searchParams)));
  app.get("/s/:key", (c) => {
    const text = sessionText(pages, c.req.param("key"), new URL(c.req.url).searchParams);
    return text === undefined
      ? missing("There is no such session, or its log was removed.")
      : shown("sessions", text);
  });
  addTotalsRoutes(app, parts, { shown, missing });
  addAnswerRoutes(app, parts, { shown, missing });
  addRowRoutes(app, parts, { shown, missing });
  app.notFound(() => missing("There is no such page."));
  app.onError((error) => {
    if (error instanceof Deno.errors.NotFound) return missing("The log was removed.");
    return shown("", { title: "Failed", body: missingPage(error.message) }, 500);
  });
  return app;
}

interface Answers {
  shown(place: NavPlace, text: PageText, status?: number): Response;
  missing(what: string): Response;
}

function addTotalsRoutes(app: Hono, parts: ServerParts, { shown, missing }: Answers): void {
  const { pages, totals } = parts;
  app.get("/compare", (c) => {
    const text = compareText(pages, new URL(c.req.url).searchParams);
    return text === undefined
      ? missing("One of these sessions is not there.")
      : shown("sessions", text);
  });
  app.get("/tools", () => shown("tools", toolsText(totals)));
  app.get("/servers", () => shown("servers", serversText(totals)));
  app.get("/flows", () => shown("flows", flowsText(totals)));
  app.get("/guards", () => shown("guards", guardsText(totals)));
}

function addRowRoutes(app: Hono, { pages }: ServerParts, { shown, missing }: Answers): void {
  const gone = "There is no such row: the session's log was changed or replaced.";
  app.get("/s/:key/rows/:n{[0-9]{1,15}}", (c) => {
    const { key, n } = c.req.param();
    const text = rowText(pages, { key, n: Number(n) }, new URL(c.req.url).searchParams);
    return text === undefined ? missing(gone) : shown("sessions", text);
  });
  app.get("/s/:key/rows/:n{[0-9]{1,15}}/line", (c) => {
    const { key, n } = c.req.param();
    return lineResponse(lineBytes(pages, { key, n: Number(n) })) ?? missing(gone);
  });
  app.get("/s/:key/rows/:n{[0-9]{1,15}}/answers/:answer{[0-9]}", (c) => {
    const { key, n, answer } = c.req.param();
    return lineResponse(lineBytes(pages, { key, n: Number(n), answer: Number(answer) })) ??
      missing(gone);
  });
  app.get("/s/:key/rows/:n{[0-9]{1,15}}/answers/:answer{[0-9]}/images/:item{[0-9]{1,4}}", (c) => {
    const { key, n, answer, item } = c.req.param();
    const place = { key, n: Number(n), answer: Number(answer), item: Number(item) };
    const image = imageBytes(pages, place);
    if (image === undefined) return missing(gone);
    return new Response(new Uint8Array(image.bytes), { headers: { "content-type": image.type } });
  });
}

function pageResponse(
  frame: Omit<Frame, "assets">,
  body: Html,
  status: number,
): Response {
  const text = layout({ ...frame, assets: "/_/" }, body);
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** A line as a file: never as a page, whatever it holds. */
function lineResponse(bytes: Uint8Array | undefined): Response | undefined {
  if (bytes === undefined) return undefined;
  return new Response(new Uint8Array(bytes), {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="line.json"',
    },
  });
}

function signInResponse(next: string, wasWrong: boolean): Response {
  const body = signInPage(next, wasWrong);
  return pageResponse(
    { title: "Sign in", place: "", nav: NAV, notice: "", isLive: false },
    body,
    401,
  );
}

function signInBy(form: FormData, signIn: SignIn): Response {
  const text = String(form.get("token") ?? "");
  // A whole link may be pasted.
  const token = /[?&]token=([0-9a-f]+)/.exec(text)?.[1] ?? text.trim();
  return enter(token, String(form.get("next") ?? "/"), signIn);
}

function enter(token: string, next: string, signIn: SignIn): Response {
  // A path of ours, never the address of another site.
  const path = /^\/(?![/\\])[^\\\r\n]*$/.test(next) ? next : "/";
  const cookie = signIn.exchange(token);
  if (cookie === undefined) return signInResponse(path, true);
  // No redirect: where another program or a file led here, the browser would not send the cookie
  // along. From a page of ours it does.
  const reply = pageResponse(
    { title: "Opening", place: "", nav: NAV, notice: "", isLive: false, refresh: path },
    enteredPage(path),
    200,
  );
  reply.headers.set("set-cookie", cookie);
  return reply;
}
