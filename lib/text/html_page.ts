/**
 * Self-contained HTML pages: text, tables and charts, in light and dark, readable on
 * a phone. They have no script and load nothing.
 *
 * @module
 */

/** One bar of a chart, split into parts. */
export interface Bar {
  readonly name: string;
  readonly parts: readonly number[];
}

/** A point of a curve and how many decisions it stands for. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly n: number;
}

/** The content of a page. */
export interface PageContent {
  readonly title: string;
  readonly lead: string;
  /** Name and value (HTML). */
  readonly figures: readonly (readonly [name: string, value: string])[];
  readonly sections: readonly { readonly heading: string; readonly body: string }[];
}

const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2330;--faint:#5d6675;--line:#d9dee6;--a:#1f7a4d;--b:#8a93a3;--c:#c2571a}
@media(prefers-color-scheme:dark){:root{--paper:#14181f;--ink:#e8ebf0;--faint:#a0a9b8;--line:#333b48;--a:#4fbf87;--b:#7d8797;--c:#f08a4b}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:56rem;margin:0 auto;padding:1.5rem 1rem 3rem}h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.1rem;margin:2rem 0 .75rem}p{margin:.5rem 0;color:var(--faint)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:1rem;margin:1.5rem 0}
dl div{border-top:2px solid var(--line);padding-top:.4rem}dt{color:var(--faint);font-size:.875rem}
dd{margin:0;font-size:1.5rem;font-variant-numeric:tabular-nums}dd small{font-size:.8rem;color:var(--faint);white-space:nowrap}
.bar{margin:.6rem 0}.bar span{display:flex;justify-content:space-between;gap:1rem;font-size:.875rem;overflow-wrap:anywhere}
.bar span b{font-weight:400;color:var(--faint);white-space:nowrap;font-variant-numeric:tabular-nums}
.track{display:flex;height:.9rem;margin-top:.15rem;gap:1px}.track i{display:block}
.k0{background:var(--a)}.k1{background:var(--b)}.k2{background:var(--c)}
.key{display:flex;flex-wrap:wrap;gap:1rem;font-size:.875rem;color:var(--faint)}.key i{display:inline-block;width:.8rem;height:.8rem;margin-right:.4rem;vertical-align:-.05rem}
svg{max-width:28rem;width:100%;height:auto;display:block}svg text{fill:var(--faint);font-size:11px}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line)}td:not(:first-child),th:not(:first-child){text-align:right;font-variant-numeric:tabular-nums}
`;

/**
 * Makes a page.
 *
 * @param content Its content; headings and names are escaped, values and bodies are HTML.
 * @returns HTML.
 */
export function page({ title, lead, figures, sections }: PageContent): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(lead)}</p>
<dl>
${
    figures.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${value}</dd></div>`).join(
      "\n",
    )
  }
</dl>
${
    sections.map((s) => `<section>\n<h2>${escaped(s.heading)}</h2>\n${s.body}\n</section>`).join(
      "\n",
    )
  }
</main>
</body>
</html>
`;
}

/** A bar chart with a key; bar lengths are relative to the longest. */
export function barChart(bars: readonly Bar[], kinds: readonly string[]): string {
  const longest = Math.max(1, ...bars.map((bar) => bar.parts.reduce((a, b) => a + b, 0)));
  const key = kinds.map((kind, i) =>
    kind === "" ? "" : `<span><i class="k${i}"></i>${escaped(kind)}</span>`
  ).join("");
  const rows = bars.map(({ name, parts }) => {
    const track = parts.map((n, i) =>
      n === 0 ? "" : `<i class="k${i}" style="width:${(100 * n / longest).toFixed(2)}%"></i>`
    ).join("");
    const words = parts.map((n, i) => `${n} ${kinds[i]}`).filter((_, i) => (parts[i] ?? 0) > 0)
      .join(", ");
    return `<div class="bar"><span>${escaped(name)} <b>${
      escaped(words)
    }</b></span><div class="track">${track}</div></div>`;
  });
  return `<div class="key">${key}</div>\n${rows.join("\n")}`;
}

/** A calibration curve: points in the unit square with its diagonal, sized by their counts. */
export function curveChart(
  points: readonly Point[],
  axes: { readonly x: string; readonly y: string },
): string {
  const at = (p: Point) => [40 + 260 * p.x, 280 - 260 * p.y] as const;
  const most = Math.max(1, ...points.map((p) => p.n));
  const line = points.map((p) => at(p).map((v) => v.toFixed(1)).join(",")).join(" ");
  const dots = points.map((p) => {
    const [x, y] = at(p);
    const r = (3 + 6 * Math.sqrt(p.n / most)).toFixed(1);
    return `<circle cx="${x.toFixed(1)}" cy="${
      y.toFixed(1)
    }" r="${r}" fill="var(--a)" fill-opacity=".75">` +
      `<title>${p.n} decisions: said ${p.x.toFixed(2)}, happened ${
        p.y.toFixed(2)
      }</title></circle>`;
  });
  const ticks = [0, 0.5, 1].map((v) =>
    `<text x="${40 + 260 * v}" y="296" text-anchor="middle">${v}</text>` +
    `<text x="34" y="${284 - 260 * v}" text-anchor="end">${v}</text>`
  );
  return `<svg viewBox="0 0 320 320" role="img" aria-label="${
    escaped(`${axes.y} against ${axes.x}`)
  }">
<rect x="40" y="20" width="260" height="260" fill="none" stroke="var(--line)"/>
<line x1="40" y1="280" x2="300" y2="20" stroke="var(--line)" stroke-dasharray="4 4"/>
<polyline points="${line}" fill="none" stroke="var(--a)" stroke-width="1.5"/>
${dots.join("\n")}
${ticks.join("\n")}
<text x="170" y="313" text-anchor="middle">${escaped(axes.x)}</text>
<text x="12" y="150" text-anchor="middle" transform="rotate(-90 12 150)">${escaped(axes.y)}</text>
</svg>`;
}

/** A table that scrolls sideways on a narrow screen. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "<p>None.</p>";
  const cells = (row: readonly string[], tag: string) =>
    row.map((c) => `<${tag}>${escaped(c)}</${tag}>`).join("");
  return `<div class="scroll"><table><thead><tr>${cells(head, "th")}</tr></thead><tbody>` +
    rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("") + "</tbody></table></div>";
}

/** Escapes text for HTML. */
export function escaped(text: string): string {
  return text.replace(
    /[&<>"]/g,
    (c) => c === "&" ? "&amp;" : c === "<" ? "&lt;" : c === ">" ? "&gt;" : "&quot;",
  );
}
