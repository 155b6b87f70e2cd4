/**
 * The console's client layer. Every page reads well without it; with it times are in the reader's
 * zone, a row's content opens in place, and the page follows what happens.
 *
 * Markup comes from our own server alone, and is parsed in a document that runs no script.
 */

const own = document.currentScript?.src;

/** Shows every moment in the reader's own zone. */
function localTimes(root) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    time.title = time.dateTime;
    time.textContent = format.format(moment);
  }
}

/** A page of ours as a document. */
async function pageAt(address) {
  const reply = await fetch(address, { headers: { accept: "text/html" } });
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  return new DOMParser().parseFromString(await reply.text(), "text/html");
}

/** Puts a row's content in its place when it is opened. */
async function fillBody(details) {
  const body = details.querySelector(":scope > .body");
  if (body === null || details.dataset.filled !== undefined || !isServed()) return;
  details.dataset.filled = "";
  try {
    const parts = (await pageAt(details.dataset.body)).querySelector(".parts");
    if (parts === null) return;
    localTimes(parts);
    body.replaceChildren(document.adoptNode(parts));
  } catch {
    delete details.dataset.filled; // The link to the row's page remains.
  }
}

function isServed() {
  return document.body.dataset.events !== undefined;
}

/** Takes over what changed, and leaves what is open, filled or typed into. */
function update(fresh) {
  localTimes(fresh);
  for (const next of fresh.querySelectorAll("[data-live]")) {
    const now = document.getElementById(next.id);
    if (now === null) continue;
    const rows = [...next.querySelectorAll("[data-live-rows]")];
    const isKept = rows.length > 0 &&
      rows.every((list) => document.getElementById(list.id) !== null);
    if (rows.length === 0 || now.querySelector("[data-live-rows]") === null) {
      replaceIfNew(now, next);
    } else if (isKept || next.id === "waterfall") updateLists(now, next);
    else replaceIfNew(now, next);
  }
}

function updateLists(now, next) {
  for (const list of next.querySelectorAll("[data-live-rows]")) {
    const known = document.getElementById(list.id);
    if (known === null) {
      const section = list.closest("section") ?? list;
      now.insertBefore(
        document.importNode(section, true),
        now.querySelector(":scope > nav.pages"),
      );
    } else updateRows(known, list);
  }
  const [old, pages] = [now, next].map((one) => one.querySelector(":scope > nav.pages"));
  if (pages !== null && old === null) now.append(document.importNode(pages, true));
  else if (pages !== null) replaceIfNew(old, pages);
  for (const id of ["count"]) {
    const [was, is] = [document.getElementById(id), next.querySelector(`#${id}`)];
    if (was !== null && is !== null) replaceIfNew(was, is);
  }
}

/** Makes a list hold the same rows in the same order, by their ids. */
function updateRows(known, list) {
  const ids = new Set([...list.children].map((row) => row.id));
  for (const row of [...known.children]) if (!ids.has(row.id)) row.remove();
  [...list.children].forEach((row, i) => {
    const there = [...known.children].find((one) => one.id === row.id);
    if (there === undefined) {
      known.insertBefore(document.importNode(row, true), known.children[i] ?? null);
    } else {
      if (known.children[i] !== there) known.insertBefore(there, known.children[i] ?? null);
      if (there.tagName === "DETAILS") {
        there.className = row.className;
        replaceIfNew(there.querySelector("summary"), row.querySelector("summary"), true);
      } else replaceIfNew(there, row);
    }
  });
}

function replaceIfNew(now, next, isInside = false) {
  if (now === null || next === null || now.outerHTML === next.outerHTML) return;
  if (isInside || now.contains(document.activeElement)) now.innerHTML = next.innerHTML;
  else now.replaceWith(document.importNode(next, true));
}

/** Follows the server's events; looks again at most twice a second. */
function follow(address) {
  let waiting = false;
  let last = 0;
  const refresh = async () => {
    waiting = false;
    last = Date.now();
    try {
      update(await pageAt(location.pathname + location.search));
    } catch {
      // The next event tries again.
    }
  };
  const events = new EventSource(address);
  events.addEventListener("changed", (event) => {
    const { keys, notice } = JSON.parse(event.data);
    const line = document.getElementById("notice");
    if (line !== null) line.textContent = notice;
    if (document.querySelector("main [data-live]") === null) return;
    const own = document.querySelector("main [data-session]")?.dataset.session;
    if (own !== undefined && !keys.includes(own)) return;
    if (waiting || document.hidden) return;
    waiting = true;
    setTimeout(refresh, Math.max(0, 500 - (Date.now() - last)));
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) refresh();
  });
}

/** `/` goes to the search, `j` and `k` to the next and previous row. */
function keys(event) {
  const target = event.target instanceof Element ? event.target : document.body;
  if (
    event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea")
  ) {
    return;
  }
  if (event.key === "/") {
    const field = document.querySelector("input[type=search]");
    if (field === null) return;
    event.preventDefault();
    field.focus();
  } else if (event.key === "j" || event.key === "k") {
    const all = [...document.querySelectorAll(".row > summary, table.sessions th a")];
    const at = all.indexOf(document.activeElement);
    const next = all[event.key === "j" ? at + 1 : Math.max(0, at - 1)];
    next?.focus();
  }
}

/** Draws the charts of a page; their numbers are in a table as well. */
async function drawCharts() {
  const plots = [...document.querySelectorAll(".plot[data-chart]")];
  if (plots.length === 0) return;
  await new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("uplot.js", own).href;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
  const drawn = new Map();
  const draw = () => {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    for (const plot of plots) {
      drawn.get(plot)?.destroy();
      const { x, series } = JSON.parse(plot.dataset.chart);
      const axis = { stroke: color("faint"), grid: { stroke: color("line"), width: 1 } };
      const options = {
        width: Math.max(240, plot.clientWidth),
        height: 200,
        axes: [axis, { ...axis, size: 56 }],
        scales: { y: { range: (_, low, high) => [Math.min(0, low), Math.max(1, high * 1.1)] } },
        series: [
          { value: "{YYYY}-{MM}-{DD}" },
          ...series.map((one) => ({
            label: one.name,
            stroke: color(one.color),
            width: 2,
            points: { size: 5 },
          })),
        ],
      };
      drawn.set(
        plot,
        new globalThis.uPlot(options, [x, ...series.map((one) => one.values)], plot),
      );
    }
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("resize", draw);
}

localTimes(document);
drawCharts().catch(() => {}); // The tables remain.
document.addEventListener("toggle", (event) => {
  const { target } = event;
  if (target instanceof HTMLDetailsElement && target.open && target.dataset.body !== undefined) {
    fillBody(target);
  }
}, true);
document.addEventListener("keydown", keys);
const linked = location.hash === "" ? null : document.getElementById(location.hash.slice(1));
if (linked instanceof HTMLDetailsElement) linked.open = true;
if (document.body.dataset.events !== undefined) follow(document.body.dataset.events);
