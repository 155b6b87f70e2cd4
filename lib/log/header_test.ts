import { assertEquals } from "@std/assert";
import { headerLine, hostSession, sessionId } from "./header.ts";

Deno.test("sessionId() is the UTC start and the process id", () => {
  assertEquals(sessionId(1790198400123, 4242), "20260923T212000.123Z-4242");
});

Deno.test("headerLine() writes every field in the order of the format", () => {
  assertEquals(
    headerLine({
      startedUnixMs: 1790198400123,
      pid: 4242,
      serverCommand: ["npx", "-y", "some-mcp-server"],
      domain: "orders",
      hostSession: "host-4211",
      serverName: "tickets",
    }),
    '{"hoist_mcp_log":2,"session":"20260923T212000.123Z-4242","started_unix_ms":1790198400123,' +
      '"server_command":["npx","-y","some-mcp-server"],"domain":"orders","agent_model":null,' +
      '"host_session":"host-4211","server_name":"tickets"}',
  );
});

Deno.test("headerLine() leaves out a host session and a server name that are not known", () => {
  assertEquals(
    headerLine({ startedUnixMs: 0, pid: 1, serverCommand: [] }),
    '{"hoist_mcp_log":2,"session":"19700101T000000.000Z-1","started_unix_ms":0,' +
      '"server_command":[],"domain":null,"agent_model":null}',
  );
});

Deno.test("hostSession() prefers the name, then the parent's process id", () => {
  assertEquals(hostSession("s1", 7), "s1");
  assertEquals(hostSession(undefined, 7), "host-7");
  assertEquals(hostSession(undefined, undefined), undefined);
});
