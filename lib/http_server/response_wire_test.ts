import { assertEquals } from "@std/assert";
import { ResponseWire } from "./response_wire.ts";

const line = new TextEncoder().encode('{"id":1}');

Deno.test("ResponseWire makes a response of a whole reply", async () => {
  const wire = new ResponseWire();
  wire.whole({ status: 404, headers: { "x-own": "1" }, body: line });
  const response = await wire.response;
  assertEquals([response.status, response.headers.get("x-own"), await response.text()], [
    404,
    "1",
    '{"id":1}',
  ]);
});

Deno.test("ResponseWire streams what is written, up to its end", async () => {
  const wire = new ResponseWire();
  const sink = wire.events({ "content-type": "text/event-stream" });
  const response = await wire.response;
  sink.write(line);
  sink.write(line);
  sink.close();
  assertEquals(await response.text(), '{"id":1}{"id":1}');
});

Deno.test("ResponseWire says when a stream is full, when it is read, and when its host leaves", async () => {
  const wire = new ResponseWire();
  const heard: string[] = [];
  wire.listen({ left: () => heard.push("left"), emptied: () => heard.push("emptied") });
  const sink = wire.events({});
  const reader = (await wire.response).body?.getReader();
  assertEquals(sink.isFull, false);
  sink.write(new Uint8Array(1_048_576));
  assertEquals(sink.isFull, true);
  heard.length = 0;
  await reader?.read();
  assertEquals([sink.isFull, heard.includes("emptied")], [false, true]);
  await reader?.cancel();
  assertEquals(heard.at(-1), "left");
});

Deno.test("ResponseWire reports a host that leaves before the answer", async () => {
  const abort = new AbortController();
  const wire = new ResponseWire(abort.signal);
  let hasLeft = false;
  wire.listen({ left: () => void (hasLeft = true), emptied() {} });
  abort.abort();
  assertEquals([hasLeft, (await wire.response).status], [true, 499]);
});
