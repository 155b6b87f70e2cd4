/**
 * A control plane of its own for a test: temporary folders, a clock that is set
 * by hand, and a check of every reply against the tool's declared schema.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { TOOLS } from "../../lib/hai/tools/tools.ts";
import { REFUSAL } from "../../lib/hai/tools/tool_listing.ts";
import { readHaiConfig } from "../../lib/hai/state/config.ts";
import type { ToolReply } from "../../lib/hai/state/refusal.ts";
import type { OwnerChannel } from "../../lib/hai/call/owner_notice.ts";
import type { Terminal } from "../../lib/runtime/terminal.ts";
import { HaiShell } from "../../lib/hai/shell/hai_shell.ts";

/** A reply, loosely typed for assertions. */
// deno-lint-ignore no-explicit-any
export type Answer = any;

/** Settings of a test's control plane. */
export interface HomeOptions {
  /** Environment variables besides the two homes. */
  readonly env?: Readonly<Record<string, string>>;
  /** How the owner is told. */
  readonly channel?: OwnerChannel;
}

/** A control plane in a temporary folder. */
export class HaiHome {
  /** The temporary folder. */
  readonly root: string;
  /** Milliseconds since 1970; set it to let time pass. */
  unixMs: number = Date.parse("2026-09-01T08:00:00Z");
  /** Faults of the shell's own. */
  readonly faults: unknown[] = [];
  readonly #env: Record<string, string>;
  readonly #channel: OwnerChannel | undefined;
  shell: HaiShell;

  constructor(options: HomeOptions = {}) {
    this.root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hai-" }));
    this.#env = {
      HAI_HOME: this.home,
      HAI_OWNER_HOME: this.ownerHome,
      ...options.env,
    };
    this.#channel = options.channel;
    this.shell = this.newShell();
  }

  /** State root. */
  get home(): string {
    return `${this.root}/home`;
  }

  /** The owner's folder. */
  get ownerHome(): string {
    return `${this.root}/owner`;
  }

  /** A project folder, made when first asked for. */
  project(name = "project"): string {
    const path = `${this.root}/${name}`;
    Deno.mkdirSync(path, { recursive: true });
    return path;
  }

  /** Another server on the same state; its environment may differ. */
  newShell(env: Readonly<Record<string, string>> = {}, caller = "the test's agent"): HaiShell {
    const config = readHaiConfig((name) => ({ ...this.#env, ...env })[name], this.root);
    return new HaiShell(config, {
      version: "0.1.0",
      caller,
      unixMs: () => this.unixMs,
      onFault: (error) => this.faults.push(error),
      ...(this.#channel === undefined ? {} : { channel: this.#channel }),
    });
  }

  /** Settings as the server reads them. */
  config() {
    return readHaiConfig((name) => this.#env[name], this.root);
  }

  /** Starts the server anew. */
  restart(env: Readonly<Record<string, string>> = {}): void {
    Object.assign(this.#env, env);
    this.shell = this.newShell();
  }

  /** Calls a tool and checks that the reply is what the tool declares. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const reply: ToolReply = await this.shell.call(name, args);
    assertDeclared(name, reply);
    return reply;
  }

  /** Lets time pass. */
  pass(seconds: number): void {
    this.unixMs += seconds * 1000;
  }

  /** Text of a file below the temporary folder. */
  read(path: string): string {
    return Deno.readTextFileSync(`${this.root}/${path}`);
  }

  /** A JSON file below the temporary folder. */
  json(path: string): Answer {
    return JSON.parse(this.read(path));
  }

  /** Writes a file below the temporary folder. */
  write(path: string, text: string): string {
    const full = `${this.root}/${path}`;
    Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(full, text);
    return full;
  }

  /** Changes a JSON file below the temporary folder by hand. */
  edit(path: string, change: (record: Answer) => void): void {
    const record = this.json(path);
    change(record);
    this.write(path, JSON.stringify(record));
  }

  /** Whether something stands at a path below the temporary folder. */
  has(path: string): boolean {
    try {
      Deno.lstatSync(`${this.root}/${path}`);
      return true;
    } catch {
      return false;
    }
  }

  /** Names in a folder below the temporary folder, hidden ones too. */
  names(path: string): string[] {
    if (!this.has(path)) return [];
    return [...Deno.readDirSync(`${this.root}/${path}`)].map((entry) => entry.name).sort();
  }

  /** Every file below a folder with its content. */
  files(path: string): Map<string, string> {
    const found = new Map<string, string>();
    for (const name of this.names(path)) {
      const inner = `${path}/${name}`;
      if (Deno.lstatSync(`${this.root}/${inner}`).isDirectory) {
        for (const [key, text] of this.files(inner)) found.set(key, text);
      } else found.set(inner, this.read(inner));
    }
    return found;
  }

  /** Audit events in order; what a kill left half written beside them is none. */
  events(): Answer[] {
    return this.names("home/audit")
      .filter((name) => name !== "HEAD.json" && !name.startsWith("."))
      .map((name) => this.json(`home/audit/${name}`))
      .sort((a, b) => a.seq - b.seq);
  }

  /** Types of the audit events in order. */
  eventTypes(): string[] {
    return this.events().map((event) => event.event_type);
  }

  /** The code the owner was told for a challenge. */
  code(challengeId: string): string {
    const text = this.read(`owner/${challengeId}.txt`);
    const code = /^HAI owner code: (\S{4}-\S{4})\n/.exec(text)?.[1];
    assert(code !== undefined, "the owner's text has no code");
    return code;
  }

  /** Opens a mission with one criterion; more terms win. */
  open(more: Record<string, unknown> = {}): Promise<Answer> {
    return this.call("hai_open_mission", { ...this.terms(), ...more });
  }

  /** Terms of the mission that {@linkcode open} opens. */
  terms(): Record<string, unknown> {
    return {
      objective: "Make the evaluator deterministic",
      artifact: "tests/test_eval.ts",
      owner: "ana",
      done_criteria: [{ id: "dc-1", description: "three reruns agree" }],
      non_goals: ["rewrite the server"],
      constraints: { project_path: this.project(), allowed_paths: ["src/", "tests/"] },
    };
  }

  /** Authorizes a session on a mission. */
  authorize(missionId: string, more: Record<string, unknown> = {}): Promise<Answer> {
    return this.call("hai_authorize_session", {
      mission_id: missionId,
      contract_version: 1,
      agent_identity: "codex",
      role: "implementer",
      contribution: "seeded fixture",
      expected_result: "green run",
      duration_minutes: 90,
      criterion_ids: ["dc-1"],
      request_id: "r-1",
      ...more,
    });
  }

  /** Removes the temporary folder. */
  remove(): void {
    assertEquals(this.faults, [], "the server had faults of its own");
    Deno.removeSync(this.root, { recursive: true });
  }
}

/** Fails unless a reply is a refusal or what the tool declares. */
export function assertDeclared(name: string, reply: ToolReply): void {
  const tool = TOOLS.get(name);
  assert(tool !== undefined, `there is no tool ${name}`);
  const shape = reply.ok === true ? tool.output : REFUSAL;
  const parsed = shape.safeParse(JSON.parse(JSON.stringify(reply)));
  assert(parsed.success, `${name} answered ${JSON.stringify(reply)}: ${parsed.error?.message}`);
}

/**
 * A case of the specification as a test.
 *
 * @param id Its id.
 * @param sentence What must hold.
 * @param run Plays it in a fresh control plane.
 * @param options Settings.
 */
export function haiCase(
  id: string,
  sentence: string,
  run: (hai: HaiHome) => Promise<void> | void,
  options: HomeOptions = {},
): void {
  Deno.test(`${id} ${sentence}`, async () => {
    const hai = new HaiHome(options);
    try {
      await run(hai);
    } finally {
      hai.remove();
    }
  });
}

/** A terminal that answers by itself; what it is asked last stays unanswered. */
export function scriptedTerminal(answers: readonly string[] = [], isPresent = true): Terminal {
  const left = [...answers];
  return { isPresent, ask: () => left.shift(), lines: () => ReadableStream.from(left.splice(0)) };
}

/** Settings of the legacy gate. */
export const LEGACY: HomeOptions = { env: { HAI_OWNER_GATE: "ack_legacy" } };

/** Asserts that a reply is a refusal of a code. */
export function assertRefused(reply: Answer, error: string, about = ""): void {
  assertEquals([reply.ok, reply.error], [false, error], JSON.stringify(reply));
  assert(
    JSON.stringify(reply).includes(about),
    `expected ${JSON.stringify(reply)} to speak of "${about}"`,
  );
}
