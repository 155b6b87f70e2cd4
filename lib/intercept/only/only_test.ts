import { assertEquals } from "@std/assert";
import { ChainRig } from "../../../tests/util/chain_rig.ts";
import { COMMIT_TOOL } from "../../trace/calls.ts";
import { commitInterceptor } from "../commit/commit.ts";
import { onlyInterceptor } from "./only.ts";

function rig(...globs: string[]): ChainRig {
  return new ChainRig(null, { only: () => onlyInterceptor(globs), commit: commitInterceptor });
}

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

/** The names in the last list that went to the host. */
function names(session: ChainRig): string[] {
  const { result } = JSON.parse(session.host.at(-1) ?? "null");
  return result.tools.map(({ name }: { name: string }) => name);
}

Deno.test("onlyInterceptor() cuts the list and leaves the rest of its bytes", () => {
  const session = rig("get_*", "put?");
  session.fromHost(LIST);
  session.fromServer(
    '{"jsonrpc":"2.0", "id":1,"result":{"tools":[{"name":"get_a" ,"n":1.0},{"name":"set"},{"name":"puts"}],"x":1e2}}',
  );
  assertEquals(names(session), ["get_a", "puts", COMMIT_TOOL]);
  assertEquals(
    session.host[0]?.startsWith(
      '{"jsonrpc":"2.0", "id":1,"result":{"tools":[{"name":"get_a" ,"n":1.0},',
    ),
    true,
  );
  assertEquals(session.host[0]?.endsWith(',"x":1e2}}'), true);
});

Deno.test("onlyInterceptor() refuses calls of other tools, also those of a commit", async () => {
  const session = rig("get_*");
  session.call(1, "set");
  assertEquals(session.server, []);
  assertEquals(session.texts(), [
    'Refused: "set" is not among the tools that --tools lets through.',
  ]);
  session.call(2, COMMIT_TOOL, { calls: [{ name: "set", arguments: {} }] });
  await session.tick(0);
  assertEquals(session.own, []);
  session.call(3, "get_a");
  assertEquals(session.server.length, 1);
});

Deno.test("onlyInterceptor() gives an error in place of a list that hosts read in two ways", () => {
  const session = rig("get_*");
  session.fromHost(LIST);
  session.fromServer('{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"get_a","name":"set"}]}}');
  assertEquals(JSON.parse(session.host[0] ?? "").error.code, -32603);
});
