/**
 * The folder of held calls: the proxy puts a call there and looks for its answer; a person's
 * program lists the calls and answers one. `<id>.call.json` is a call, `<id>.answer.json` its
 * answer, both 0600 in a folder that is 0700, each written whole.
 *
 * @module
 */

import { type AnsweredHeld, countedAnswer, printAnswer } from "../../approval/answer.ts";
import { fingerprintOf, printHeld, readHeld } from "../../approval/held_call.ts";
import type { Answering, PersonsAnswer, WaitingCall } from "../../ports/approval_desk.ts";
import type { ApprovalStore } from "../../ports/approvals.ts";
import { removeIfThere, writeBeside, writeFileAtomically } from "../atomic_write.ts";

/** Files larger than this are no held call. */
const MAX_BYTES = 1_048_576;
const CALL = /^([0-9a-f]{12})\.call\.json$/;

/**
 * Opens the folder for a proxy, and makes it if it is missing.
 *
 * @param dir The folder.
 * @returns The store.
 * @throws {Error} When somebody else could read or write there.
 */
export function openApprovalFolder(dir: string): ApprovalStore {
  Deno.mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (Deno.build.os !== "windows") {
    Deno.chmodSync(dir, 0o700); // Fails for a folder of another user.
    const { isSymlink } = Deno.lstatSync(dir);
    if (isSymlink) throw new Error(`--approve-dir "${dir}" is a link, not a folder`);
  }
  return {
    put: (held) =>
      writeFileAtomically(callPath(dir, held.id), printHeld(held), { flushFolder: false }),
    answerTo: (id) => readSmall(answerPath(dir, id)),
    dropAnswer: (id) => removeIfThere(answerPath(dir, id)),
    remove(id) {
      removeIfThere(callPath(dir, id));
      removeIfThere(answerPath(dir, id));
    },
  };
}

/**
 * The calls that wait for an answer, oldest first. Those whose time is over are taken away.
 *
 * @param dir The folder; nothing waits where there is none.
 * @param nowUnixMs The time.
 * @returns The calls.
 */
export function heldCalls(dir: string, nowUnixMs: number): WaitingCall[] {
  const waiting: WaitingCall[] = [];
  for (const id of idsIn(dir)) {
    const held = readKeyed(dir, id);
    if (held === undefined) continue;
    const { call, key } = held;
    if (call.expires_unix_ms <= nowUnixMs) {
      // Its proxy was ended by force. A yes may still hold for ten minutes.
      if (call.expires_unix_ms + 600_000 <= nowUnixMs) removeBoth(dir, id);
      continue;
    }
    if (isAnswered(dir, { call, key, nowUnixMs })) continue;
    waiting.push({ call, fingerprint: fingerprintOf(call) });
  }
  return waiting.sort((a, b) => a.call.asked_unix_ms - b.call.asked_unix_ms);
}

/**
 * Answers a call. Of two answers the first counts.
 *
 * @param dir The folder.
 * @param answer The answer, with the fingerprint that was shown.
 * @param nowUnixMs The time.
 * @returns What came of it.
 * @throws {Error} When the answer cannot be written.
 */
export function answerHeld(dir: string, answer: PersonsAnswer, nowUnixMs: number): Answering {
  const held = CALL.test(`${answer.id}.call.json`) ? readKeyed(dir, answer.id) : undefined;
  if (held === undefined || held.call.expires_unix_ms <= nowUnixMs) return "gone";
  const { call, key } = held;
  if (fingerprintOf(call) !== answer.fingerprint) return "changed";
  const path = answerPath(dir, answer.id);
  const text = printAnswer({ call, key, nowUnixMs }, answer.verdict);
  const temporary = writeBeside(path, text, 0o600);
  try {
    for (;;) {
      try {
        Deno.linkSync(temporary, path); // Fails where there is an answer.
        return "done";
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
        if (isAnswered(dir, { call, key, nowUnixMs })) return "answered";
        removeIfThere(path); // What stands there does not count.
      }
    }
  } finally {
    removeIfThere(temporary);
  }
}

/** Whether there is an answer that counts. */
function isAnswered(dir: string, held: AnsweredHeld): boolean {
  const text = readSmall(answerPath(dir, held.call.id));
  return text !== undefined && !("fault" in countedAnswer(text, held));
}

function idsIn(dir: string): string[] {
  try {
    return [...Deno.readDirSync(dir)].flatMap(({ name }) => CALL.exec(name)?.[1] ?? []);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function readKeyed(dir: string, id: string) {
  const held = readHeld(readSmall(callPath(dir, id)) ?? "");
  return held?.call.id === id ? held : undefined;
}

/** The text of a small plain file; undefined when there is none. */
function readSmall(path: string): string | undefined {
  try {
    const { isFile, size } = Deno.lstatSync(path);
    return isFile && size <= MAX_BYTES ? Deno.readTextFileSync(path) : "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function removeBoth(dir: string, id: string): void {
  removeIfThere(callPath(dir, id));
  removeIfThere(answerPath(dir, id));
}

const callPath = (dir: string, id: string) => `${dir}/${id}.call.json`;
const answerPath = (dir: string, id: string) => `${dir}/${id}.answer.json`;
