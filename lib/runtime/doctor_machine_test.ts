import { assertEquals } from "@std/assert";
import { denoRuntime } from "./deno_runtime.ts";
import { doctorMachine } from "./doctor_machine.ts";

const logFolder = (path: string) => doctorMachine(denoRuntime("hoist")).logFolder(path);

Deno.test("logFolder() of a folder that is not there is undefined where one can be made", async () => {
  const dir = await Deno.makeTempDir();
  assertEquals(await logFolder(`${dir}/a/b/logs`), undefined);
  assertEquals([...Deno.readDirSync(dir)], []);
  await Deno.remove(dir);
});

Deno.test("logFolder() of a folder that cannot be made cannot be written to", {
  permissions: { read: true, write: false },
}, async () => {
  const folder = await logFolder(`${Deno.cwd()}/no/such/logs`);
  assertEquals(folder, { mode: undefined, isWritable: false, logs: [] });
});
