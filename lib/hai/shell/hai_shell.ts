/**
 * The shell around the hai engine: it takes the lock, finishes what a crash
 * left, lets the engine decide, carries the changes out, and tells the owner.
 *
 * The owner is told without the lock, so that a slow channel blocks no other call.
 *
 * @module
 */

import { realPathOf } from "../../disk/confined_path.ts";
import {
  carryOut,
  ChangeRefusedError,
  type FileChange,
  finishJournal,
  JOURNAL,
  type JournalRoots,
  makeFolder,
} from "./journal.ts";
import { LockFile, LockTimeoutError } from "../../disk/lock_file.ts";
import { stateDisk } from "./state_disk.ts";
import {
  type BareWorld,
  type CallOutcome,
  Engine,
  FIRST_FOLDERS,
  putFirstFiles,
} from "../engine/engine.ts";
import type { HaiConfig } from "../state/config.ts";
import type { CallContext } from "../call/call_context.ts";
import type { OwnerChannel } from "../call/owner_notice.ts";
import {
  CallRefusal,
  corruptRefusal,
  StateCorruptError,
  type ToolReply,
} from "../state/refusal.ts";
import { Transaction } from "../state/transaction.ts";
import { decide, waitingChallenges } from "../owner/owner_desk.ts";
import { TOOLS } from "../tools/tools.ts";
import { ownerChannel } from "./owner_channel.ts";
import { type OwnerHome, ownerHomeAt } from "./owner_home.ts";
import { UnwritableError, writing } from "./unwritable.ts";

/** Parts of a shell; tests replace clock and chance. */
export interface ShellOptions {
  /** The server's version. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly unixMs: () => number;
  /**
   * Chance.
   *
   * @default {crypto.getRandomValues}
   */
  readonly random?: (length: number) => Uint8Array;
  /** Secret of the one connection that this shell serves; undefined when it serves several. */
  readonly caller?: string;
  /** How the owner is told; the configured channel by default. */
  readonly channel?: OwnerChannel;
  /** Hears of faults of our own; they carry no secrets. */
  readonly onFault?: (error: unknown) => void;
}

/** A running control plane on one state root. */
export class HaiShell {
  readonly #config: HaiConfig;
  readonly #options: ShellOptions;
  readonly #engine = new Engine();
  readonly #disk = stateDisk();
  #opened: Opened | undefined;

  /**
   * Makes it; the state root is opened at the first call.
   *
   * @param config Settings.
   * @param options Its parts.
   */
  constructor(config: HaiConfig, options: ShellOptions) {
    this.#config = config;
    this.#options = options;
  }

  /**
   * Carries out one call.
   *
   * @param name The tool.
   * @param args Its arguments, as they came.
   * @returns The reply; a fault of ours is a reply too.
   */
  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolReply> {
    try {
      if (TOOLS.get(name)?.annotations.openWorldHint === true) await this.#takeDenials();
      const { opened, outcome } = await this.#decide((home, world) =>
        this.#engine.call(world, home, { name, args })
      );
      const { answer } = outcome;
      if (answer.kind === "reply") return answer.reply;
      const { notice, extra } = answer;
      const channel = this.#channel(opened);
      const delivery = await channel.deliver(notice);
      const told = { challengeId: notice.challengeId, delivery, extra };
      const settled = await this.#decide((home, world) => this.#engine.settle(world, home, told));
      const final = settled.outcome.answer;
      if (final.kind === "reply") return final.reply;
      throw new Error("Cannot settle: the engine asks for the owner again");
    } catch (error) {
      return this.#faultReply(error);
    }
  }

  #channel({ owner }: Opened): OwnerChannel {
    return this.#options.channel ?? ownerChannel(this.#config, owner);
  }

  /** Denials that came through the channel since a request that still waits; asked without the lock. */
  async #takeDenials(): Promise<void> {
    const channel = this.#channel(this.#open());
    if (channel.denials === undefined) return;
    const waiting = await this.hold((ctx, owner) => waitingChallenges(ctx, owner.existingKey()));
    const [first] = waiting;
    if (first === undefined) return;
    const denied = await channel.denials(first.created_ts * 1000);
    const chosen = waiting.filter(({ challenge_id }) => denied.has(challenge_id));
    if (chosen.length === 0) return;
    await this.hold((ctx, owner) => {
      const key = owner.existingKey();
      if (key === undefined || "fault" in ctx.world.chain) return;
      for (const { challenge_id: challengeId, fingerprint } of chosen) {
        decide(ctx, key, { challengeId, fingerprint, verdict: "denied", via: channel.name });
      }
    });
  }

  /**
   * Runs something on the state under the lock and carries its changes out.
   *
   * @param work Gets a context whose trail is verified, and the owner's folder.
   * @returns What it returned.
   */
  async hold<T>(work: (ctx: CallContext, owner: OwnerHome) => T): Promise<T> {
    const opened = this.#open();
    return await opened.lock.hold(() => {
      this.#enter(opened);
      const ctx = this.#engine.open(this.#world(opened), opened.roots.home);
      const result = work(ctx, opened.owner);
      this.#carryOut(ctx.tx.changes, opened);
      return result;
    });
  }

  async #decide(run: (home: string, world: BareWorld) => CallOutcome) {
    const opened = this.#open();
    const outcome = await opened.lock.hold(() => {
      this.#enter(opened);
      const decided = run(opened.roots.home, this.#world(opened));
      this.#carryOut(decided.changes, opened);
      return decided;
    });
    return { opened, outcome };
  }

  #carryOut(changes: readonly FileChange[], opened: Opened): void {
    if (changes.length === 0) return;
    writing(() => carryOut(changes, opened.roots));
    this.#engine.commit(this.#world(opened), opened.roots.home);
  }

  #open(): Opened {
    if (this.#opened !== undefined) return this.#opened;
    const { home: configured } = this.#config;
    if (!configured.startsWith("/")) throw new HomeError(configured, "it is no absolute path");
    makeFolder(configured);
    const home = realPathOf(configured);
    if (home === undefined) throw new HomeError(configured, "it cannot be resolved");
    for (const folder of FIRST_FOLDERS) makeFolder(`${home}/${folder}`);
    const owner = ownerHomeAt(this.#config.ownerHome, home, configured);
    this.#opened = {
      owner,
      roots: { home, owner: owner.root, key: () => owner.existingKey() },
      lock: new LockFile(`${home}/.mission.lock`),
      isFresh: true,
    };
    return this.#opened;
  }

  /** With the lock held: what a crash left is finished, a fresh root gets its first files. */
  #enter(opened: Opened): void {
    const journal = `${opened.roots.home}/${JOURNAL}`;
    if (this.#disk.kind(journal) !== undefined) {
      writing(() => finishLeftJournal(journal, opened.roots));
    }
    if (!opened.isFresh) return;
    const tx = new Transaction(this.#disk, opened.roots.home);
    putFirstFiles(tx);
    writing(() => carryOut(tx.changes, opened.roots));
    opened.isFresh = false;
  }

  #world(opened: Opened): BareWorld {
    const { unixMs, version, random = randomBytes } = this.#options;
    return {
      config: this.#config,
      disk: this.#disk,
      unixMs: unixMs(),
      random,
      caller: this.#options.caller,
      pid: Deno.pid,
      vault: opened.owner,
      version,
    };
  }

  #faultReply(error: unknown): ToolReply {
    if (error instanceof StateCorruptError) return corruptRefusal(error).toReply();
    if (error instanceof ChangeRefusedError) {
      return new CallRefusal("path_outside_root", error.message, { path: error.path }).toReply();
    }
    this.#options.onFault?.(error);
    if (error instanceof UnwritableError) {
      const { message, hint } = error;
      return new CallRefusal("state_unavailable", message, { hint }).toReply();
    }
    if (error instanceof LockTimeoutError) {
      return new CallRefusal("state_unavailable", error.message, { retry: true }).toReply();
    }
    const kind = error instanceof Error ? error.name : "Error";
    if (error instanceof HomeError || isSystemError(error)) {
      const message = error instanceof Error ? error.message : kind;
      return new CallRefusal("state_unavailable", `The state cannot be used: ${message}`).toReply();
    }
    return new CallRefusal("internal_error", `A fault of hai-mcp itself (${kind})`).toReply();
  }
}

/** `HAI_HOME` names no usable folder. */
class HomeError extends RangeError {
  override name = "HomeError";

  constructor(path: string, problem: string) {
    super(`Cannot use HAI_HOME "${path}": ${problem}`);
  }
}

interface Opened {
  readonly owner: OwnerHome;
  readonly roots: JournalRoots;
  readonly lock: LockFile;
  isFresh: boolean;
}

function finishLeftJournal(journal: string, roots: JournalRoots): void {
  try {
    finishJournal(roots);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ChangeRefusedError) {
      throw new StateCorruptError(journal, error.message);
    }
    throw error;
  }
}

/** Full disk, missing rights, a file where a folder should be. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && ("code" in error || error.name in Deno.errors);
}

function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
