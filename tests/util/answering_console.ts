/**
 * A console that answers, without a process: a control plane, a folder of held calls, the owner's
 * codes as the terminal shows them, and the handler of requests.
 *
 * @module
 */

import type { KeyedCall } from "../../lib/approval/held_call.ts";
import { OwnerCode } from "../../lib/console/answer/owner_code.ts";
import { IndexDatabase } from "../../lib/console/index/index_database.ts";
import { IndexQueries } from "../../lib/console/index/index_queries.ts";
import { IndexTotals } from "../../lib/console/index/index_totals.ts";
import { AnswerDesk } from "../../lib/console/shell/answer_desk.ts";
import { consoleHandler } from "../../lib/console/shell/console_server.ts";
import { EventHub } from "../../lib/console/shell/event_hub.ts";
import { SignIn } from "../../lib/console/shell/sign_in.ts";
import { openApprovalFolder } from "../../lib/disk/approval/approval_folder.ts";
import { readHaiConfig } from "../../lib/hai/state/config.ts";
import { HaiHome } from "./hai_home.ts";

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
export class AnsweringConsole implements AsyncDisposable {
  readonly dir = Deno.realPathSync(Deno.makeTempDirSync());
  readonly home = new HaiHome();
  readonly codes: string[] = [];
  readonly faults: string[] = [];
  readonly #index = new IndexDatabase(this.dir);
  readonly #events = new EventHub(() => ({ keys: [], notice: "" }));
  readonly #base: string;
  readonly #host: string;
  /** Answers a request. */
  readonly handler: (request: Request) => Promise<Response>;
  /** The cookie of a browser that is signed in. */
  readonly cookie: string;

  /** Opens it for one port of this machine. */
  constructor(port = 7878) {
    this.#host = `127.0.0.1:${port}`;
    this.#base = `http://${this.#host}`;
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
    const signIn = new SignIn({ hostname: "127.0.0.1", port }, () => {});
    this.cookie = signIn.exchange(signIn.token)?.split(";")[0] ?? "";
    const folders = () => [this.dir];
    this.handler = consoleHandler({
      pages: { queries: new IndexQueries(this.#index, folders), dirs: [], nowMs: () => 0 },
      totals: new IndexTotals(this.#index, folders),
      signIn,
      events: this.#events,
      desk,
      notice: () => "",
    });
  }

  async page(): Promise<string> {
    const headers = { host: this.#host, cookie: this.cookie };
    return await (await this.handler(new Request(`${this.#base}/answers`, { headers }))).text();
  }

  /** Sends a form; gives what the next page says, or the status of a refusal. */
  async send(
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string | number> {
    const reply = await this.handler(
      new Request(`${this.#base}/answers`, {
        method: "POST",
        headers: { host: this.#host, cookie: this.cookie, origin: this.#base, ...headers },
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
