/**
 * How sessions end: with the server's status, within the grace times, with
 * nothing lost that was written and nothing left running.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { gone, ManualHost } from "../util/manual_host.ts";
import type { Step } from "../util/scripted_server.ts";

const CALL = '{"id":1,"method":"tools/call"}\n';
const ANSWER = '{"id":1,"result":{}}\n';
const SERVE: readonly Step[] = [{ lines: 1 }, { say: ANSWER }, { eof: true }];
const STAY: readonly Step[] = [{ lines: 1 }, { say: ANSWER }, { sleepMs: 60_000 }];

const STATUSES: readonly (readonly [string, readonly Step[], number])[] = [
  ["exits with 0", [{ lines: 1 }, { exit: 0 }], 0],
  ["exits with 3 in a request", [{ lines: 1 }, { exit: 3 }], 3],
  ["is killed in a request", [{ lines: 1 }, { killSelf: "SIGKILL" }], 137],
  ["ends itself with SIGTERM", [{ lines: 1 }, { killSelf: "SIGTERM" }], 143],
];
for (const [what, plan, code] of STATUSES) {
  Deno.test(`hoist-mcp exits with ${code} when the server ${what}`, async () => {
    await using host = await ManualHost.start({ plan, record: true });
    await host.send(CALL);
    assertEquals(await host.exit(), code);
    assertEquals((await host.log()).length, 2);
  });
}

Deno.test("hoist-mcp exits with 128 + n also for a signal that has no name", async () => {
  await using host = await ManualHost.start({ server: ["sh", "-c", "kill -34 $$; sleep 9"] });
  assertEquals(await host.exit(), 162);
});

Deno.test("hoist-mcp shows no credential and no control character of a command it cannot start", async () => {
  await using host = await ManualHost.start({ server: ["GITHUB_TOKEN=hidden\n\x1b[31m", "npx"] });
  assertEquals(await host.exit(), 125);
  const said = await host.stderr();
  assertEquals([said.includes("hidden"), said.includes("\x1b"), said.split("\n").length], [
    false,
    false,
    2,
  ]);
});

Deno.test("hoist-mcp hands on the end of a server that exits before it reads, and starts it once (R23, P01)", async () => {
  await using host = await ManualHost.start({ plan: [{ exit: 7 }] });
  assertEquals(await host.exit(), 7);
  assertEquals(await host.file("starts"), "x");
  await using next = await ManualHost.start({ plan: SERVE });
  await next.send(CALL);
  await next.lines(1);
  await next.close();
  assertEquals(await next.exit(), 0);
});

Deno.test("hoist-mcp forwards all of 5 MB that a server wrote before it exited", async () => {
  const line = "z".repeat(124) + "\n";
  await using host = await ManualHost.start({
    plan: [{ lines: 1 }, { say: line.repeat(100), times: 400 }, { exit: 4 }],
    record: true,
  });
  await host.send(CALL);
  assertEquals(await host.exit(), 4);
  assertEquals(host.received().length, 5_000_000);
  assertEquals((await host.log()).length, 40_002);
});

Deno.test("hoist-mcp forwards the answer that comes after the host has closed", async () => {
  await using host = await ManualHost.start({
    plan: [{ eof: true }, { sleepMs: 400 }, { say: ANSWER }],
  });
  await host.send(CALL);
  await host.close();
  assertEquals(await host.exit(), 0);
  assertEquals(host.text(), ANSWER);
});

Deno.test("hoist-mcp ends with a host that closes at once", async () => {
  await using host = await ManualHost.start({ plan: [{ eof: true }] });
  await host.close();
  assertEquals(await host.exit(), 0);
  await host.file("eof");
});

Deno.test("hoist-mcp sends SIGTERM to a server that ignores the host's end (R09)", async () => {
  await using host = await ManualHost.start({ plan: STAY, flags: ["--exit-grace", "0.5"] });
  await host.send(CALL);
  await host.lines(1);
  await host.close();
  assertEquals(await host.exit(), 143);
  assertStringIncludes(
    await host.stderr(),
    "hoist-mcp: the server goes on after the end of the session",
  );
  await gone(Number(await host.file("pid")));
});

Deno.test("hoist-mcp sends SIGKILL to a server that ignores SIGTERM too (R09)", async () => {
  await using host = await ManualHost.start({
    plan: [{ ignore: ["SIGTERM"] }, ...STAY],
    flags: ["--exit-grace", "0.5"],
  });
  await host.send(CALL);
  await host.lines(1);
  await host.close();
  assertEquals(await host.exit(), 137);
  assertEquals(await host.file("signals"), "SIGTERM\n");
  await gone(Number(await host.file("pid")));
});

Deno.test("hoist-mcp waits for a server that still speaks after the host has closed", async () => {
  const words: Step[] = Array.from({ length: 12 }, () => [{ say: ANSWER }, { sleepMs: 200 }])
    .flat();
  await using host = await ManualHost.start({
    plan: [{ say: ANSWER }, { eof: true }, ...words],
    flags: ["--exit-grace", "2"],
  });
  await host.lines(1);
  await host.close();
  assertEquals(await host.exit(), 0);
  assertEquals(host.text(), ANSWER.repeat(13));
});

Deno.test("hoist-mcp does not wait for a grandchild that keeps the output open (R09)", async () => {
  await using host = await ManualHost.start({
    plan: [{ grandchildMs: 61_234, holds: true }, { lines: 1 }, { say: ANSWER }, { exit: 5 }],
  });
  await host.send(CALL);
  assertEquals(await host.exitUnread(), 5);
  assertEquals(await host.exit(), 5);
  assertEquals(host.text(), ANSWER);
  await noProcess("sleep\0" + "61.234\0");
});

Deno.test("hoist-mcp takes a grandchild with it that holds nothing", async () => {
  await using host = await ManualHost.start({
    plan: [{ grandchildMs: 61_235, holds: false }, ...SERVE],
  });
  await host.send(CALL);
  await host.lines(1);
  await host.close();
  assertEquals(await host.exit(), 0);
  await noProcess("sleep\0" + "61.235\0");
});

/** Waits until no process has this command line. */
async function noProcess(commandLine: string): Promise<void> {
  for (const entry of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(entry.name)) continue;
    const text = await Deno.readTextFile(`/proc/${entry.name}/cmdline`).catch(() => "");
    if (text === commandLine) await gone(Number(entry.name));
  }
}

const WRAPPERS: readonly (readonly [string, (server: readonly string[]) => string[]])[] = [
  // A shell gives what it starts with & an empty input; servers started so undo that.
  ["sh -c '… & wait'", (server) => ["sh", "-c", 'exec 3<&0; "$@" <&3 & wait', "sh", ...server]],
  ["sh in sh", (server) => ["sh", "-c", 'sh -c \'"$@"; exit 9\' sh "$@"; exit 9', "sh", ...server]],
  ["npx", (server) => ["npx", "-c", server.map((w) => `'${w}'`).join(" ")]],
];
const ENDS: readonly (readonly [string, (host: ManualHost) => Promise<void> | void])[] = [
  ["the host closes", (host) => host.close()],
  ["SIGTERM comes", (host) => host.kill("SIGTERM")],
  ["the proxy is killed", (host) => host.kill("SIGKILL")],
];
for (const [wrapper, wrap] of WRAPPERS) {
  for (const [end, act] of ENDS) {
    Deno.test(`hoist-mcp leaves no server behind ${wrapper} when ${end} (R08)`, async () => {
      // The server ignores EOF and SIGTERM: only the group's end ends it.
      await using host = await ManualHost.start({
        plan: [{ ignore: ["SIGTERM"] }, ...STAY],
        wrap,
        flags: ["--exit-grace", "0.5"],
      });
      await host.send(CALL);
      await host.lines(1);
      const pid = Number(await host.file("pid"));
      await act(host);
      await host.exit();
      await gone(pid);
    });
  }
}

for (const [signal, code] of [["SIGTERM", 143], ["SIGINT", 130], ["SIGHUP", 129]] as const) {
  Deno.test(`hoist-mcp hands ${signal} on to the server and exits as it does`, async () => {
    await using host = await ManualHost.start({ plan: STAY, record: true });
    await host.send(CALL);
    await host.lines(1);
    host.kill(signal);
    assertEquals(await host.exit(), code);
    await gone(Number(await host.file("pid")));
    assertEquals((await host.log()).length, 3);
  });
}

Deno.test("hoist-mcp exits with the status of a server that handles the signal", async () => {
  await using host = await ManualHost.start({
    plan: [{ ignore: ["SIGTERM"] }, { lines: 1 }, { say: ANSWER }, { eof: true }, { exit: 6 }],
  });
  await host.send(CALL);
  await host.lines(1);
  host.kill("SIGTERM"); // The server's input is closed with it.
  assertEquals(await host.exit(), 6);
});

Deno.test("hoist-mcp sends SIGKILL 1.5 s after a signal that the server ignores", async () => {
  await using host = await ManualHost.start({ plan: [{ ignore: ["SIGTERM"] }, ...STAY] });
  await host.send(CALL);
  await host.lines(1);
  host.kill("SIGTERM");
  assertEquals(await host.exit(), 137);
});

Deno.test("hoist-mcp ends with a host that is killed, also when the server speaks on (R10)", async () => {
  const chatter: Step[] = Array.from({ length: 3_000 }, () => [{ say: ANSWER }, { sleepMs: 20 }])
    .flat();
  await using host = await ManualHost.start({ plan: chatter });
  await host.lines(1);
  await host.stopReading();
  await host.close();
  assertEquals(await host.exitUnread(), 143);
  await gone(Number(await host.file("pid")));
});

// `--commit` makes a session that is acted on, line by line.
for (const flags of [[], ["--commit"]]) {
  Deno.test(`hoist-mcp ${flags} records what a server says to a host that reads no more`, async () => {
    const said = "x".repeat(99) + "\n";
    await using host = await ManualHost.start({
      plan: [{ say: said }, { lines: 1 }, { say: said, times: 3_000 }, { lines: 2 }, { exit: 0 }],
      flags,
      record: true,
    });
    await host.lines(1);
    await host.stopReading();
    await host.send(CALL, CALL);
    assertEquals(await host.exitUnread(), 0);
    assertEquals((await host.log()).length, 1 + 3_001 + 2);
  });
}

Deno.test("hoist-mcp ends the session of a server that closes its output, with its status", async () => {
  const server = ["sh", "-c", "echo last; exec 1>&-; read -r line; exit 8"];
  await using host = await ManualHost.start({ server });
  assertEquals(await host.exit(), 8);
  assertEquals(host.text(), "last\n");
});

for (const flags of [[], ["--commit"]]) {
  Deno.test(`hoist-mcp ${flags} reads on when the server reads no more, and still sees the host close`, async () => {
    const server = ["sh", "-c", "read -r line; exec 0<&-; echo closed; exec sleep 61.236"];
    await using host = await ManualHost.start({
      server,
      flags: ["--exit-grace", "0.3", ...flags],
      record: true,
    });
    await host.send(CALL);
    await host.lines(1);
    for (let i = 0; i < 50; i++) await host.send(CALL.repeat(100));
    await host.close();
    assertEquals(await host.exit(), 143);
    assertEquals((await host.log()).length, 1 + 1 + 1 + 5_000);
  });
}

Deno.test("hoist-mcp tells a whole command line in one word from a command that is not there", async () => {
  await using host = await ManualHost.start({ server: ["no-such-server --stdio"] });
  await host.close();
  assertEquals(await host.exit(), 125);
  assertEquals(
    await host.stderr(),
    'hoist-mcp: cannot start "no-such-server --stdio": no such command; its arguments have to be ' +
      "words of their own\n",
  );
});

Deno.test("hoist-mcp exits with 125, a message and no log when the server cannot be started", async () => {
  await using host = await ManualHost.start({ server: ["/nonexistent/server"], record: true });
  await host.close();
  assertEquals(await host.exit(), 125);
  assertEquals(
    await host.stderr(),
    'hoist-mcp: cannot start "/nonexistent/server": no such command\n',
  );
  assertEquals(host.text(), "");
  assertEquals([...Deno.readDirSync(`${host.dir}/log`)], []);
});

Deno.test("hoist-mcp exits with 125 and starts nothing when the log cannot be created", async () => {
  await using host = await ManualHost.start({ plan: SERVE, flags: ["--record", "/dev/null/logs"] });
  assertEquals(await host.exit(), 125);
  assertStringIncludes(await host.stderr(), 'hoist-mcp: --record "/dev/null/logs": ');
  assertEquals([...Deno.readDirSync(host.dir)].map((e) => e.name), ["plan.json"]);
});
