import { assertEquals, assertMatch } from "@std/assert";
import type { GatedUse, GateVerdict } from "../../ports/tool_gate.ts";
import { HaiHome } from "../../../tests/util/hai_home.ts";
import { ownerService } from "./owner_service.ts";
import { openToolGate } from "./tool_gate_shell.ts";

/** A session on a mission, and the gate that a proxy has of it. */
async function gated(
  hai: HaiHome,
  constraints: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) {
  const mission = await hai.open({
    constraints: { project_path: hai.project(), allowed_paths: ["src/"], ...constraints },
  });
  const session = await hai.authorize(mission.mission_id, more);
  const job = {
    home: hai.home,
    ownerHome: hai.ownerHome,
    server: "files",
    sessionId: session.session_id,
    sessionToken: session.session_token,
  };
  const open = (changes: Partial<typeof job> = {}) =>
    openToolGate({ ...job, ...changes }, { version: "0", unixMs: () => hai.unixMs });
  return { mission, session, open, gate: open() };
}

async function inHome(test: (hai: HaiHome) => Promise<void>): Promise<void> {
  const hai = new HaiHome();
  try {
    await test(hai);
  } finally {
    hai.remove();
  }
}

const codeOf = (verdict: GateVerdict) => verdict.kind === "allowed" ? "allowed" : verdict.code;
const use = (tool: string, action = "read", paths: string[] = []): GatedUse => ({
  tool,
  action,
  paths,
});

Deno.test("the gate of a contract lets its tools through, and no other", () =>
  inHome(async (hai) => {
    const limits = { servers: ["fi*"], tools: ["read_*", "files/write_file", "*_info_*"] };
    const { gate, open } = await gated(hai, limits);
    const rows: [string, string][] = [
      ["read_file", "allowed"],
      ["read_", "allowed"],
      ["xread_file", "constraints.tools"],
      ["write_file", "allowed"],
      ["write_files", "constraints.tools"],
      ["a_info_b", "allowed"],
      ["_info", "constraints.tools"],
      ["delete_file", "constraints.tools"],
    ];
    for (const [tool, code] of rows) {
      assertEquals(codeOf(await gate.check(use(tool))), code, tool);
    }
    const other = open({ server: "mail" });
    assertEquals(codeOf(await other.check(use("read_file"))), "constraints.servers");
    const all = await gate.check(undefined);
    assertEquals(all.kind === "allowed" && all.allows({ tool: "read_x", action: "delete" }), false);
    assertEquals(all.kind === "allowed" && all.allows({ tool: "read_x", action: "read" }), true);
  }));

Deno.test("the gate lets every tool through where the contract names none, and none of an empty list", () =>
  inHome(async (hai) => {
    const { gate } = await gated(hai, { tools: [] });
    assertEquals(codeOf(await gate.check(use("read_file"))), "constraints.tools");
  }));

Deno.test("the gate wants the action granted", () =>
  inHome(async (hai) => {
    const { gate } = await gated(hai);
    assertEquals(codeOf(await gate.check(use("a", "write"))), "allowed");
    for (const action of ["delete", "push", "anything", ""]) {
      assertEquals(codeOf(await gate.check(use("a", action))), "constraints.capabilities", action);
    }
  }));

Deno.test("the gate follows links, and sees one that is swapped", () =>
  inHome(async (hai) => {
    const { gate } = await gated(hai);
    const project = hai.project();
    Deno.mkdirSync(`${project}/src`);
    Deno.mkdirSync(`${project}/secret`);
    const check = async (path: string) => codeOf(await gate.check(use("read", "read", [path])));
    assertEquals(await check(`${project}/src/a.ts`), "allowed");
    assertEquals(await check(`${project}/secret/a`), "constraints.allowed_paths");
    assertEquals(await check(`${project}`), "constraints.allowed_paths");
    assertEquals(await check(`${project}/src`), "allowed");
    assertEquals(await check(`${project}/srcx`), "constraints.allowed_paths");
    assertEquals(await check("/etc/passwd"), "constraints.allowed_paths");
    assertEquals(await check(`${hai.home}/audit/HEAD.json`), "constraints.allowed_paths");
    Deno.symlinkSync("../secret", `${project}/src/link`);
    assertEquals(await check(`${project}/src/link`), "constraints.allowed_paths");
    assertEquals(await check(`${project}/src/link/new`), "constraints.allowed_paths");
    Deno.removeSync(`${project}/src`, { recursive: true });
    Deno.symlinkSync("secret", `${project}/src`);
    assertEquals(await check(`${project}/src/a.ts`), "constraints.allowed_paths");
    const mixed = use("read", "read", [`${project}/nothing`, "/etc/passwd"]);
    assertEquals(codeOf(await gate.check(mixed)), "constraints.allowed_paths");
  }));

Deno.test("the gate is shut by the next call after the session ends, however it ends", () =>
  inHome(async (hai) => {
    const { gate, session, open } = await gated(hai);
    assertEquals(codeOf(await gate.check(use("a"))), "allowed");
    assertEquals(
      codeOf(await open({ sessionToken: "T-00" }).check(use("a"))),
      "session_token_required",
    );
    assertEquals(codeOf(await open({ sessionId: "S-x" }).check(use("a"))), "invalid_args");
    const { session_id, session_token } = session;
    await hai.call("hai_release_session", { session_id, session_token, reason: "done" });
    assertEquals(codeOf(await gate.check(use("a"))), "lease_revoked");
  }));

Deno.test("the gate is shut when the session's time is over, and when the clock was set back", () =>
  inHome(async (hai) => {
    const { gate } = await gated(hai);
    hai.pass(-3600);
    assertEquals(codeOf(await gate.check(use("a"))), "lease_expired");
  }));

Deno.test("the gate is shut when time is over", () =>
  inHome(async (hai) => {
    const { gate } = await gated(hai);
    hai.pass(91 * 60);
    assertEquals(codeOf(await gate.check(use("a"))), "lease_expired");
  }));

Deno.test.each<{ how: string; code: string }>([
  { how: "revoke", code: "lease_revoked" },
  { how: "stop-all", code: "lease_revoked" },
])(
  "the owner's $how shuts the gate, for calls and for answers",
  ({ how, code }) =>
    inHome(async (hai) => {
      const { gate, session, open } = await gated(hai);
      const other = open();
      assertEquals(codeOf(await gate.check(use("a"))), "allowed");
      assertEquals(codeOf(await gate.check(undefined)), "allowed");
      const owner = ownerService(hai.newShell({}, "the owner"));
      if (how === "revoke") await owner.revoke(session.session_id);
      else await owner.stopAll();
      for (const one of [gate, other]) {
        assertEquals(codeOf(await one.check(undefined)), code);
        assertEquals(codeOf(await one.check(use("a"))), code);
      }
      if (how === "stop-all") {
        await owner.resume();
        assertEquals(codeOf(await gate.check(use("a"))), code);
      }
    }),
);

/** What may happen to the state under the gate. */
const DAMAGE: Readonly<Record<string, (hai: HaiHome, id: string) => void>> = {
  "HEAD removed": (hai) => Deno.removeSync(`${hai.home}/audit/HEAD.json`),
  "the trail removed": (hai) => Deno.removeSync(`${hai.home}/audit`, { recursive: true }),
  "the state removed": (hai) => Deno.removeSync(hai.home, { recursive: true }),
  "HEAD half written": (hai) =>
    void hai.write("home/audit/HEAD.json", hai.read("home/audit/HEAD.json").slice(0, 20)),
  "the lease half written": (hai, id) => {
    const path = [...hai.files("home/missions").keys()].find((file) => file.includes(id)) ?? "";
    hai.write(path, hai.read(path).slice(0, 40));
  },
  "the lease widened": (hai, id) => {
    const path = [...hai.files("home/missions").keys()].find((file) => file.includes(id)) ?? "";
    hai.edit(path, (lease) => lease.capabilities.push("delete"));
  },
  "the contract widened": (hai) => {
    const path = [...hai.files("home/missions").keys()].find((file) => file.includes("/v1.json"));
    hai.edit(path ?? "", (contract) => contract.constraints.allowed_paths = []);
  },
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  Deno.test(`the gate is shut after ${what}`, () =>
    inHome(async (hai) => {
      const { gate, session, open } = await gated(hai);
      assertEquals(codeOf(await gate.check(use("a"))), "allowed");
      damage(hai, session.session_id);
      const [again, anew] = [await gate.check(use("a")), await open().check(use("a"))];
      assertEquals([again.kind, anew.kind], ["refused", "refused"], what);
      assertMatch(again.kind === "refused" ? again.text : "", /\w/);
    }));
}
