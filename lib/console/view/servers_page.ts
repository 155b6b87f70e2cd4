/**
 * Servers and hosts over all sessions.
 *
 * @module
 */

import { sessionsAddress } from "../record/session_query.ts";
import { figureTable, linkedCount } from "./figures.ts";
import { type Html, markup } from "./html.ts";
import { emptyState, moment } from "./layout.ts";

/** The sessions of one server or host. */
export interface PartyLine {
  readonly name: string;
  readonly sessions: number;
  readonly calls: number;
  readonly errors: number;
  readonly refused: number;
  readonly lookups: number;
  /** Revisions of the protocol. */
  readonly protocols: string;
  /** Start of the newest session, milliseconds since 1970. */
  readonly latestMs: number;
}

/** Prints the page. */
export function serversPage(
  { servers, hosts }: {
    readonly servers: readonly PartyLine[];
    readonly hosts: readonly PartyLine[];
  },
): Html {
  if (servers.length + hosts.length === 0) {
    return markup`<h1>Servers and hosts</h1>${
      emptyState("No sessions yet", "Servers and hosts appear with their first recorded session.")
    }`;
  }
  return markup`<h1>Servers and hosts</h1>
<h2>Servers</h2>
${partyTable("Server", "server", servers)}
<h2>Hosts</h2>
${partyTable("Host", "host", hosts)}`;
}

function partyTable(head: string, kind: "server" | "host", lines: readonly PartyLine[]): Html {
  const rows = lines.map((line) => {
    const find = (only: "" | "errors" | "refused" | "lookups") =>
      sessionsAddress({ [kind]: line.name, only });
    return [
      markup`<a href="${find("")}">${line.name || "unnamed"}</a>`,
      linkedCount(line.sessions, find("")),
      line.calls.toLocaleString("en"),
      linkedCount(line.lookups, find("lookups"), "flow"),
      linkedCount(line.errors, find("errors"), "error"),
      linkedCount(line.refused, find("refused"), "refused"),
      line.protocols,
      moment(line.latestMs),
    ];
  });
  return figureTable([
    { head },
    { head: "Sessions", isNumber: true },
    { head: "Calls", isNumber: true },
    { head: "Lookups", isNumber: true },
    { head: "Errors", isNumber: true },
    { head: "Refused", isNumber: true },
    { head: "Protocol" },
    { head: "Latest" },
  ], rows);
}
