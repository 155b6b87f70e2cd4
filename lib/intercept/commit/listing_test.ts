import { assertEquals, assertStringIncludes } from "@std/assert";
import { Chain } from "../chain/chain.ts";
import { COMMIT, commitInterceptor } from "./commit.ts";

const encoder = new TextEncoder();

/** A session with the commit tool; what each side was sent. */
function session() {
  const toHost: string[] = [];
  const toServer: string[] = [];
  const text = (line: Uint8Array) => new TextDecoder().decode(line);
  const active = new Chain({
    toHost: (line) => toHost.push(text(line)),
    toServer: (line) => toServer.push(text(line)),
    log: undefined,
    monotonicMs: () => 0,
    later: () => () => {},
    say: () => {},
  }, [commitInterceptor]);
  return {
    toHost,
    toServer,
    /** Asks and answers; what the host gets. */
    exchange(request: string, response: string): string {
      active.fromHost(encoder.encode(request));
      active.fromServer(encoder.encode(response));
      return toHost.at(-1) ?? "";
    },
  };
}

function page(id: number, cursor: string | undefined, tools: string, next: string) {
  const params = cursor === undefined ? "" : `,"params":{"cursor":"${cursor}"}`;
  return [
    `{"jsonrpc":"2.0","id":${id},"method":"tools/list"${params}}`,
    `{"jsonrpc": "2.0", "id": ${id}, "result": {"tools": [${tools}]${next}, "ttlMs": 1}}`,
  ] as const;
}

Deno.test("hoist_commit stands once in a list that a host pages, at the end of its first page", () => {
  const { exchange } = session();
  const next = ', "nextCursor": "2"';
  const first = exchange(...page(1, undefined, '{"name": "a",  "x": 1.0}', next));
  assertEquals(
    first,
    `{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a",  "x": 1.0},${COMMIT.listing}], "nextCursor": "2", "ttlMs": 1}}`,
  );
  const [, second] = page(2, "2", '{"name":"b"}', "");
  assertEquals(exchange(...page(2, "2", '{"name":"b"}', "")), second);
  assertStringIncludes(
    exchange(...page(3, undefined, "", next)),
    `"tools": [${COMMIT.listing}]`,
  );
});

Deno.test("the sentence about hoist_commit follows the server's instructions, in both eras", () => {
  const { exchange } = session();
  const quoted = JSON.stringify(COMMIT.instruction).slice(1, -1);
  for (const method of ["initialize", "server/discover"]) {
    const ask = (result: string) =>
      exchange(
        `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{}}`,
        `{"jsonrpc":"2.0","id":1,"result":${result}}`,
      );
    assertEquals(
      ask('{"instructions":"Be \\u00fcp.", "n": 1.0}'),
      `{"jsonrpc":"2.0","id":1,"result":{"instructions":"Be \\u00fcp.\\n\\n${quoted}", "n": 1.0}}`,
    );
    assertEquals(
      ask("{}"),
      `{"jsonrpc":"2.0","id":1,"result":{"instructions":"${quoted}"}}`,
    );
  }
});

Deno.test("nothing is added to a refusal", () => {
  const { exchange } = session();
  const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}';
  for (const method of ["initialize", "server/discover", "tools/list"]) {
    assertEquals(exchange(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`, error), error);
  }
});

Deno.test("hoist_commit is not listed twice where the server is a proxy that has it", () => {
  const { exchange } = session();
  const asked = page(1, undefined, `{"name":"a"},7,{"name":"hoist\\u005fcommit"}`, "");
  assertEquals(exchange(...asked), asked[1]);
});
