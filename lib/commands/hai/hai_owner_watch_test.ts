/** The watch rings, shows each request whole and decides what the owner names, nothing else. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Answer, assertRefused, haiCase, type HaiHome } from "../../../tests/util/hai_home.ts";
import type { OwnerService } from "../../hai/shell/owner_service.ts";
import { ownerService } from "../../hai/shell/owner_service.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { runWatch } from "./hai_owner_watch.ts";

function accept(hai: HaiHome, content = "# new"): Promise<Answer> {
  return hai.call("hai_accept_next_step", {
    ...{ project_path: hai.project(), content, reason: "agreed" },
  });
}

const tag = ({ challenge_id }: Answer): string => challenge_id.slice(-4);

/** A watch at a scripted terminal: each step types a line, or lets the folder change. */
function watching(hai: HaiHome, service: OwnerService = ownerService(hai.shell)) {
  const typed = new TransformStream<string, string>();
  const changed = new TransformStream<void, void>();
  const [lines, changes] = [typed.writable.getWriter(), changed.writable.getWriter()];
  const out: string[] = [];
  const told: string[] = [];
  const waiting = new Map<string, () => void>();
  const print = (line: string) => {
    out.push(line);
    for (const [text, seen] of waiting) if (line.includes(text)) seen();
  };
  const runtime: Runtime = {
    say: (line) => print(`said: ${line}`),
    print,
    env: () => undefined,
    unixMs: () => hai.unixMs,
    monotonicMs: () => 0,
    stdoutIsTerminal: true,
    pid: 1,
    parentPid: 1,
  };
  const ended = runWatch({
    service,
    runtime,
    terminal: { isPresent: true, ask: () => undefined, lines: () => typed.readable },
    changes: changed.readable,
    notify: ({ action }) => void told.push(action),
  });
  return {
    out,
    told,
    type: (line: string) => lines.write(line),
    change: () => changes.write(),
    /** Waits until a line with this text is printed from now on. */
    seen: (text: string) => new Promise<void>((resolve) => waiting.set(text, resolve)),
    async end() {
      await lines.write("quit");
      const status = await ended;
      await Promise.all([lines.abort(), changes.abort()].map((left) => left.catch(() => {})));
      return { status, text: out.join("\n") };
    },
  };
}

haiCase("runWatch()", "rings and shows a request whole; one line approves it", async (hai) => {
  const asked = await accept(hai);
  const watch = watching(hai);
  await watch.type(`approve ${tag(asked)}`);
  const { status, text } = await watch.end();
  assertEquals(status, 0);
  assertStringIncludes(text, `\u0007\n======== request ${tag(asked)}`);
  assertStringIncludes(text, "reason:    agreed");
  assertStringIncludes(text, "+ # new");
  assertStringIncludes(text, `${tag(asked)}: approved.`);
  assertEquals((await accept(hai)).ok, true);
  assertEquals(watch.told, ["accept_next_step"]);
});

haiCase("runWatch()", "shows what comes while it waits, once", async (hai) => {
  await accept(hai, "# first");
  const watch = watching(hai);
  await Promise.all([watch.seen("# first"), watch.type("list")]);
  const asked = await accept(hai, "# second");
  const shown = watch.seen(`or later ${tag(asked)}`);
  await Promise.all([shown, watch.change(), watch.change()]);
  await watch.type(`deny ${tag(asked)}`);
  const { text } = await watch.end();
  assertEquals(text.split(`======== request ${tag(asked)}`).length, 2);
  assertEquals((await accept(hai, "# second")).detail, "owner_denied");
  assertEquals((await accept(hai, "# first")).status, "pending_owner_code");
});

haiCase("runWatch()", "decides nothing without a tag, or with another one", async (hai) => {
  const asked = await accept(hai);
  const watch = watching(hai);
  for (const line of ["approve", "approve ffff0", "yes", `approve ${tag(asked)} now`, ""]) {
    await watch.type(line);
  }
  await watch.end();
  assertEquals((await accept(hai)).status, "pending_owner_code");
});

haiCase("runWatch()", "decides only what it showed", async (hai) => {
  const asked = await accept(hai);
  const inner = ownerService(hai.shell);
  const service: OwnerService = {
    ...inner,
    async requests() {
      const open = await inner.requests();
      return "problem" in open ? open : open.map((view) => ({ ...view, fingerprint: "sha256:00" }));
    },
  };
  const watch = watching(hai, service);
  await watch.type(`approve ${tag(asked)}`);
  const { text } = await watch.end();
  assertStringIncludes(text, "nothing was decided");
  assertRefused(await accept(hai), "owner_gate_required");
});

haiCase("runWatch()", "takes an approval back, and lets a request wait longer", async (hai) => {
  const asked = await accept(hai);
  const watch = watching(hai);
  await watch.type(`approve ${tag(asked)}`);
  await watch.type(`undo ${tag(asked)}`);
  await watch.type("stop-all");
  await watch.end();
  assertEquals((await accept(hai)).status, "pending_owner_code");
  hai.pass(500);
  const again = watching(hai);
  await again.type(`later ${tag(asked)}`);
  await again.end();
  hai.pass(500);
  assertEquals((await accept(hai)).challenge_id, asked.challenge_id);
  hai.pass(101);
  assertEquals((await accept(hai)).challenge_id === asked.challenge_id, false);
});

haiCase("runWatch()", "says what is over, and lives on when the state is broken", async (hai) => {
  const asked = await accept(hai);
  const watch = watching(hai);
  await watch.seen(`or later ${tag(asked)}`);
  hai.pass(601);
  const over = watch.seen(`${tag(asked)}: used, decided elsewhere, or lapsed.`);
  await Promise.all([over, watch.change()]);
  const head = hai.read("home/audit/HEAD.json");
  hai.write("home/audit/HEAD.json", "{");
  await Promise.all([watch.seen("said: Cannot trust"), watch.type("leases")]);
  hai.write("home/audit/HEAD.json", head);
  await Promise.all([watch.seen("Nothing waits for you."), watch.type("list")]);
  assertEquals((await watch.end()).status, 0);
});
