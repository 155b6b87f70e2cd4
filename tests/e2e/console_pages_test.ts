/**
 * The console's pages in Chromium, where there is one: each page at two widths and in both schemes,
 * for the eye (nothing sticks out), for a screen reader (axe), by keyboard, live, and with a session
 * whose every text is hostile. HOIST_PICTURES names a folder for pictures.
 */

import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { AnsweringConsole } from "../util/answering_console.ts";
import { CHROMIUM } from "../util/browser.ts";
import { executable, ROOT } from "../util/executables.ts";
import { hostileLog, MARKUP } from "../util/hostile_log.ts";
import { RunningConsoleProcess } from "../util/running_console.ts";
import { answer, call } from "../util/script_log.ts";

const isThere = await Deno.stat(CHROMIUM).then(() => true, () => false);
if (!isThere) console.log(`skipped: no browser at ${CHROMIUM}`);

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const HOSTILE = `a"><b>'&#x27;`;

/** The browser and the console of one test. */
interface Stage {
  readonly console: RunningConsoleProcess;
  readonly dir: string;
  readonly browser: Browser;
  /** A signed-in page. */
  open(
    viewport: typeof WIDE,
    colorScheme: "light" | "dark",
  ): Promise<{ page: Page; context: BrowserContext; errors: string[] }>;
}

async function onStage(play: (stage: Stage) => Promise<void>): Promise<void> {
  const dir = await Deno.realPath(await Deno.makeTempDir());
  for (const name of ["parcels", "shop", "active"]) {
    await Deno.copyFile(`${ROOT}/testdata/sessions/v2/${name}.jsonl`, `${dir}/${name}.jsonl`);
  }
  for (const { name } of Deno.readDirSync(`${ROOT}/testdata/savings`)) {
    await Deno.copyFile(`${ROOT}/testdata/savings/${name}`, `${dir}/${name}`);
  }
  await Deno.writeFile(`${dir}/${HOSTILE}.jsonl`, hostileLog(200_000));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  try {
    await using console = await RunningConsoleProcess.start(["--no-open", dir]);
    await console.signIn();
    await console.until("/", (text) => text.includes("12 sessions") && !text.includes("Reading"));
    const { cookie } = console;
    await play({
      console,
      dir,
      browser,
      open: async (viewport, colorScheme) => {
        const context = await browser.newContext({ viewport, colorScheme });
        await context.addCookies([cookie]);
        const page = await context.newPage();
        const errors: string[] = [];
        page.on("console", (message) => {
          if (message.type() === "error") errors.push(message.text());
        });
        page.on("pageerror", (error) => errors.push(error.message));
        page.on("request", (request) => {
          if (!request.url().startsWith(console.base)) errors.push(`asked ${request.url()}`);
        });
        return { page, context, errors };
      },
    });
  } finally {
    await browser.close();
    await Deno.remove(dir, { recursive: true });
  }
}

/** The parts of the test, which share a browser and a console. */
const parts: (readonly [name: string, play: (stage: Stage) => Promise<void>])[] = [];

function test(name: string, play: (stage: Stage) => Promise<void>): void {
  parts.push([name, play]);
}

const SAVINGS = "20261113T080100.000Z-921";
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["sessions", "/"],
  ["nothing", "/?q=nothing-like-this"],
  ["session", "/s/active"],
  ["row", "/s/active/rows/4?raw=1"],
  ["compare", `/compare?a=${SAVINGS}&b=20261113T080400.000Z-924`],
  ["tools", "/tools"],
  ["servers", "/servers"],
  ["flows", "/flows"],
  ["guards", "/guards"],
];

/** Pages that axe looks at on the phone as well; there the others are only measured. */
const ON_PHONE = ["sessions", "session", "row", "tools"];

/** Serious findings of axe, and what is wider than the page. */
async function faultsOf(page: Page, isRead: boolean): Promise<string[]> {
  const faults = isRead ? await axeFaults(page) : [];
  const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  return Number(wide) > 0 ? [...faults, `${wide} pixels too wide`] : faults;
}

async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(`axe.run(document, { resultTypes: ["violations"] })`) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

test("the console's pages have no serious fault, at two widths, in light and dark", async (stage) => {
  const faults: string[] = [];
  for (
    const [viewport, scheme, name] of [
      [WIDE, "light", "wide"],
      [PHONE, "dark", "phone"],
      [WIDE, "dark", "dark"],
    ] as const
  ) {
    const { page, context, errors } = await stage.open(viewport, scheme);
    for (const [title, path] of PAGES) {
      if (name === "dark" && title !== "session" && title !== "tools") continue;
      await page.goto(stage.console.base + path);
      if (title === "tools") await page.waitForSelector(".uplot");
      const here = await faultsOf(page, name !== "phone" || ON_PHONE.includes(title));
      faults.push(...here.map((fault) => `${name} ${title}: ${fault}`));
      const pictures = Deno.env.get("HOIST_PICTURES");
      if (pictures !== undefined) {
        await page.screenshot({ path: `${pictures}/console_${title}_${name}.png` });
      }
    }
    faults.push(...errors.map((error) => `${name}: ${error}`));
    await context.close();
  }
  assertEquals(faults, []);
});

test("the console shows a hostile session as text, on every page", async (stage) => {
  const { page, errors } = await stage.open(WIDE, "light");
  const key = encodeURIComponent(HOSTILE);
  const paths = [
    "/",
    `/?q=${encodeURIComponent(MARKUP)}&tool=${encodeURIComponent(MARKUP)}`,
    `/s/${key}`,
    ...Array.from(
      { length: 14 },
      (_, n) => [`/s/${key}/rows/${n}?raw=1`, `/s/${key}/rows/${n}?all=1`],
    )
      .flat(),
    `/compare?a=${key}&b=${key}`,
    `/compare?a=${key}`,
    "/tools",
    "/servers",
    "/guards",
    "/flows",
    `/s/${encodeURIComponent(MARKUP)}`,
  ];
  const missing: string[] = [];
  page.on("dialog", (dialog) => errors.push(dialog.message()));
  for (const path of paths) {
    const reply = await page.goto(stage.console.base + path);
    if (reply?.status() !== 200) missing.push(path);
    const [hacked, foreign, signs] = await page.evaluate(`[
      window.hacked ?? null,
      document.querySelectorAll("main script, main img:not([src^='/s/']), main [onload], main [onerror], iframe, object, a[href^='javascript']").length,
      /[\\u0000-\\u0008\\u001b\\u202a-\\u202e\\u2066-\\u2069]/.test(document.documentElement.outerHTML),
    ]`) as [unknown, number, boolean];
    assertEquals([hacked, foreign, signs], [null, 0, false], path);
  }
  // Rows that are no more than a part of another's exchange, and the session that there is not.
  assert(missing.includes(paths.at(-1) ?? ""), missing.join(" "));
  assertEquals(errors.filter((error) => !/status of 404/.test(error)), []);
  await page.goto(`${stage.console.base}/s/${key}/rows/3`);
  await page.waitForSelector("figure img");
  assertEquals(await page.evaluate(`document.querySelector("figure img").naturalWidth`), 1);
  assertEquals(await page.evaluate(`document.querySelectorAll("figure img").length`), 1);
});

test("the console is used by keyboard, and follows a session while a row is open", async (stage) => {
  const { page, errors } = await stage.open(PHONE, "light");
  await page.goto(`${stage.console.base}/`);
  await page.keyboard.press("/");
  await page.keyboard.type("lea@post");
  await page.keyboard.press("Enter");
  await page.waitForFunction(`document.querySelector("#count").textContent === "1 session found"`);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/s/parcels");
  for (let i = 0; i < 3; i++) await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForSelector("details.row[open] .parts >> text=lea@post.example");

  const line = (t_ms: number, from: string, message: object) =>
    JSON.stringify({ t_ms, from, message }) + "\n";
  await Deno.writeTextFile(`${stage.dir}/parcels.jsonl`, line(90, "client", call(8, "brand_new")), {
    append: true,
  });
  await page.waitForSelector("details.row >> text=brand_new");
  await Deno.writeTextFile(
    `${stage.dir}/parcels.jsonl`,
    line(95, "server", answer(8, "no", true)),
    {
      append: true,
    },
  );
  await page.waitForSelector("details.row >> text=error");
  assertEquals(
    await page.locator("details.row[open] .parts").count(),
    1,
    "the open row stays open",
  );
  assertEquals(errors, []);
});

test("an offline copy works from files, and a hostile session stays text in it", async (stage) => {
  const out = await Deno.makeTempDir();
  const [program = "", ...first] = executable("hoist");
  const { code, stdout } = await new Deno.Command(program, {
    args: [...first, "console", "--export", out, stage.dir],
  }).output();
  const said = new TextDecoder().decode(stdout);
  assertEquals([code, /index\.html: (\d+) sessions/.exec(said)?.[1]], [0, "12"], said);
  const { page, errors } = await stage.open(WIDE, "dark");
  const files = ["index.html", "tools.html", "servers.html", "flows.html", "guards.html"];
  for (const { name } of Deno.readDirSync(`${out}/s`)) files.push(`s/${name}`);
  for (const file of files) {
    await page.goto(`file://${out}/${encodeURI(file)}`);
    const [hacked, foreign] = await page.evaluate(`[
      window.hacked ?? null,
      document.querySelectorAll("main script, main img:not([src^='data:image/png']), a[href^='/'], a[href^='http'], form").length,
    ]`) as [unknown, number];
    assertEquals([hacked, foreign], [null, 0], file);
  }
  await page.goto(`file://${out}/index.html`);
  await page.click("#s-active a");
  await page.click("details.row.k-call");
  await page.waitForSelector("details.row[open] >> text=found it cheaper");
  assertEquals(errors.filter((error) => !error.startsWith("asked file:")), []);
  await Deno.remove(out, { recursive: true });
});

test("the owner answers a held call in the browser, with the code of the terminal", async ({ browser }) => {
  const handlers: AnsweringConsole[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => handlers[0]?.handler(request) ?? new Response(null, { status: 503 }),
  );
  const { port } = server.addr;
  await using desk = new AnsweringConsole(port);
  handlers.push(desk);
  await desk.home.open();
  const url = `http://127.0.0.1:${port}`;
  const [name = "", value = ""] = desk.cookie.split("=");
  const faults: string[] = [];
  for (
    const [viewport, colorScheme] of [[WIDE, "light"], [PHONE, "light"], [WIDE, "dark"], [
      PHONE,
      "dark",
    ]] as const
  ) {
    const context = await browser.newContext({ viewport, colorScheme });
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    await page.goto(`${url}/answers`);
    await page.waitForSelector("text=money leaves");
    faults.push(...await faultsOf(page, true));
    const pictures = Deno.env.get("HOIST_PICTURES");
    if (pictures !== undefined) {
      await page.screenshot({
        path: `${pictures}/console_answers_${viewport.width}_${colorScheme}.png`,
      });
    }
    if (viewport === PHONE && colorScheme === "dark") {
      await page.fill("#held input[name=code]", "AAAA-AAAA-X");
      await page.click("#held button >> text=Approve");
      await page.waitForSelector(".said");
      await page.fill("#held input[name=code]", desk.codes.at(-1) ?? "");
      await page.click("#held button >> text=Approve");
      await page.waitForSelector("text=No call waits");
    }
    await context.close();
  }
  assertEquals([faults, desk.faults], [[], []]);
  await server.shutdown();
});

// The tests above have used the first token.
test("the console takes a token in a form, once, and a link without one leads there", async (stage) => {
  const { page, context } = await stage.open(WIDE, "light");
  await context.clearCookies();
  await page.goto(`${stage.console.base}/s/parcels`);
  await page.fill("input[name=token]", stage.console.token);
  await page.click("button");
  await page.waitForSelector("text=This token was used already");
  await page.fill("input[name=token]", await stage.console.nextLink());
  await page.click("button");
  await page.waitForURL("**/s/parcels");
  await page.waitForSelector("text=find_sender");

  // As a browser is opened: by a file, which is another site for the cookie.
  await context.clearCookies();
  const file = await Deno.makeTempFile({ suffix: ".html" });
  const link = await stage.console.nextLink(2);
  await Deno.writeTextFile(file, `<meta http-equiv="refresh" content="0; url=${link}">`);
  await page.goto(`file://${file}`);
  await page.waitForSelector("#sessions");
  await Deno.remove(file);
});

Deno.test({
  name: "hoist console in a browser",
  ignore: !isThere,
  // The browser's driver keeps what it opened until the process ends.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    onStage(async (stage) => {
      for (const [name, play] of parts) {
        await t.step({
          name,
          sanitizeOps: false,
          sanitizeResources: false,
          fn: () => play(stage),
        });
      }
    }),
});
