import { chromium } from "playwright-core";
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const p = await (await b.newContext()).newPage();
await p.goto("file:///tmp/hx/open.html");
await p.waitForURL("http://**");
await p.waitForTimeout(800);
console.log(p.url(), await p.textContent("h1"));
await b.close();
Deno.exit();
