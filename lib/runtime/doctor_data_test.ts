import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dataFault } from "./doctor_data.ts";

Deno.test("dataFault() reads logs, flows, locks and the console's index to their end", async () => {
  const dir = await Deno.makeTempDir({ prefix: "hoist-doctor-" });
  const shop = "testdata/sessions/v2/shop.jsonl";
  const fault = (kind: "log" | "flow" | "lock" | "index", path: string) =>
    dataFault({ kind, path });
  assertEquals(await fault("log", shop), undefined);
  assertEquals(await fault("flow", "testdata/flows/parcels.flow.json"), undefined);
  const cut = `${dir}/cut.jsonl`;
  await Deno.writeTextFile(cut, (await Deno.readTextFile(shop)).slice(0, -20));
  assertEquals((await fault("log", cut))?.isBroken, false);
  const broken = `${dir}/broken.jsonl`;
  await Deno.writeTextFile(
    broken,
    (await Deno.readTextFile(shop)).replace("\n", "\nno log line\n"),
  );
  const found = await fault("log", broken);
  assert(found?.isBroken);
  assertStringIncludes(found.says, "2");
  for (const kind of ["flow", "lock", "index"] as const) {
    assertEquals((await fault(kind, cut))?.isBroken, true, kind);
    assertEquals((await fault(kind, `${dir}/none`))?.isBroken, true, kind);
  }
  await Deno.remove(dir, { recursive: true });
});
