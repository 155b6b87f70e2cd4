/**
 * Prints the facts of a session above its timeline.
 *
 * @module
 */

import { excerpt, printable } from "../text/printable.ts";
import type { Paint } from "../text/paint.ts";
import type { Overview } from "./overview.ts";
import type { Party } from "../trace/parties.ts";
import type { Summary } from "./summary.ts";

/**
 * Prints the facts of a session, one per line.
 *
 * @param overview The session at a glance.
 * @param paint Colours the lines.
 * @returns Lines of text; unknown facts are left out.
 */
export function headerLines(overview: Overview, paint: Paint): string[] {
  const { header, summary: counts } = overview;
  const { client, server, protocol } = overview.parties;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ["started", header === undefined ? undefined : startText(header.started_unix_ms)],
    ["lasted", durationText(counts.duration_ms)],
    ["command", header?.server_command.join(" ")],
    ["domain", header?.domain],
    ["model", header?.agent_model],
    ["host", client === undefined ? undefined : partyText(client)],
    ["in", header?.host_session],
    ["server", serverText(server, header?.server_name)],
    ["protocol", protocol],
    ["holds", countsText(counts)],
    [
      "note",
      overview.isProbe ? "only a probe: the host looked for the server's era" : null,
    ],
  ];
  return [
    paint("heading", `Session ${printable(header?.session ?? "without a readable header")}`),
    ...facts.flatMap(([name, value]) =>
      value === null || value === undefined
        ? []
        : [`  ${paint("faint", name.padEnd(9))} ${excerpt(value, 200)}`]
    ),
  ];
}

/** `desk 3`. */
export function partyText({ name, version }: Party): string {
  return version === undefined ? name : `${name} ${version}`;
}

/** `2026-11-12 08:15:03 UTC`. */
export function startText(unixMs: number): string {
  // A header may name any integer; a Date reaches only so far.
  if (unixMs > 8.64e15) return `${unixMs} ms after 1970`;
  return `${new Date(unixMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** `840 ms`, `12.3 s`, `4 min 05 s`, `2 h 07 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor(seconds / 60) % 60)} min`;
}

function serverText(server: Party | undefined, named: string | undefined): string | undefined {
  if (server === undefined) return named;
  const own = partyText(server);
  return named === undefined || named === server.name ? own : `${own}, called ${named}`;
}

function countsText(counts: Summary): string {
  const parts = [
    count(counts.turns, "turn"),
    count(counts.calls, "call"),
    ...(counts.lookups > 0 ? [`${count(counts.lookups, "lookup")} by the flow`] : []),
    count(counts.errors, "error"),
    count(counts.lines, "line"),
    ...(counts.raw_lines > 0 ? [`${counts.raw_lines} of them not JSON`] : []),
  ];
  return parts.join(", ");
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
