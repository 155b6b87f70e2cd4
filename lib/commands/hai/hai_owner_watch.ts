/**
 * `hai-mcp owner watch`: waits for requests, rings, shows each one whole, and takes the owner's
 * decision in one line.
 *
 * A decision names the request by its tag, so that a line typed for one request never decides
 * another that came in between. Only what was shown here can be decided here.
 *
 * @module
 */

import type { OwnerDecision } from "../../hai/owner/owner_desk.ts";
import { listLines, requestLines, type RequestView } from "../../hai/desk/request_view.ts";
import type { OwnerService } from "../../hai/shell/owner_service.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Terminal } from "../../runtime/terminal.ts";
import { named, VERDICTS } from "./hai_owner_wish.ts";
import { runOwnerWork, WORK_ACTIONS } from "./hai_owner_work.ts";

/** Parts of the watch. */
export interface WatchParts {
  readonly service: OwnerService;
  readonly runtime: Runtime;
  readonly terminal: Terminal;
  /** Yields when the requests may have changed. */
  readonly changes: AsyncIterable<void>;
  /** Tells the desktop, where the owner wants that. */
  readonly notify?: ((view: RequestView) => void) | undefined;
}

const HELP =
  "approve TAG, deny TAG, later TAG, undo TAG, show TAG, list, leases, revoke SESSION, " +
  "stop-all, resume, quit";

/**
 * Watches until the owner ends the input.
 *
 * @param parts Its parts.
 * @returns The exit status.
 */
export async function runWatch(parts: WatchParts): Promise<number> {
  const { runtime, terminal } = parts;
  const desk: Desk = { ...parts, shown: new Map() };
  runtime.print(`Waiting for requests. You can type: ${HELP}`);
  await refresh(desk);
  const lines = terminal.lines()[Symbol.asyncIterator]();
  const changes = parts.changes[Symbol.asyncIterator]();
  let line = lines.next();
  let change = changes.next();
  for (;;) {
    const next = await Promise.race([
      line.then((given) => ({ kind: "line", given } as const)),
      change.then(({ done }) => ({ kind: "change", done } as const)),
    ]);
    if (next.kind === "change") {
      if (!next.done) await refresh(desk);
      change = next.done ? new Promise(() => {}) : changes.next();
      continue;
    }
    if (next.given.done || /^\s*(quit|exit|q)\s*$/i.test(next.given.value)) return 0;
    await guarded(runtime, () => obey(desk, next.given.value));
    line = lines.next();
  }
}

/** What the watch knows: each request as it was shown. */
interface Desk extends WatchParts {
  readonly shown: Map<string, RequestView>;
}

/** Shows what is new, and says what is over. */
function refresh(desk: Desk): Promise<void> {
  const { service, runtime, shown, notify } = desk;
  return guarded(runtime, async () => {
    const open = await service.requests();
    if ("problem" in open) return;
    for (const view of open) {
      const before = shown.get(view.id);
      shown.set(view.id, view);
      if (before === undefined && view.status === "pending") {
        notify?.(view);
        show(desk, view, "\u0007");
      }
    }
    for (const { id, tag } of [...shown.values()]) {
      if (open.some((view) => view.id === id)) continue;
      shown.delete(id);
      runtime.print(`${tag}: used, decided elsewhere, or lapsed.`);
    }
  });
}

function show({ runtime, terminal }: Desk, view: RequestView, bell = ""): void {
  runtime.print(`${bell}\n======== request ${view.tag}`);
  for (const line of requestLines(view, terminal.width)) runtime.print(line);
  runtime.print(`======== approve ${view.tag}, deny ${view.tag} or later ${view.tag}`);
}

async function obey(desk: Desk, line: string): Promise<void> {
  const { service, runtime, shown } = desk;
  const [verb = "", id, ...rest] = line.trim().split(/\s+/);
  if (verb === "") return;
  if (WORK_ACTIONS.includes(verb)) {
    const done = await runOwnerWork(service, { action: verb, sessionId: id });
    for (const text of done.lines) runtime.print(text);
    return;
  }
  const views = [...shown.values()];
  if (verb === "list") {
    for (const text of listLines(views)) runtime.print(text);
    if (views.length === 0) runtime.print("Nothing waits for you.");
    return;
  }
  const verdict = VERDICTS[verb];
  if ((verdict === undefined && verb !== "show") || id === undefined || rest.length > 0) {
    runtime.print(`You can type: ${HELP}`);
    return;
  }
  const view = named(views, id);
  if (typeof view === "string") runtime.print(view);
  else if (verdict === undefined) show(desk, view);
  else await settle(desk, view, verdict);
}

async function settle(
  desk: Desk,
  view: RequestView,
  verdict: OwnerDecision["verdict"],
): Promise<void> {
  const { id, fingerprint, tag } = view;
  const isDone = await desk.service.decide({ challengeId: id, fingerprint, verdict });
  desk.runtime.print(
    isDone ? SAID[verdict](tag) : `${tag}: not as it was shown; nothing was decided.`,
  );
  await refresh(desk);
}

const SAID: Readonly<Record<OwnerDecision["verdict"], (tag: string) => string>> = {
  approved: (tag) => `${tag}: approved. 'undo ${tag}' takes it back until the agent has used it.`,
  denied: (tag) => `${tag}: denied.`,
  later: (tag) => `${tag}: waits as long again.`,
  pending: (tag) => `${tag}: the approval is taken back; the request waits again.`,
};

/** A busy or broken state ends no watch. */
async function guarded(runtime: Runtime, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    runtime.say(error instanceof Error ? error.message : "a fault");
  }
}
