import { assert, assertEquals } from "@std/assert";
import { readMessage } from "../wire/message.ts";
import { FanIn } from "./fan_in.ts";

const message = (text: string) => readMessage(new TextEncoder().encode(text));
const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

const META = '"io.modelcontextprotocol/logLevel":"info"';

function call(id: string, more = ""): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t"${more}}}`;
}

Deno.test("FanIn gives each of two hosts with one id and one token what is theirs", () => {
  const fan = new FanIn<string>();
  const a = fan.take(message(call("1", ',"_meta":{"progressToken":1}')), "a");
  const b = fan.take(message(call("1", ',"_meta":{ "progressToken" : "1" },"n":1e400')), "b");
  assertEquals(text(a.line), call("1", ',"_meta":{"progressToken":1}'));
  assertEquals(text(b.line), call("2", ',"_meta":{ "progressToken" : 2 },"n":1e400'));
  const progress = fan.route(
    message('{"method":"notifications/progress","params":{"progressToken":2,"progress":0}}'),
  );
  assertEquals([progress?.owner, text(progress?.line), progress?.isLast], [
    "b",
    '{"method":"notifications/progress","params":{"progressToken":"1","progress":0}}',
    false,
  ]);
  const answer = fan.route(message('{"result":{"n":9007199254740993},"id":2}'));
  assertEquals([answer?.owner, text(answer?.line), answer?.isLast], [
    "b",
    '{"result":{"n":9007199254740993},"id":1}',
    true,
  ]);
  assertEquals(fan.route(message('{"result":{},"id":2}')), undefined, "answered once");
  assertEquals(fan.size, 1);
  assert(fan.drop("1"));
  assertEquals(fan.route(message('{"result":{},"id":1}')), undefined, "given up");
});

Deno.test("FanIn keeps ids' type and text", () => {
  for (const id of ["0", '"0"', "9007199254740993", '""', '"a\\u0062"', "-1", "1.50"]) {
    const fan = new FanIn<string>();
    fan.take(message(call(id)), "a");
    const answer = fan.route(message('{"id":1,"error":{"code":-1,"message":"x"}}'));
    assertEquals(text(answer?.line), `{"id":${id},"error":{"code":-1,"message":"x"}}`);
  }
});

Deno.test("FanIn routes subscriptions by their id, in the form the server writes (S22)", () => {
  const fan = new FanIn<string>();
  fan.take(message(call('"listen-9"')), "a");
  const key = "io.modelcontextprotocol/subscriptionId";
  for (const form of ["1", '"1"']) {
    const note = fan.route(
      message(
        `{"method":"notifications/tools/list_changed","params":{"_meta":{"${key}":${form}}}}`,
      ),
    );
    assertEquals(
      text(note?.line),
      `{"method":"notifications/tools/list_changed","params":{"_meta":{"${key}":"listen-9"}}}`,
    );
  }
  const end = fan.route(message(`{"id":1,"result":{"_meta":{"${key}":1}}}`));
  assertEquals(text(end?.line), `{"id":"listen-9","result":{"_meta":{"${key}":"listen-9"}}}`);
});

Deno.test("FanIn gives a log message to the only request that asked for one", () => {
  const log = '{"method":"notifications/message","params":{"level":"info","data":"x"}}';
  const fan = new FanIn<string>();
  fan.take(message(call("1")), "a");
  assertEquals(fan.route(message(log)), undefined, "nobody asked");
  fan.take(message(call("1", `,"_meta":{${META}}`)), "b");
  assertEquals(fan.route(message(log))?.owner, "b");
  fan.take(message(call("1", `,"_meta":{${META}}`)), "c");
  assertEquals(fan.route(message(log)), undefined, "two asked");
});

Deno.test("FanIn hands on nothing that names no request, and no requests (S23)", () => {
  const fan = new FanIn<string>();
  fan.take(message(call("1")), "a");
  assertEquals(fan.route(message('{"method":"notifications/tools/list_changed"}')), undefined);
  assertEquals(fan.route(message('{"id":1,"method":"roots/list"}')), undefined);
  const cancelled = '{"method":"notifications/cancelled","params":{"requestId":1}}';
  assertEquals(fan.route(message(cancelled))?.isLast, true);
  assertEquals(fan.size, 0);
});
