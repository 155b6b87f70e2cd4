import { assertEquals } from "@std/assert";
import { linkEpisode } from "../trace/episode.ts";
import type { Runtime } from "../ports/runtime.ts";
import { sourceOf } from "../learn/episode_source.ts";
import { runCommand } from "./command.ts";
import { progressOn, shownOn } from "./progress.ts";

/** A runtime that keeps what stderr shows, on a terminal or not. */
function fakeRuntime(shown: string[], isTerminal: boolean): Runtime {
  let now = 0;
  return {
    say: (line) => shown.push(`${line}\n`),
    print: () => {},
    env: () => undefined,
    unixMs: () => 0,
    monotonicMs: () => now += 1000,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: undefined,
    ...(isTerminal ? { terminal: { write: (text: string) => void shown.push(text) } } : {}),
  };
}

const TABLE = { program: "hoist x", summary: "X.", usage: [], flags: [] };

Deno.test("a command that fails takes its progress away before it says why", async () => {
  for (const isTerminal of [true, false]) {
    const shown: string[] = [];
    const on = fakeRuntime(shown, isTerminal);
    const status = await runCommand(TABLE, [], on, () => {
      progressOn(on).show("fold 3");
      throw new Error("the disk is gone");
    });
    assertEquals(status, 1);
    assertEquals(
      shown,
      isTerminal ? ["\r\x1b[2Kfold 3", "\r\x1b[2K", "the disk is gone\n"] : ["the disk is gone\n"],
    );
  }
});

Deno.test("shownOn() shows which session is walked, and takes that away", async () => {
  const episode = linkEpisode({
    id: "s",
    task_id: "s",
    trial: 0,
    domain: "",
    agent_model: "a",
    reward: 1,
    events: [],
  });
  for (const isTerminal of [true, false]) {
    const shown: string[] = [];
    const source = shownOn(
      sourceOf([episode, episode]),
      progressOn(fakeRuntime(shown, isTerminal)),
      "reading",
    );
    assertEquals((await Array.fromAsync(source.each())).length, 2);
    assertEquals(
      shown.map((text) => text.replace("\r\x1b[2K", "")),
      isTerminal ? ["reading session 1", "reading session 2", ""] : [],
    );
  }
});
