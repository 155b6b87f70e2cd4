import { assertEquals } from "@std/assert";
import {
  accepts,
  type Admission,
  admit,
  isJsonType,
  loopback,
  statusOfError,
  versionFault,
} from "./http_rules.ts";

const LOOPBACK = loopback(["127.0.0.1"], 8931);
const TOKEN = { kind: "token", token: "0123456789abcdef" } as const;

function status(headers: Record<string, string>, who: Admission = LOOPBACK) {
  return admit((name) => headers[name.toLowerCase()], who)?.status;
}

const HOSTS: readonly (readonly [string | undefined, number | undefined])[] = [
  ["127.0.0.1:8931", undefined],
  ["localhost:8931", undefined],
  ["LOCALHOST:8931", undefined],
  [undefined, 403],
  ["", 403],
  ["127.0.0.1", 403],
  ["127.0.0.1:8932", 403],
  ["127.0.0.2:8931", 403],
  ["[::1]:8931", 403],
  ["localhost.:8931", 403],
  ["localhost.evil.example:8931", 403],
  ["evil.example:8931", 403],
  ["user@127.0.0.1:8931", 403],
  ["127.0.0.1:8931@evil.example", 403],
  ["127.0.0.1:08931", 403],
];

for (const [host, expected] of HOSTS) {
  Deno.test(`admit() says ${expected} to Host ${host}`, () => {
    assertEquals(status(host === undefined ? {} : { host }), expected);
  });
}

const ORIGINS: readonly (readonly [string, number | undefined])[] = [
  ["http://127.0.0.1:8931", undefined],
  ["HTTP://LocalHost:8931", undefined],
  ["http://evil.example", 403],
  ["null", 403],
  ["", 403],
  ["http://localhost", 403],
  ["http://localhost:3000", 403],
  ["https://localhost:8931", 403],
  ["http://localhost.:8931", 403],
  ["http://[::1]:8931", 403],
  ["http://user@localhost:8931", 403],
  ["http://localhost:8931/", 403],
  ["file://", 403],
];

for (const [origin, expected] of ORIGINS) {
  Deno.test(`admit() says ${expected} to Origin "${origin}" (S2)`, () => {
    assertEquals(status({ host: "127.0.0.1:8931", origin }), expected);
  });
}

Deno.test("admit() knows an IPv6 listener by its name in brackets", () => {
  const six = loopback(["::1"], 80);
  const of = (host: string) => admit((name) => name === "host" ? host : undefined, six)?.status;
  assertEquals([of("[::1]:80"), of("[::1]"), of("::1"), of("[::1]:81")], [
    undefined,
    undefined,
    403,
    403,
  ]);
});

Deno.test("admit() knows a listener by the address its name stands for", () => {
  const named = loopback(["LocalHost", "127.0.0.1"], 8931);
  const hosts = ["localhost:8931", "127.0.0.1:8931", "[::1]:8931"];
  assertEquals(hosts.map((host) => status({ host }, named)), [undefined, undefined, 403]);
  assertEquals(status({ host: hosts[0] ?? "", origin: "http://127.0.0.1:8931" }, named), undefined);
});

const TOKENS: readonly (readonly [string | undefined, number | undefined])[] = [
  ["Bearer 0123456789abcdef", undefined],
  ["bearer  0123456789abcdef ", undefined],
  [undefined, 401],
  ["", 401],
  ["Bearer", 401],
  ["Bearer ", 401],
  ["Basic 0123456789abcdef", 401],
  ["0123456789abcdef", 401],
  ["Bearer 0123456789abcde", 401],
  ["Bearer 0123456789abcdef0", 401],
  ["Bearer 0123456789abcdefx0123456789abcdef", 401],
  ["Bearer 0123456789abcdeg", 401],
  ["Bearer 0123456789ABCDEF", 401],
];

for (const [authorization, expected] of TOKENS) {
  Deno.test(`admit() says ${expected} to Authorization "${authorization}"`, () => {
    assertEquals(status(authorization === undefined ? {} : { authorization }, TOKEN), expected);
  });
}

Deno.test("admit() lets the token decide about other names and sites", () => {
  const headers = {
    host: "box.lan:1",
    origin: "http://x",
    authorization: "Bearer 0123456789abcdef",
  };
  assertEquals(status(headers, TOKEN), undefined);
});

Deno.test("accepts() reads what a host takes (S5)", () => {
  const read = (header?: string) => Object.values(accepts(header));
  assertEquals(read(), [true, true]);
  assertEquals(read("*/*"), [true, true]);
  assertEquals(read("application/json, text/event-stream"), [true, true]);
  assertEquals(read("Application/JSON;q=0.9"), [true, false]);
  assertEquals(read("text/event-stream"), [false, true]);
  assertEquals(read("text/html"), [false, false]);
});

Deno.test("isJsonType() takes JSON alone", () => {
  const types = ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"];
  assertEquals(types.map(isJsonType), [true, true, true]);
  const others = [undefined, "", "text/plain", "application/jsonx", "application/json-seq"];
  assertEquals(others.map(isJsonType), [false, false, false, false, false]);
});

Deno.test("versionFault() takes known revisions, the agreed one, and none (S12)", () => {
  const status = (v: string | undefined, agreed?: string) => versionFault(v, agreed)?.status;
  assertEquals(status(undefined), undefined);
  assertEquals(status("2025-03-26", "2025-11-25"), undefined);
  assertEquals(status("2024-10-07", "2024-10-07"), undefined);
  assertEquals(status("1999-01-01", "2025-11-25"), 400);
  assertEquals(status("", "2025-11-25"), 400);
});

Deno.test("statusOfError() maps what the protocol reports, and leaves a handler's error at 200 (S19)", () => {
  const codes = [-32601, -32700, -32600, -32020, -32021, -32022, -32602, -32603, 1];
  assertEquals(codes.map(statusOfError), [404, 400, 400, 400, 400, 400, 200, 200, 200]);
});
