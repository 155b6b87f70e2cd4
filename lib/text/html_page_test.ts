import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { replayHtml } from "../replay/replay_html.ts";
import { replayMarkdown } from "../replay/replay_report.ts";
import { ReplaySummary } from "../replay/summary.ts";

const TITLE = {
  domain: "<shop>",
  decider: "reach",
  threshold: "0.3",
  answers: "recorded",
} as const;

Deno.test("replayHtml() needs nothing else, and escapes what it shows", () => {
  const html = replayHtml(new ReplaySummary(), TITLE, [{ threshold: 0.3, saved: 2, detours: 1 }]);
  assertStringIncludes(html, "<title>Replay of the &lt;shop&gt; flow</title>");
  assertStringIncludes(html, "prefers-color-scheme:dark");
  assertStringIncludes(html, "width=device-width");
  assertEquals(/<script|<link|src=|href=|url\(|https?:/.test(html), false);
});

Deno.test("replayMarkdown() of nothing has no number that is none", () => {
  const report = replayMarkdown(new ReplaySummary(), TITLE);
  assert(!/NaN|Infinity|undefined/.test(report));
  for (const name of ["share of the full bound", "lookups used", "calibration error, 10 bins"]) {
    assertStringIncludes(report, `| ${name} | - |  |`);
  }
});
