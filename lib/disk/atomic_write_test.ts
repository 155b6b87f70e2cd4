import { assert, assertEquals } from "@std/assert";
import { replaceFile } from "./atomic_write.ts";

Deno.test({
  name: "replaceFile() writes into a pipe that is there, and puts no file in its place",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    const dir = await Deno.makeTempDir();
    const pipe = `${dir}/pipe`;
    assert((await new Deno.Command("mkfifo", { args: [pipe] }).output()).success);
    const reader = new Deno.Command("cat", { args: [pipe], stdout: "piped" }).spawn();
    try {
      await replaceFile(pipe, "the report\n");
      assert(Deno.lstatSync(pipe).isFifo);
      assertEquals(await reader.stdout.text(), "the report\n");
    } finally {
      try {
        reader.kill("SIGKILL");
      } catch {
        // It has read to the end.
      }
      await reader.status;
      await reader.stdout.cancel().catch(() => {});
      await Deno.remove(dir, { recursive: true });
    }
  },
});
