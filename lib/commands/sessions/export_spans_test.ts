import { assertEquals, assertRejects } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { SessionSpan } from "../../export/spans.ts";
import { LogTail } from "../../disk/export/log_tail.ts";
import { SpanExport } from "./export_spans.ts";

const SHOP = await Deno.readTextFile("testdata/sessions/v2/shop.jsonl");
const LINES = SHOP.trimEnd().split("\n");

/** A folder with one log, a collector, and a place file. */
class Rig {
  path = Deno.makeTempFileSync({ prefix: "hoist-spans-", suffix: ".jsonl" });
  readonly sent: SessionSpan[][] = [];
  readonly said: string[] = [];
  place: string | undefined;
  now = 0;
  isDown = false;

  write(from: number, to: number): void {
    const text = LINES.slice(from, to).map((line) => line + "\n").join("");
    Deno.writeTextFileSync(this.path, text, { append: true });
  }

  /** Exports; `rounds` change the world between two looks at logs that are followed. */
  async export(rounds: (() => void)[] = []): Promise<SpanExport> {
    const isFollowing = rounds.length > 0;
    const work = new SpanExport({
      openLog: (path, onLine) => new LogTail(path, onLine),
      send: (spans) => {
        if (this.isDown) return Promise.reject(new Error("cannot reach the collector"));
        this.sent.push([...spans]);
        return Promise.resolve(0);
      },
      paths: () => Promise.resolve([this.path]),
      place: { read: () => this.place, write: (text) => this.place = text },
      runtime: { say: (line) => void this.said.push(line), monotonicMs: () => this.now },
      nextRound: () => {
        const round = rounds.shift();
        round?.();
        return Promise.resolve(round !== undefined);
      },
    }, { withValues: false, isFollowing });
    await work.run();
    return work;
  }

  get names(): string[] {
    return this.sent.flat().map(({ name }) => name);
  }
}

Deno.test("SpanExport sends a log once, and with a place file nothing twice", async () => {
  const rig = new Rig();
  rig.write(0, LINES.length);
  assertEquals((await rig.export()).taken, 16);
  assertEquals(rig.names.at(-1), "session retail");
  assertEquals((await rig.export()).taken, 0);
  rig.place = undefined;
  assertEquals((await rig.export()).taken, 16);
  await Deno.remove(rig.path);
});

Deno.test("SpanExport sends a packed log, and nothing again of one that was packed since", async () => {
  const rig = new Rig();
  rig.write(0, LINES.length);
  assertEquals((await rig.export()).taken, 16);
  await Deno.writeFile(`${rig.path}.gz`, gzipSync(SHOP));
  await Deno.remove(rig.path);
  rig.path += ".gz";
  assertEquals((await rig.export()).taken, 0);
  rig.place = undefined;
  assertEquals((await rig.export()).taken, 16);
  await Deno.remove(rig.path);
});

Deno.test("SpanExport follows a log as it grows, and ends its session when it rests", async () => {
  const rig = new Rig();
  rig.write(0, 6);
  const before: number[] = [];
  const grows = (from: number, to: number) => () => {
    before.push(rig.names.length);
    rig.write(from, to);
  };
  const work = await rig.export([
    grows(6, 20),
    grows(20, LINES.length),
    () => rig.now += 700_000,
    () => before.push(rig.names.length),
  ]);
  assertEquals(work.taken, 16);
  assertEquals(rig.names.filter((name) => name === "session retail").length, 1);
  assertEquals(before.at(-1), 16, "the session's span came when the log rested");
  assertEquals(new Set(rig.sent.flat().map(({ spanId }) => spanId)).size, 16);
  await Deno.remove(rig.path);
});

Deno.test("SpanExport keeps its place when the collector is down, and goes on from there", async () => {
  const rig = new Rig();
  rig.write(0, LINES.length);
  rig.isDown = true;
  await assertRejects(() => rig.export(), Error, "cannot reach the collector");
  rig.isDown = false;
  assertEquals((await rig.export()).taken, 16);
  rig.place = '{"hoist_export_place":2,"logs":{}}';
  await assertRejects(() => rig.export(), Error, "no place file");
  await Deno.remove(rig.path);
});

Deno.test("SpanExport names a log that is broken, and sends what can be read", async () => {
  const rig = new Rig();
  rig.write(0, 10);
  Deno.writeTextFileSync(rig.path, "no line of a log\n", { append: true });
  rig.write(10, LINES.length);
  const work = await rig.export();
  assertEquals([work.faults, rig.said.length, work.taken], [1, 1, 16]);
  await Deno.remove(rig.path);
});
