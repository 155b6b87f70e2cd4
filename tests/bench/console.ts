/**
 * `deno task load:console`: what the console costs with many sessions, and with a huge one.
 *
 * Ten thousand logs are listed, searched and counted; then a session of 300 MB, with a line of 50 MB,
 * is opened in Chromium where there is one. Figures go to stdout; docs/console.md has them.
 *
 * @module
 */

import { chromium } from "playwright-core";
import { CHROMIUM } from "../util/browser.ts";
import { RunningConsoleProcess } from "../util/running_console.ts";
import { answer, call } from "../util/script_log.ts";

const SESSIONS = 10_000;
const CALLS = 12;
const HUGE_BYTES = 300_000_000;
const HUGE_LINE = 50_000_000;
const TOOLS = ["find_sender", "get_sender", "get_parcel", "hold_parcel", "list_offices"];

const dir = await Deno.makeTempDir();
try {
  await many(`${dir}/many`);
  await huge(`${dir}/huge`);
} finally {
  await Deno.remove(dir, { recursive: true });
}
Deno.exit(); // The browser's driver keeps what it opened.

async function many(folder: string): Promise<void> {
  await Deno.mkdir(folder);
  for (let i = 0; i < SESSIONS; i++) {
    const id = `2026${String(i).padStart(6, "0")}`;
    const lines = Array.from({ length: CALLS }, (_, n) => {
      const tool = TOOLS[(i + n) % TOOLS.length] ?? "t";
      const text = `${tool} of ${i}: ${"street, town, ".repeat(20)}`;
      return line(n * 900, "client", call(n, tool, { id: `P-${i}-${n}`, note: "as agreed" })) +
        line(n * 900 + 20 + (i * n) % 200, "server", answer(n, text, (i + n) % 50 === 0));
    });
    await Deno.writeTextFile(`${folder}/${id}.jsonl`, header(id, i) + lines.join(""));
  }
  const started = performance.now();
  await using console = await RunningConsoleProcess.start(["--no-open", folder]);
  await console.signIn();
  await console.until(
    "/",
    (text) => text.includes("10,000 sessions") && !text.includes("Reading"),
    1000,
  );
  report(`${SESSIONS} sessions indexed`, `${((performance.now() - started) / 1000).toFixed(1)} s`);
  report("peak memory of the server", await peak(console));
  for (
    const [what, path] of [
      ["the list", "/"],
      ["page 150 of it", "/?page=150"],
      ["a search that finds one", "/?q=P-7342-3"],
      ["a search that finds all", "/?q=agreed"],
      ["sessions with errors", "/?only=errors"],
      ["tools", "/tools"],
      ["one session", "/s/2026007342"],
    ] as const
  ) report(what, await timed(() => console.text(path)));
  report("peak memory of the server", await peak(console));
}

async function huge(folder: string): Promise<void> {
  await Deno.mkdir(folder);
  const file = await Deno.open(`${folder}/huge.jsonl`, { write: true, create: true });
  const write = async (text: string) => {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    return bytes.length;
  };
  let size = await write(header("huge", 1));
  size += await write(line(0, "client", call("big", "read_file", { path: "/big" })));
  size += await write(line(9, "server", answer("big", "z".repeat(HUGE_LINE))));
  for (let n = 0; size < HUGE_BYTES; n++) {
    const text = `${n} ${"some text of a file, ".repeat(n % 100)}`;
    size += await write(
      line(n * 10 + 20, "client", call(n, TOOLS[n % 5] ?? "t", { id: n })) +
        line(n * 10 + 25, "server", answer(n, text)),
    );
  }
  file.close();
  const started = performance.now();
  await using console = await RunningConsoleProcess.start(["--no-open", folder]);
  await console.signIn();
  await console.until("/", (text) => text.includes("1 session") && !text.includes("Reading"), 1000);
  report("300 MB indexed", `${((performance.now() - started) / 1000).toFixed(1)} s`);
  report("the session", await timed(() => console.text("/s/huge")));
  report("its last page", await timed(() => console.text("/s/huge?from=end")));
  report("its line of 50 MB", await timed(() => console.text("/s/huge/rows/0?raw=1"), 3));
  report("peak memory of the server", await peak(console));
  await inBrowser(console);
}

async function inBrowser(console: RunningConsoleProcess): Promise<void> {
  const isThere = await Deno.stat(CHROMIUM).then(() => true, () => false);
  if (!isThere) return report("the tab", "skipped, there is no browser");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const context = await browser.newContext();
  await context.addCookies([console.cookie]);
  const page = await context.newPage();
  for (const path of ["/s/huge", "/s/huge/rows/0?raw=1", "/s/huge/rows/0?all=1"]) {
    await page.goto(console.base + path);
    report(`the tab's memory at ${path}`, `${await tabMegabytes()} MB`);
  }
  await browser.close();
  report("peak memory of the server", await peak(console));
}

/** Resident memory of the largest renderer that runs. */
async function tabMegabytes(): Promise<number> {
  let most = 0;
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const words = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (!words.includes("--type=renderer")) continue;
    const status = await Deno.readTextFile(`/proc/${name}/status`).catch(() => "");
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }
  return Math.round(most / 1000);
}

async function peak({ pid }: RunningConsoleProcess): Promise<string> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return `${Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000)} MB`;
}

async function timed(ask: () => Promise<string>, times = 15): Promise<string> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const before = performance.now();
    await ask();
    took.push(performance.now() - before);
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => (took[Math.floor((times - 1) * share)] ?? 0).toFixed(0);
  return `${at(0.5)} ms (longest of ${times}: ${at(1)} ms)`;
}

function header(session: string, i: number): string {
  return JSON.stringify({
    hoist_mcp_log: 2,
    session,
    started_unix_ms: 1_794_471_303_077 + i * 60_000,
    server_command: ["server"],
    domain: "parcels",
    agent_model: null,
    server_name: `server-${i % 7}`,
  }) + "\n";
}

function line(t_ms: number, from: string, message: object): string {
  return JSON.stringify({ t_ms, from, message }) + "\n";
}

function report(what: string, figure: string): void {
  globalThis.console.log(`${what}: ${figure}`);
}
