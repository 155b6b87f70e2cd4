/**
 * The list of sessions: search, filters, a table, pages.
 *
 * @module
 */

import {
  isFiltered,
  ONLY,
  PAGE_SESSIONS,
  RUNNING_MS,
  type SessionQuery,
  sessionsAddress,
} from "../record/session_query.ts";
import type { SessionEntry } from "../record/session_row.ts";
import { durationText } from "../../timeline/header_lines.ts";
import { type Html, markup, NOTHING } from "./html.ts";
import { counted, emptyState, moment } from "./layout.ts";

/** What the list shows. */
export interface SessionsModel {
  readonly query: SessionQuery;
  readonly total: number;
  readonly entries: readonly SessionEntry[];
  readonly hosts: readonly string[];
  readonly servers: readonly string[];
  readonly tools: readonly string[];
  /** Folders that were asked for, and those that hold sessions. */
  readonly dirs: readonly string[];
  readonly folders: readonly string[];
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
  /** Address of a session. */
  address(key: string): string;
  /** Whether there is a server that searches: not in an offline copy. */
  readonly isLive: boolean;
}

/**
 * Prints the list.
 *
 * @param model What it shows.
 * @returns The content of the page.
 */
export function sessionsPage(model: SessionsModel): Html {
  const { query, total, isLive } = model;
  const count = isFiltered(query)
    ? `${counted(total, "session")} found`
    : counted(total, "session");
  return markup`<h1>Sessions</h1>
${isLive ? searchForm(model) : NOTHING}
<div id="list" data-live>
<p class="count" id="count">${count}</p>
${total === 0 ? nothingFound(model) : table(model)}
${isLive ? pages(query, total) : NOTHING}
</div>`;
}

function searchForm({ query, hosts, servers, tools, folders }: SessionsModel): Html {
  const option = (value: string, name: string, chosen: string) =>
    markup`<option value="${value}" ${value === chosen ? markup`selected` : ""}>${name}</option>`;
  const select = (name: string, label: string, values: readonly string[], chosen: string) => {
    const all = values.includes(chosen) || chosen === "" ? values : [chosen, ...values];
    return markup`<label>${label}<select name="${name}">${option("", "any", chosen)}${
      all.map((value) => option(value, value, chosen))
    }</select></label>`;
  };
  return markup`<form class="search" role="search" action="/" method="get">
<label class="wide">Search<input type="search" name="q" value="${
    query.words.join(" ")
  }" placeholder="tool, error, argument, host, server, id" aria-keyshortcuts="/"></label>
<label>Show<select name="only">${
    ONLY.map(([only, name]) => option(only, name, query.only))
  }</select></label>
${select("host", "Host", hosts, query.host)}
${select("server", "Server", servers, query.server)}
${select("tool", "Tool", tools, query.tool)}
${folders.length > 1 ? select("folder", "Folder", folders, query.folder) : NOTHING}
<label>From<input type="date" name="from" value="${query.from}"></label>
<label>To<input type="date" name="to" value="${query.to}"></label>
<button>Search</button>
${isFiltered(query) ? markup`<a class="clear" href="/">Clear</a>` : NOTHING}
</form>`;
}

function table(model: SessionsModel): Html {
  return markup`<div class="scroll">
      <table class="sessions">
        <thead>
          <tr>
            <th scope="col">Started</th>
            <th scope="col">Host</th>
            <th scope="col">Server</th>
            <th scope="col">Domain</th>
            <th scope="col" class="n">Turns</th>
            <th scope="col" class="n">Calls</th>
            <th scope="col" class="n">Lookups</th>
            <th scope="col" class="n">Refused</th>
            <th scope="col" class="n">Errors</th>
            <th scope="col" class="n">Lasted</th>
          </tr>
        </thead>
        <tbody id="sessions" data-live-rows>${
    model.entries.map((entry) => sessionRow(entry, model))
  }</tbody>
      </table>
    </div>`;
}

function sessionRow(entry: SessionEntry, { address, nowMs }: SessionsModel): Html {
  const { key, session, startedMs, host, server, domain, faults } = entry;
  const isRunning = nowMs - entry.changedMs < RUNNING_MS;
  const name = session === undefined ? "unreadable" : moment(startedMs);
  const number = (label: string, n: number, mark = "") =>
    markup`<td class="n ${n === 0 ? "zero" : mark}" data-label="${label}">${
      n.toLocaleString("en")
    }</td>`;
  const badges = [
    isRunning ? markup`<span class="badge live">growing</span>` : "",
    entry.isProbe ? markup`<span class="badge">probe</span>` : "",
    faults === ""
      ? ""
      : markup`<span class="badge error" title="${faults.split("\n")[0]}">faults</span>`,
  ];
  return markup`<tr
      id="s-${key}"><th scope="row"><a href="${
    address(
      key,
    )
  }">${name}</a>${badges}<small class="key">${key}</small></th><td data-label="Host">${
    host ||
    "–"
  }</td><td data-label="Server">${server || "–"}</td><td data-label="Domain">${
    domain ||
    "–"
  }</td>${number("Turns", entry.turns)}${number("Calls", entry.calls)}${
    number(
      "Lookups",
      entry.lookups,
      "flow",
    )
  }${number("Refused", entry.refused, "refused")}${
    number(
      "Errors",
      entry.errors,
      "error",
    )
  }<td class="n" data-label="Lasted">${durationText(entry.durationMs)}</td></tr>`;
}

function pages(query: SessionQuery, total: number): Html {
  const last = Math.max(1, Math.ceil(total / PAGE_SESSIONS));
  if (last === 1 && query.page === 1) return NOTHING;
  const link = (page: number, name: string, rel: string) =>
    page < 1 || page > last
      ? NOTHING
      : markup`<a rel="${rel}" href="${sessionsAddress({ ...query, page })}">${name}</a>`;
  return markup`<nav class="pages"
      aria-label="Pages of the list">${
    link(query.page - 1, "Newer", "prev")
  }<span>Page ${query.page} of ${last}</span>${link(query.page + 1, "Older", "next")}</nav>`;
}

function nothingFound({ query, dirs, isLive }: SessionsModel): Html {
  if (isFiltered(query)) {
    return emptyState(
      "No session matches",
      markup`Words must all occur in a session: its tools, arguments, errors, host or server. <a
          href="/">Show all sessions</a>`,
    );
  }
  const record = markup`<code>hoist-mcp --record ${dirs[0] ?? "DIR"} -- COMMAND</code>`;
  return emptyState(
    "No sessions yet",
    markup`Sessions are read from ${
      dirs.map((dir, i) => markup`${i === 0 ? "" : ", "}<code>${dir}</code>`)
    }.`,
    markup`Put ${record} in front of a server, or let <code>hoist init</code> change your host's configuration.`,
    isLive ? "A new session appears here by itself." : false,
  );
}
