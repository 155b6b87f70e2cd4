/**
 * Two servers and the owner's terminal on one state, each killed at random points: nothing
 * acknowledged is lost, no seal is broken, no request is approved or used twice.
 *
 * Three kills are made here, and `deno task kills:desk` makes two hundred. `HOIST_SEED` repeats a run.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { diagnose } from "../../lib/commands/hai/hai_repair_command.ts";
import { type Answer, HaiHome } from "../util/hai_home.ts";

const KILLS = Number(Deno.env.get("HOIST_KILLS") ?? 3);
const SEED = Number(Deno.env.get("HOIST_SEED") ?? Date.now() % 1_000_000);
const PLAYER = new URL("../util/hai_desk_player.ts", import.meta.url).pathname;
const BEGAN = Date.now();
const ROLES = ["agent", "agent", "owner"] as const;

/** A process and what it has said. */
class Player {
  readonly #child: Deno.ChildProcess;
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(hai: HaiHome, role: string, name: string) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "-A", PLAYER, role, hai.project(), name, String(BEGAN)],
      env: {
        HAI_HOME: hai.home,
        HAI_OWNER_HOME: hai.ownerHome,
        HAI_OWNER_CODE_TTL: "604800", // Seconds of a fast clock.
      },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    this.#reader = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Waits until it has said a text. */
  async hearOf(text: string): Promise<void> {
    while (!this.#text.includes(text) && await this.#read());
  }

  /** Waits until it has said so many lines. */
  async hear(lines: number): Promise<void> {
    while (this.#text.split("\n").length <= lines && await this.#read());
  }

  /** Kills it; gives all that it said. */
  async kill(): Promise<Answer[]> {
    this.#child.kill("SIGKILL");
    while (await this.#read());
    await this.#child.status;
    // A torn last line was not read by anybody.
    return this.#text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
  }

  async #read(): Promise<boolean> {
    const { value, done } = await this.#reader.read();
    this.#text += value ?? "";
    return !done;
  }
}

/** A generator of its own, so that a seed gives the same kills. */
function chance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Plays and kills; gives what was acknowledged. */
async function play(hai: HaiHome): Promise<Answer[]> {
  const below = chance(SEED);
  const said: Answer[] = [];
  let born = 0;
  const start = (role: string) => new Player(hai, role, `${role}-${++born}`);
  const players = ROLES.map(start);
  for (let kills = 0; kills < KILLS; kills++) {
    const index = below(ROLES.length);
    const role = ROLES[index] ?? "agent";
    // The others go on meanwhile, and are heard later.
    await players[index]?.hear(1 + below(8));
    said.push(...await players[index]?.kill() ?? []);
    players[index] = start(role);
  }
  await players[0]?.hearOf('"accepted":true');
  for (const player of players) said.push(...await player.kill());
  return said;
}

const ofType = (events: readonly Answer[], type: string) =>
  events.filter((event) => event.event_type === type);

function assertOnce(ids: readonly string[], what: string): void {
  assertEquals(ids.filter((id, i) => ids.indexOf(id) !== i), [], what);
}

Deno.test(`${KILLS} kills of two servers and the owner's terminal, seed ${SEED}`, async () => {
  const hai = new HaiHome();
  try {
    const said = await play(hai);
    hai.unixMs = BEGAN + (Date.now() - BEGAN) * 1000;
    assertEquals((await hai.call("hai_health")).audit.ok, true); // Finishes what a kill left.
    // A file that a kill left half written beside its own is a warning.
    const { findings } = diagnose(hai.config(), { isFull: true });
    assertEquals(findings.filter(({ severity }) => severity === "error"), []);
    const events = hai.events();
    assertEquals(events.map(({ seq }) => seq), events.map((_, i) => i + 1));

    const approved = ofType(events, "owner_challenge_approved").map((event) => event.challenge_id);
    const denied = ofType(events, "owner_challenge_denied").map((event) => event.challenge_id);
    const used = ofType(events, "owner_gate_passed").map((event) => event.challenge_id);
    assert(approved.length > 0 && used.length > 0, "nothing was approved and used");
    if (KILLS > 5) console.log(`${approved.length} approved, ${used.length} used`);
    assertOnce(approved, "approved twice");
    assertOnce(used, "used twice");
    assertEquals(ofType(events, "next_step_accepted").length, used.length);
    assertEquals(used.filter((id) => !approved.includes(id)), [], "used without an approval");
    assertEquals(used.filter((id) => denied.includes(id)), [], "used after a denial");

    const decided = said.filter((ack) => ack.decided !== undefined);
    for (const { decided: id, verdict } of decided) {
      const kept = verdict === "approved" ? approved : denied;
      assert(kept.includes(id), `the acknowledged verdict "${verdict}" on ${id} is lost`);
    }
    const intakes = new Set(hai.names("home/intake").map((name) => name.replace(".json", "")));
    const lost = said.flatMap(({ intake }) => intake ?? []).filter((id) => !intakes.has(id));
    assertEquals(lost, [], "acknowledged intakes are lost");
    const accepted = said.filter((ack) => ack.accepted === true).length;
    assert(accepted <= used.length, "an acknowledged change is not in the trail");
  } finally {
    hai.remove();
  }
});
