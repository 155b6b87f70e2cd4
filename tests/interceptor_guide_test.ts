/** docs/writing_an_interceptor.md shows code that runs. */

import { assert, assertEquals } from "@std/assert";
import { ChainRig } from "./util/chain_rig.ts";
import { ROOT } from "./util/executables.ts";
import { counting, idle, limit } from "./util/guide_interceptors.ts";

Deno.test("docs/writing_an_interceptor.md shows the interceptors that are tested here", async () => {
  const page = await Deno.readTextFile(`${ROOT}/docs/writing_an_interceptor.md`);
  const source = await Deno.readTextFile(`${ROOT}/tests/util/guide_interceptors.ts`);
  const parts = source.split(/^\/\/ -- \w+\n/m).slice(1).map((part) => part.trim());
  assertEquals(parts.length, 3);
  for (const part of parts) assert(page.includes(part), part);
});

Deno.test("docs/writing_an_interceptor.md shows the interceptor of the example that relayStreams runs", async () => {
  const page = await Deno.readTextFile(`${ROOT}/docs/writing_an_interceptor.md`);
  const source = await Deno.readTextFile(`${ROOT}/lib/relay/relay_streams.ts`);
  const [shown] = /^const noDeletes[^]*?^}\);$/m.exec(page) ?? [];
  assert(shown !== undefined);
  assert(source.replace(/^ \* ?/gm, "").includes(shown), shown);
});

Deno.test("idle passes every line", () => {
  const rig = new ChainRig(null, { guard: idle });
  rig.fromHost("hello", '{"id":1,"method":"tools/call","params":{"name":"a"}}');
  rig.fromServer('{"id":1,"result":{"content":[]}}');
  assertEquals([rig.server.length, rig.host.length], [2, 1]);
});

Deno.test("counting counts calls and failures", async () => {
  const rig = new ChainRig(null, { guard: counting });
  rig.call(1, "get_parcel");
  rig.answer(1, "no", { isError: true });
  rig.call(2, "get_parcel");
  rig.answer(2, "yes");
  await rig.session.close();
  assertEquals(rig.said, ["2 calls, 1 failed"]);
});

Deno.test("limit refuses what is over it", () => {
  const rig = new ChainRig(null, { guard: limit("hold_parcel", 1) });
  rig.call(1, "hold_parcel");
  rig.call(2, "get_parcel");
  rig.call(3, "hold_parcel");
  assertEquals(rig.server.map((line) => JSON.parse(line).id), [1, 2]);
  assertEquals(rig.texts(), ["Refused: hold_parcel was called 1 times, which is the limit."]);
});
