import { assertEquals, assertRejects } from "@std/assert";
import { gzipSync } from "node:zlib";
import { readText } from "./read_text.ts";

Deno.test("readText() reads gzip of one stream and of several, and refuses a cut one", async () => {
  const path = await Deno.makeTempFile();
  const [one, two] = [gzipSync("one\n"), gzipSync("two\n")];
  try {
    await Deno.writeFile(path, one);
    assertEquals(await readText(path), "one\n");
    await Deno.writeFile(path, new Uint8Array([...one, ...two]));
    assertEquals(await readText(path), "one\ntwo\n");
    await Deno.writeFile(path, one.subarray(0, -3));
    await assertRejects(() => readText(path), Error, `Cannot read "${path}"`);
  } finally {
    await Deno.remove(path);
  }
});
