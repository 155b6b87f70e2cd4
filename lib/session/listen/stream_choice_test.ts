import { assertEquals } from "@std/assert";
import { readMessage } from "../../wire/message.ts";
import { progressTokens, streamFor } from "./stream_choice.ts";

const message = (method: string, params = {}) =>
  readMessage(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", method, params })));
const request = (name: string, tokens: readonly string[] = [], canStream = true) => ({
  name,
  tokens,
  reply: { canStream },
});
const LOG = message("notifications/message");
const CHANGED = message("notifications/tools/list_changed");
const progress = (progressToken: unknown) => message("notifications/progress", { progressToken });

/** A message, the waiting requests, whether a GET stream is open, and the stream it goes to. */
const ROWS: readonly (readonly [
  string,
  ReturnType<typeof message>,
  readonly ReturnType<typeof request>[],
  boolean,
  string,
])[] = [
  ["progress goes by its token", progress("a"), [request("1", ['"a"']), request("2")], true, "1"],
  ["a token's type counts", progress(1), [request("1", ['"1"']), request("2", ["1"])], true, "2"],
  [
    "a request with a token may accept no stream",
    progress(1),
    [request("1", ["1"], false)],
    true,
    "1",
  ],
  ["progress without its request goes with the only one", progress("x"), [request("1")], true, "1"],
  ["progress without a token", message("notifications/progress"), [], false, "queue"],
  ["a log message goes with the only request", LOG, [request("1")], true, "1"],
  ["of two requests neither is meant", LOG, [request("1"), request("2")], true, "get"],
  [
    "one that accepts no stream does not count",
    LOG,
    [request("1"), request("2", [], false)],
    true,
    "1",
  ],
  ["a server's request goes with the only one", message("roots/list"), [request("1")], true, "1"],
  ["a list change goes to the GET stream", CHANGED, [request("1")], true, "get"],
  ["without a GET stream to the newest request", CHANGED, [request("1"), request("2")], false, "2"],
  ["without any stream it waits", CHANGED, [request("1", [], false)], false, "queue"],
  [
    "the end of an elicitation belongs to a request",
    message("notifications/elicitation/complete"),
    [
      request("1"),
    ],
    true,
    "1",
  ],
];

for (const [name, sent, waiting, hasGet, expected] of ROWS) {
  Deno.test(`streamFor(): ${name}`, () => {
    const choice = streamFor(sent, waiting, hasGet);
    assertEquals(choice.kind === "request" ? choice.waiting.name : choice.kind, expected);
  });
}

Deno.test("progressTokens() reads each message's token with its type", () => {
  const asking = (progressToken: unknown) => message("m", { _meta: { progressToken } });
  assertEquals(progressTokens([asking("a"), message("m"), asking(1)]), ['"a"', "1"]);
});
