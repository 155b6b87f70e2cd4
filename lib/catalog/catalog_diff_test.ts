import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { answer, call, scriptLog } from "../../tests/util/script_log.ts";
import type { JsonObject } from "../json/json.ts";
import { traceOf } from "../trace/trace.ts";
import { type Catalog, catalogOf, readCatalog } from "./catalog.ts";
import { diffCatalogs } from "./catalog_diff.ts";
import { RecordedUse } from "./recorded_use.ts";

const GET = {
  name: "get",
  description: "Gets a parcel.",
  inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  annotations: { readOnlyHint: true },
};
const PUT = {
  name: "put",
  inputSchema: { type: "object", properties: { id: { type: "string" }, note: {} } },
};

function catalog(...tools: readonly JsonObject[]): Catalog {
  const found = readCatalog(tools);
  assert(found !== undefined);
  return found;
}

/** A session that calls get twice and put once. */
function use(): RecordedUse {
  const made = new RecordedUse();
  const log = scriptLog([
    [0, "client", call(1, "get", { id: "a" })],
    [1, "server", answer(1, "x")],
    [2, "client", call(2, "get", { id: "b" })],
    [3, "client", call(3, "put", { id: "a", note: "n" })],
  ]);
  made.add(traceOf(log), "s");
  return made;
}

const FLOW = { name: "f.json", tools: new Set(["get", "put"]), contracts: { get: "id:string!" } };

function diff(before: Catalog, after: Catalog, flows = [FLOW]): string[] {
  return diffCatalogs(before, after, { use: use(), flows }).map((change) =>
    `${change.effect}: ${change.tool} ${change.part} ${change.what} [${change.calls}, ${change.broken}]`
  );
}

Deno.test("diffCatalogs() finds nothing between equal lists", () => {
  assertEquals(diff(catalog(GET, PUT), catalog(PUT, GET)), []);
});

Deno.test("diffCatalogs() ranks by effect, then by recorded calls", () => {
  const after = catalog(
    { ...GET, annotations: { destructiveHint: true }, description: "Gets." },
    {
      ...PUT,
      inputSchema: { ...PUT.inputSchema, required: ["why"], properties: { id: {}, why: {} } },
    },
    { name: "new" },
  );
  assertEquals(diff(catalog(GET, PUT), after, []), [
    "write: get annotations readOnlyHint was true, is absent; destructiveHint was absent, is true [2, 0]",
    "call: put input widened: id type also takes others; narrowed: note is gone; narrowed: why is new and required [1, 1]",
    "harmless: get description description changed [2, 0]",
    "harmless: new added is new [0, 0]",
  ]);
});

Deno.test("diffCatalogs() says that a flow breaks when its lookup takes other arguments", () => {
  const input = { type: "object", properties: { id: { type: "string" }, full: {} } };
  const [change, ...others] = diffCatalogs(
    catalog(GET),
    catalog({ ...GET, inputSchema: input }),
    { use: use(), flows: [FLOW] },
  );
  assertEquals([change?.effect, change?.flows, others], ["flow", ["f.json"], []]);
});

Deno.test("diffCatalogs() tells a renamed tool from one that is gone", () => {
  assertEquals(diff(catalog(GET, PUT), catalog({ ...GET, name: "GET" }, PUT), []), [
    "call: get renamed is named GET [2, 2]",
  ]);
  assertEquals(diff(catalog(GET, PUT), catalog({ ...GET, name: "fetch" }), []), [
    "call: get renamed is named fetch [2, 2]",
    "call: put gone is gone [1, 1]",
  ]);
});

Deno.test("diffCatalogs() takes a narrower field that no recorded call uses as harmless", () => {
  const narrower = {
    ...GET,
    inputSchema: { ...GET.inputSchema, properties: { id: { type: "string", maxLength: 5 } } },
  };
  assertEquals(diff(catalog(GET), catalog(narrower), []), [
    "harmless: get input narrowed: id maxLength was none, is 5 [2, 0]",
  ]);
});

Deno.test("diffCatalogs() counts every call as broken when a schema cannot be applied", () => {
  const odd = { ...GET, inputSchema: { ...GET.inputSchema, not: { required: ["x"] } } };
  assertEquals(diff(catalog(GET), catalog(odd), []), [
    "call: get input narrowed: not is new (the schema cannot be applied to calls) [2, 2]",
  ]);
});

Deno.test("diffCatalogs() finds every changed member of a tool's entry", () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const entry = fc.dictionary(fc.string(), value);
  fc.assert(fc.property(entry, fc.string(), value, value, (tool, key, a, b) => {
    fc.pre(!["__proto__", "name", "annotations", "inputSchema", "outputSchema"].includes(key));
    fc.pre(JSON.stringify(a) !== JSON.stringify(b) && a !== null && b !== null);
    const [before, after] = [{ ...tool, [key]: a, name: "t" }, { ...tool, [key]: b, name: "t" }];
    const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
    assertEquals(diff(catalog(before), catalog(after)).length, same ? 0 : 1);
  }));
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1).map(([k, v]) => [k, sorted(v)]),
  );
}

Deno.test("readCatalog() takes a list, a result and a response, and nothing else", () => {
  for (
    const json of [[GET], { tools: [GET] }, { jsonrpc: "2.0", id: 1, result: { tools: [GET] } }]
  ) {
    assertEquals(readCatalog(json)?.get("get"), GET);
  }
  for (const json of [null, {}, "x", { tools: {} }, [{ title: "no name" }], [1]]) {
    assertEquals(readCatalog(json), undefined);
  }
});

Deno.test("catalogOf() takes the last listing of each tool, and not the tool of --commit", () => {
  const list = (id: number, ...tools: readonly JsonObject[]) =>
    [
      [id, "client", { jsonrpc: "2.0", id, method: "tools/list" }],
      [id, "server", { jsonrpc: "2.0", id, result: { tools } }],
    ] as const;
  const log = scriptLog([
    ...list(1, GET, { name: "hoist_commit" }),
    ...list(2, { ...GET, description: "now" }),
  ]);
  assertEquals([...catalogOf(traceOf(log)).values()], [{ ...GET, description: "now" }]);
});
