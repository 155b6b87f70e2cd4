import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HaiHome } from "../../../tests/util/hai_home.ts";
import type { KeyedCall } from "../../approval/held_call.ts";
import { heldCalls, openApprovalFolder } from "../../disk/approval/approval_folder.ts";
import { readHaiConfig } from "../../hai/state/config.ts";
import { OwnerCode } from "../answer/owner_code.ts";
import { IndexDatabase } from "../index/index_database.ts";
import { IndexQueries } from "../index/index_queries.ts";
import { IndexTotals } from "../index/index_totals.ts";
import { AnswerDesk } from "./answer_desk.ts";
import { consoleHandler } from "./console_server.ts";
import { EventHub } from "./event_hub.ts";
import { SignIn } from "./sign_in.ts";

const BASE = "http://127.0.0.1:7878";

const HELD: KeyedCall = {
  hoist_approval: 1,
  id: "3f9c0a51d2e4",
  server: "shop",
  session: "s",
  tool: "pay",
  arguments: '{"to":"<script>alert(1)</script>"}',
  by: "agent",
  why: [{ rule: "shop.pay", reason: "money leaves" }],
  known: [],
  rules: { file: "rules.yaml", sha256: "ab" },
  asked_unix_ms: 1000,
  expires_unix_ms: 9_999_999_999_999,
  key: "0".repeat(64),
};

/** A console that answers, without a socket. */
class Desk implements AsyncDisposable {
  readonly dir = Deno.realPathSync(Deno.makeTempDirSync());
  readonly home = new HaiHome();
  readonly codes: string[] = [];
  readonly faults: string[] = [];
  readonly #index = new IndexDatabase(this.dir);
  readonly #events = new EventHub(() => ({ keys: [], notice: "" }));
  readonly #handler: (request: Request) => Promise<Response>;
  readonly #cookie: string;

  constructor() {
    openApprovalFolder(`${this.dir}/held`).put(HELD);
    const env: Record<string, string> = {
      HAI_HOME: this.home.home,
      HAI_OWNER_HOME: this.home.ownerHome,
    };
    const desk = new AnswerDesk({
      options: { approveDir: `${this.dir}/held`, hai: readHaiConfig((name) => env[name], "/") },
      code: new OwnerCode((below) => this.codes.length % below, (code) => this.codes.push(code)),
      nowMs: () => this.home.unixMs,
      onFault: (line) => this.faults.push(line),
    });
    const signIn = new SignIn({ hostname: "127.0.0.1", port: 7878 }, () => {});
    this.#cookie = signIn.exchange(signIn.token)?.split(";")[0] ?? "";
    const folders = () => [this.dir];
    this.#handler = consoleHandler({
      pages: { queries: new IndexQueries(this.#index, folders), dirs: [], nowMs: () => 0 },
      totals: new IndexTotals(this.#index, folders),
      signIn,
      events: this.#events,
      desk,
      notice: () => "",
    });
  }

  async page(): Promise<string> {
    const headers = { host: "127.0.0.1:7878", cookie: this.#cookie };
    return await (await this.#handler(new Request(`${BASE}/answers`, { headers }))).text();
  }

  /** Sends a form; gives what the next page says, or the status of a refusal. */
  async send(
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string | number> {
    const reply = await this.#handler(
      new Request(`${BASE}/answers`, {
        method: "POST",
        headers: { host: "127.0.0.1:7878", cookie: this.#cookie, origin: BASE, ...headers },
        body: new URLSearchParams(fields),
      }),
    );
    await reply.body?.cancel();
    return reply.headers.get("location")?.replace("/answers?said=", "") ?? reply.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#events.close();
    this.#index[Symbol.dispose]();
    this.home.remove();
    await Deno.remove(this.dir, { recursive: true });
  }
}

/** The fields of the form with a verdict, as the page has them. */
function formOf(page: string, verdict: string): Record<string, string> {
  const form =
    page.match(/<form[^]*?<\/form>/g)?.find((text) =>
      text.includes(`name="verdict" value="${verdict}"`)
    ) ?? "";
  return Object.fromEntries(
    [...form.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
}

Deno.test("the console approves a held call with the owner's code alone", async () => {
  await using desk = new Desk();
  const page = await desk.page();
  assertStringIncludes(page, "money leaves (shop.pay)");
  assertEquals(page.includes("<script>alert"), false);
  const form = formOf(page, "approved");
  assertEquals(await desk.send(form), "code", "the cookie approves nothing");
  assertEquals(await desk.send({ ...form, code: "AAAA-AAAB" }), "code");
  assertEquals(await desk.send(form, { origin: "http://evil.example" }), 403);
  assertEquals(await desk.send(form, { cookie: "" }), 401);
  const [code = ""] = desk.codes;
  assertEquals(await desk.send({ ...form, fingerprint: "0".repeat(64), code }), "changed");
  assertEquals(heldCalls(`${desk.dir}/held`, desk.home.unixMs).length, 1);
  assertEquals(await desk.send({ ...form, code }), "approved");
  assertEquals(heldCalls(`${desk.dir}/held`, desk.home.unixMs).length, 0);
  assertEquals(await desk.send({ ...form, code }), "answered");
});

Deno.test("the console denies a held call without a code, and takes no other word", async () => {
  await using desk = new Desk();
  const form = formOf(await desk.page(), "denied");
  assertEquals(await desk.send({ ...form, verdict: "yes" }), "unclear");
  assertEquals(await desk.send({ kind: "everything" }), "unclear");
  assertEquals(await desk.send(form), "denied");
  assertStringIncludes(await desk.page(), "No call waits");
});

Deno.test("the console decides requests at the gate with the seals of the terminal, and stops all work", async () => {
  await using desk = new Desk();
  const { mission_id } = await desk.home.open();
  const asked = await desk.home.call("hai_close_mission", {
    mission_id,
    contract_version: 1,
    closure: "abandoned",
    outcome_summary: "<b>because</b>",
  });
  assertEquals(asked.error, "owner_gate_required", JSON.stringify(asked));
  const page = await desk.page();
  assertStringIncludes(page, "&lt;b&gt;because&lt;/b&gt;");
  const forms = page.match(/<form[^]*?<\/form>/g) ?? [];
  const gate = forms.find((text) => /value="request"[^]*value="approved"/.test(text)) ?? "";
  const form = formOf(gate, "approved");
  assertEquals(await desk.send(form), "code");
  assertEquals(await desk.send({ ...form, code: desk.codes.at(-1) ?? "" }), "approved");
  assert((await desk.page()).includes("approved, not used yet"));
  assertEquals(await desk.send({ ...form, verdict: "pending" }), "pending");
  assertEquals(await desk.send({ kind: "stop" }), "stopped");
  assertEquals(await desk.send({ kind: "resume" }), "code");
  assertEquals(await desk.send({ kind: "resume", code: desk.codes.at(-1) ?? "" }), "resumed");
  assertEquals(desk.faults, []);
});
