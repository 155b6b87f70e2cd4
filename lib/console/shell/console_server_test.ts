/**
 * The console's pages without a socket: every link of every page leads to a page, what recordings say
 * is never markup, and the offline copy holds the same sessions.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hostileLog, MARKUP } from "../../../tests/util/hostile_log.ts";
import { IndexDatabase } from "../index/index_database.ts";
import { IndexQueries } from "../index/index_queries.ts";
import { IndexTotals } from "../index/index_totals.ts";
import { LogScanner } from "../index/log_scanner.ts";
import { consoleHandler } from "./console_server.ts";
import { EventHub } from "./event_hub.ts";
import { exportPages } from "./export_pages.ts";
import { SignIn } from "./sign_in.ts";

const BASE = "http://127.0.0.1:7878";
const HOST = { host: "127.0.0.1:7878" };
/** Pages that are enough: each session has hundreds of links to its rows. */
const MAX_PAGES = 400;

/** Logs of every kind, and one whose every text is hostile. */
async function writeLogs(): Promise<string> {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  for (const folder of ["sessions/v2", "savings"]) {
    for (const { name, isFile } of Deno.readDirSync(`testdata/${folder}`)) {
      if (isFile) await Deno.copyFile(`testdata/${folder}/${name}`, `${dir}/${name}`);
    }
  }
  await Deno.writeFile(`${dir}/hostile.jsonl`, hostileLog(2000));
  return dir;
}

/** A console over the logs. */
class Pages implements Disposable {
  readonly signIn = new SignIn({ hostname: "127.0.0.1", port: 7878 }, () => {});
  readonly #index = new IndexDatabase(undefined);
  readonly events = new EventHub((ids) => ({ keys: ids.map(String), notice: "" }));
  readonly #handler: (request: Request) => Promise<Response>;
  readonly cookie: string;

  private constructor(dir: string, scanner: (index: IndexDatabase) => LogScanner) {
    const { folders } = scanner(this.#index);
    this.cookie = this.signIn.exchange(this.signIn.token)?.split(";")[0] ?? "";
    this.#handler = consoleHandler({
      pages: { queries: new IndexQueries(this.#index, () => folders), dirs: [dir], nowMs: () => 0 },
      totals: new IndexTotals(this.#index, () => folders),
      desk: undefined,
      signIn: this.signIn,
      events: this.events,
      notice: () => "",
    });
  }

  static async of(dir: string): Promise<Pages> {
    const made: { scanner?: LogScanner } = {};
    const pages = new Pages(
      dir,
      (index) => made.scanner = new LogScanner([dir], index, { onProgress: () => {} }),
    );
    await made.scanner?.scan();
    return pages;
  }

  get(path: string, headers: Record<string, string> = { cookie: this.cookie }): Promise<Response> {
    return this.#handler(new Request(BASE + path, { headers: { ...HOST, ...headers } }));
  }

  post(path: string, body: FormData, headers: Record<string, string>): Promise<Response> {
    const given = { ...HOST, ...headers };
    return this.#handler(new Request(BASE + path, { method: "POST", body, headers: given }));
  }

  [Symbol.dispose](): void {
    this.events.close();
    this.#index[Symbol.dispose]();
  }
}

async function onPages(play: (pages: Pages, dir: string) => Promise<void>): Promise<void> {
  const dir = await writeLogs();
  try {
    using pages = await Pages.of(dir);
    await play(pages, dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const unescaped = (text: string) =>
  text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");

Deno.test("every link of the console leads to a page, and no page holds a recording's markup", async () => {
  await onPages(async (pages) => {
    const seen = new Set(["/", "/?q=order&status=error", "/flows", "/guards", "/compare?a=shop"]);
    for (const path of seen) {
      const reply = await pages.get(path);
      const text = await reply.text();
      assertEquals(reply.status, 200, path);
      if (!(reply.headers.get("content-type") ?? "").startsWith("text/html")) continue;
      assert(!text.includes(MARKUP), path);
      for (const [, href = ""] of text.matchAll(/(?:href|src)="([^"]*)"/g)) {
        const url = new URL(unescaped(href), BASE + path);
        assertEquals(url.origin, BASE, `${path} leads to ${href}`);
        if (seen.size < MAX_PAGES) seen.add(url.pathname + url.search);
      }
    }
    for (const start of ["/s/", "/tools", "/servers", "/compare?", "/_/client.js"]) {
      assert([...seen].some((path) => path.startsWith(start)), start);
    }
  });
});

Deno.test("the console says what it does not have, and shows nobody without a cookie a session", async () => {
  await onPages(async (pages) => {
    for (const path of ["/s/nothing", "/s/shop/rows/9999", "/_/nothing", "/nothing"]) {
      const reply = await pages.get(path);
      assertEquals([path, reply.status], [path, 404]);
      await reply.body?.cancel();
    }
    for (const path of ["/", "/s/shop", "/tools", "/events"]) {
      const reply = await pages.get(path, {});
      assert(!(await reply.text()).includes("get_order_details"), path);
    }
    const foreign = await pages.get("/", { cookie: pages.cookie, host: "evil.example" });
    assertEquals(foreign.status, 403);
    await foreign.body?.cancel();
  });
});

Deno.test("a token of the console signs one browser in, and no second", async () => {
  await onPages(async (pages) => {
    const form = new FormData();
    form.set("token", pages.signIn.token);
    const first = await pages.post("/sign-in", form, { origin: BASE });
    assertStringIncludes(first.headers.get("set-cookie") ?? "", "HttpOnly");
    await first.body?.cancel();
    const second = await pages.post("/sign-in", form, { origin: BASE });
    assertEquals(second.headers.get("set-cookie"), null);
    await second.body?.cancel();
  });
});

Deno.test("an open page of the console is told which sessions changed", async () => {
  await onPages(async (pages) => {
    const reply = await pages.get("/events");
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? "";
    pages.events.changed([7]);
    while (!text.includes("changed")) text += (await reader?.read())?.value ?? "";
    assertStringIncludes(text, '"keys":["7"]');
    await reader?.cancel();
  });
});

Deno.test("exportPages() writes each session, and nothing that a recording says as markup", async () => {
  const dir = await writeLogs();
  const out = `${dir}/out`;
  try {
    const sessions = await exportPages({ dirs: [dir], out, onProgress: () => {} });
    const files = [...Deno.readDirSync(`${out}/s`)];
    assertEquals(files.length, sessions);
    for (const { name } of files) {
      assert(!(await Deno.readTextFile(`${out}/s/${name}`)).includes(MARKUP), name);
    }
    for (const page of ["index", "tools", "servers", "flows", "guards"]) {
      assertStringIncludes(await Deno.readTextFile(`${out}/${page}.html`), "<main");
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("the console finds the sessions with calls that nobody answered, of one tool too", async () => {
  await onPages(async (pages) => {
    const count = async (query: string) => {
      const text = await (await pages.get(`/?${query}`)).text();
      return Number(/id="count"[^>]*>([\d,]+) session/.exec(text)?.[1] ?? 0);
    };
    const [all, open] = [await count(""), await count("only=unanswered")];
    assert(open > 0 && open < all, `${open} of ${all}`);
    assertEquals(await count("only=unanswered&tool=nothing"), 0);
  });
});
