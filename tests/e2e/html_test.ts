/**
 * The pages of `hoist replay --html` and `hoist audit --html`, in a browser where there is one.
 * HOIST_PICTURES names a folder to put pictures of them in, for a person to look at.
 */

import { assert, assertEquals } from "@std/assert";
import { main } from "../../cmd/hoist.ts";
import { denoRuntime } from "../../lib/runtime/deno_runtime.ts";
import { type Browser, browser, CHROMIUM } from "../util/browser.ts";
import { ROOT } from "../util/executables.ts";

const isThere = await Deno.stat(CHROMIUM).then(() => true, () => false);
if (!isThere) console.log(`skipped: no browser at ${CHROMIUM}`);

const INPUTS = [
  ...["--flow", `${ROOT}/testdata/flows/parcels.flow.json`],
  ...["--results", `m=${ROOT}/testdata/results/parcels.json`],
  ...["--manifest", `${ROOT}/testdata/results/parcels_manifest.json`],
];

/** What is asked of a page: its words and pictures, what sticks out, and how readable it is. */
const LOOK = `(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((c) => {
      const s = c / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backOf = (node) => {
    for (let at = node; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$|transparent/.test(color)) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const contrast = (node) => {
    const [a, b] = [light(getComputedStyle(node).color), light(backOf(node))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const texts = [...document.querySelectorAll("h1, h2, p, td, th, small")];
  return {
    title: document.title,
    pictures: [...document.querySelectorAll("svg")].filter((svg) =>
      svg.getBoundingClientRect().width > 100 && svg.getBoundingClientRect().height > 50
    ).length,
    headings: [...document.querySelectorAll("h2")].map((h) => h.textContent),
    width: document.documentElement.scrollWidth,
    ground: light(backOf(document.body)),
    leastContrast: Math.min(...texts.map(contrast)),
  };
})()`;

interface Look {
  readonly title: string;
  readonly pictures: number;
  readonly headings: readonly string[];
  readonly width: number;
  readonly ground: number;
  readonly leastContrast: number;
}

async function look(page: Browser, path: string, width: number, scheme: "light" | "dark") {
  const { value, errors } = await page.ask(`file://${path}`, { width, scheme }, LOOK);
  assertEquals(errors, []);
  return value as Look;
}

for (
  const { command, title, headings } of [
    {
      command: "replay",
      title: "Replay of the parcels flow",
      headings: ["Lookups by site", "Calibration", "Cost of the threshold", "Why detours"],
    },
    {
      command: "audit",
      title: "Audit of the parcels flow",
      headings: ["Calibration", "Sites", "Episodes it fits least"],
    },
  ]
) {
  Deno.test({
    name: `hoist ${command} --html reads well on a screen and on a phone, light and dark`,
    ignore: !isThere,
    fn: async () => {
      const dir = await Deno.makeTempDir();
      try {
        const path = `${dir}/page.html`;
        const quiet = {
          ...denoRuntime("hoist"),
          print: () => {},
          say: () => {},
          keepOnly: () => {},
        };
        assertEquals(await main([command, ...INPUTS, "--html", path], quiet), 0);
        await using page = await browser();
        for (const width of [390, 1280]) {
          const seen = await look(page, path, width, "light");
          assertEquals([seen.title, seen.headings], [title, headings]);
          assert(seen.pictures > 0, "no picture");
          assert(seen.width <= width, `${seen.width} px wide on ${width} px`);
          const dark = await look(page, path, width, "dark");
          assert(seen.ground > 0.8 && dark.ground < 0.1, `${seen.ground} and ${dark.ground}`);
          for (const { leastContrast } of [seen, dark]) {
            assert(leastContrast >= 4.5, `contrast ${leastContrast}`);
          }
          const keep = Deno.env.get("HOIST_PICTURES");
          if (keep !== undefined) {
            await Deno.writeFile(`${keep}/${command}-${width}.png`, await page.picture());
          }
        }
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    },
  });
}
