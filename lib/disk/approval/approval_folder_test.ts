import { assertEquals, assertThrows } from "@std/assert";
import { countedAnswer } from "../../approval/answer.ts";
import type { KeyedCall } from "../../approval/held_call.ts";
import { answerHeld, heldCalls, openApprovalFolder } from "./approval_folder.ts";

const NOW = 1_800_000_000_000;

function keyed(id: string, changes: Partial<KeyedCall> = {}): KeyedCall {
  return {
    hoist_approval: 1,
    id,
    server: "shop",
    session: "s",
    tool: "refund",
    arguments: "{}",
    by: "agent",
    why: [],
    known: [],
    rules: { file: "r", sha256: "00" },
    asked_unix_ms: NOW,
    expires_unix_ms: NOW + 600_000,
    key: "ab".repeat(32),
    ...changes,
  };
}

async function inFolder(test: (dir: string) => void): Promise<void> {
  const home = await Deno.makeTempDir();
  try {
    test(`${home}/approvals`);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

const ONE = "000000000001";
const TWO = "000000000002";

Deno.test("openApprovalFolder() makes a folder and files that nobody else may read", () =>
  inFolder((dir) => {
    Deno.mkdirSync(dir, { mode: 0o755 });
    const store = openApprovalFolder(dir);
    store.put(keyed(ONE));
    const modes = [dir, `${dir}/${ONE}.call.json`].map((path) =>
      (Deno.statSync(path).mode ?? 0) & 0o777
    );
    assertEquals(modes, [0o700, 0o600]);
    store.remove(ONE);
    store.remove(ONE);
    assertEquals([...Deno.readDirSync(dir)], []);
  }));

Deno.test("openApprovalFolder() takes no link", () =>
  inFolder((dir) => {
    Deno.mkdirSync(`${dir}-other`);
    Deno.symlinkSync(`${dir}-other`, dir);
    assertThrows(() => openApprovalFolder(dir), Error, "is a link");
  }));

Deno.test("answerHeld() answers the call that was shown, once; the proxy can read it", () =>
  inFolder((dir) => {
    const store = openApprovalFolder(dir);
    store.put(keyed(TWO, { asked_unix_ms: NOW + 1 }));
    store.put(keyed(ONE));
    const waiting = heldCalls(dir, NOW);
    assertEquals(waiting.map(({ call }) => call.id), [ONE, TWO]);
    const [{ fingerprint } = { fingerprint: "" }] = waiting;
    const yes = { id: ONE, fingerprint, verdict: "approved" } as const;
    assertEquals(answerHeld(dir, { ...yes, fingerprint: "00" }, NOW), "changed");
    assertEquals(answerHeld(dir, { ...yes, id: TWO }, NOW), "changed");
    assertEquals(answerHeld(dir, { ...yes, id: "000000000003" }, NOW), "gone");
    assertEquals(answerHeld(dir, { ...yes, id: `../approvals/${ONE}` }, NOW), "gone");
    assertEquals(store.answerTo(ONE), undefined);
    assertEquals(answerHeld(dir, yes, NOW + 600_000), "gone");
    assertEquals(answerHeld(dir, yes, NOW), "done");
    assertEquals(answerHeld(dir, { ...yes, verdict: "denied" }, NOW), "answered");
    const { key, ...call } = keyed(ONE);
    const answer = countedAnswer(store.answerTo(ONE) ?? "", { call, key, nowUnixMs: NOW });
    assertEquals(answer, { verdict: "approved", leftMs: 600_000 });
    assertEquals(heldCalls(dir, NOW).map(({ call }) => call.id), [TWO]);
    assertEquals([...Deno.readDirSync(dir)].length, 3);
  }));

Deno.test("answerHeld() replaces an answer that does not count", () =>
  inFolder((dir) => {
    openApprovalFolder(dir).put(keyed(ONE));
    Deno.writeTextFileSync(`${dir}/${ONE}.answer.json`, "planted");
    const [shown] = heldCalls(dir, NOW);
    const answer = { id: ONE, fingerprint: shown?.fingerprint ?? "", verdict: "denied" } as const;
    assertEquals(answerHeld(dir, answer, NOW), "done");
    assertEquals(heldCalls(dir, NOW), []);
  }));

Deno.test("heldCalls() passes over what is no call, and takes away what is long over", () =>
  inFolder((dir) => {
    assertEquals(heldCalls(dir, NOW), []);
    const store = openApprovalFolder(dir);
    store.put(keyed(ONE));
    Deno.writeTextFileSync(
      `${dir}/${TWO}.call.json`,
      Deno.readTextFileSync(`${dir}/${ONE}.call.json`),
    );
    Deno.writeTextFileSync(`${dir}/000000000003.call.json`, "{");
    Deno.symlinkSync(`${dir}/${ONE}.call.json`, `${dir}/000000000004.call.json`);
    Deno.mkdirSync(`${dir}/000000000005.call.json`);
    assertEquals(heldCalls(dir, NOW).map(({ call }) => call.id), [ONE]);
    assertEquals(heldCalls(dir, NOW + 600_000), []);
    Deno.statSync(`${dir}/${ONE}.call.json`);
    heldCalls(dir, NOW + 1_200_000);
    assertThrows(() => Deno.statSync(`${dir}/${ONE}.call.json`), Deno.errors.NotFound);
  }));
