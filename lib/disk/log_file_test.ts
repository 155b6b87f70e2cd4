import { assert, assertEquals, assertMatch } from "@std/assert";
import { LogFile, type WritableFile } from "./log_file.ts";

/** A disk in memory: `delayMs` of fake time a write, `room` bytes, writes of `piece` bytes at most. */
class FakeDisk implements WritableFile {
  bytes: number[] = [];
  now = 0;
  delayMs = 0;
  room = Infinity;
  piece = Infinity;
  syncWrites = 0;
  asyncWrites = 0;
  closed = false;
  /** While set, asynchronous writes wait for it. */
  gate: Promise<void> | undefined;

  writeSync(bytes: Uint8Array): number {
    this.syncWrites++;
    return this.#take(bytes);
  }
  async write(bytes: Uint8Array): Promise<number> {
    this.asyncWrites++;
    await this.gate;
    return this.#take(bytes);
  }
  truncateSync(length: number): void {
    this.bytes.length = length;
  }
  close(): void {
    this.closed = true;
  }
  #take(bytes: Uint8Array): number {
    this.now += this.delayMs;
    const count = Math.min(bytes.length, this.piece, this.room - this.bytes.length);
    if (count <= 0) throw new Error("No space left on device (os error 28)");
    for (const byte of bytes.subarray(0, count)) this.bytes.push(byte);
    return count;
  }
  text(): string {
    return new TextDecoder().decode(new Uint8Array(this.bytes));
  }
}

function setUp() {
  const disk = new FakeDisk();
  const said: string[] = [];
  const log = new LogFile(disk, {
    length: 0,
    monotonicMs: () => disk.now,
    onEnd: (why) => said.push(why),
  });
  const line = (text: string) => log.write(new TextEncoder().encode(text + "\n"));
  return { disk, said, log, line };
}

Deno.test("LogFile.write() writes at once and goes on after a partial write", async () => {
  const { disk, said, log, line } = setUp();
  disk.piece = 2;
  line("abcdef");
  assertEquals(disk.text(), "abcdef\n");
  await log.close(1000);
  assertEquals([disk.closed, said], [true, []]);
});

Deno.test("LogFile.write() costs the session one slow write, then queues, in order", async () => {
  const { disk, said, log, line } = setUp();
  disk.delayMs = 60;
  line("1");
  const lines = Array.from({ length: 500 }, (_, i) => String(i + 2));
  lines.forEach(line);
  assertEquals(disk.syncWrites, 1, "the slow one");
  await log.close(1000);
  assertEquals(disk.text(), ["1", ...lines].join("\n") + "\n");
  assertEquals([disk.closed, said], [true, []]);
});

Deno.test("LogFile.write() is synchronous again once the disk has been quick for ten seconds", async () => {
  const { disk, log, line } = setUp();
  const drained = async () => {
    for (let i = 0; i < 10; i++) await Promise.resolve();
  };
  disk.delayMs = 60;
  line("1");
  disk.delayMs = 0;
  disk.now += 9_000;
  line("2");
  await drained();
  line("3");
  assertEquals(disk.syncWrites, 1, "not calm for long enough");
  await drained();
  disk.now += 2_000;
  line("4"); // queued; its drain finds the disk calm
  await drained();
  line("5");
  assertEquals(disk.syncWrites, 2);
  assertEquals(disk.text(), "1\n2\n3\n4\n5\n");
  await log.close(1000);
});

Deno.test("LogFile ends recording once with a whole last line when the disk is full", async () => {
  const { disk, said, log, line } = setUp();
  disk.room = 10;
  disk.piece = 4;
  line("123456");
  line("abcdef");
  line("ghijkl");
  assertEquals(disk.text(), "123456\n");
  assertEquals(said.length, 1);
  assertMatch(said[0] ?? "", /No space left/);
  await log.close(1000);
  assert(disk.closed);
});

Deno.test("LogFile ends recording once when the queue of a slow disk passes 8 MiB", async () => {
  const { disk, said, log } = setUp();
  let open = () => {};
  disk.gate = new Promise((r) => open = r);
  disk.delayMs = 60;
  const line = new Uint8Array(1_000_000).fill(10);
  for (let i = 0; i < 12; i++) log.write(line);
  assertEquals(said.length, 1);
  assertMatch(said[0] ?? "", /too slow/);
  open();
  await log.close(1000);
});

Deno.test("LogFile lets a line that has begun past the bound of a slow disk", async () => {
  const { disk, said, log } = setUp();
  disk.delayMs = 60;
  const piece = new Uint8Array(1_000_000).fill(0x78);
  for (let i = 0; i < 12; i++) log.write(piece); // The first is the slow write.
  log.write(new Uint8Array([0x78, 10]));
  disk.delayMs = 0;
  await log.close(1000);
  assertEquals(said, []);
  assertEquals(disk.bytes.length, 12_000_002);
});

Deno.test("LogFile.close() gives up on a disk that does not answer, and says so", async () => {
  const { disk, said, log, line } = setUp();
  let open = () => {};
  disk.gate = new Promise((r) => open = r);
  disk.delayMs = 60;
  line("1");
  line("2");
  await log.close(5);
  assertEquals(said, ["the disk did not take the last 2 bytes in 5 ms"]);
  open();
  await disk.gate;
});
