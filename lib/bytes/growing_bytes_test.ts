import { assertEquals } from "@std/assert";
import { GrowingBytes } from "./growing_bytes.ts";

Deno.test("GrowingBytes hands out what came, whole and apart from what comes next", () => {
  const bytes = new GrowingBytes();
  assertEquals(bytes.take(), new Uint8Array());
  const piece = new Uint8Array([1, 2]);
  bytes.append(piece);
  piece[0] = 9;
  for (let i = 3; i <= 9; i++) bytes.append(new Uint8Array([i]));
  assertEquals(bytes.length, 9);
  const whole = bytes.take();
  bytes.append(new Uint8Array([7]));
  assertEquals(whole, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9]));
  assertEquals(bytes.take(), new Uint8Array([7]));
});

Deno.test("GrowingBytes grows a few times, and fits one piece exactly", () => {
  const bytes = new GrowingBytes();
  bytes.append(new Uint8Array(1000));
  assertEquals(bytes.take().buffer.byteLength, 1000);
  for (let i = 0; i < 100_000; i++) bytes.append(new Uint8Array(1));
  assertEquals(bytes.take().buffer.byteLength, 131_072);
});

Deno.test("GrowingBytes.clear() keeps its buffer for the next bytes", () => {
  const bytes = new GrowingBytes();
  bytes.append(new Uint8Array([1, 2, 3]));
  const { buffer } = bytes.view();
  bytes.clear();
  bytes.append(new Uint8Array([4]));
  assertEquals([...bytes.view()], [4]);
  assertEquals(bytes.view().buffer === buffer, true);
});
