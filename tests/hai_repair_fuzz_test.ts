/**
 * Any files of the state lost, cut or changed by hand: the doctor finds no less than
 * what stops the tools, and after a repair nothing is wrong and work goes on.
 *
 * `HAI_FUZZ_RUNS` sets how many states are spoiled.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { denoRuntime } from "../lib/runtime/deno_runtime.ts";
import { diagnose, runRepair } from "../lib/commands/hai/hai_repair_command.ts";
import { HaiHome, scriptedTerminal } from "./util/hai_home.ts";

const RUNS = Number(Deno.env.get("HAI_FUZZ_RUNS") ?? "20");

const VALUE = fc.constantFrom<unknown>(
  ...[null, true, -1, 0, 1, 3, 1e308, "", "x", "active", "completed", "../..", [], {}],
);

interface Spoiling {
  readonly file: number;
  readonly how: "lose" | "cut" | "change";
  readonly member: number;
  readonly value: unknown;
}

const SPOILINGS: fc.Arbitrary<Spoiling[]> = fc.array(
  fc.record({
    file: fc.nat(),
    how: fc.constantFrom("lose", "cut", "change", "change", "change"),
    member: fc.nat(),
    value: VALUE,
  }),
  { minLength: 1, maxLength: 3 },
);

/** A state with something of everything. */
async function fill(hai: HaiHome): Promise<void> {
  const { mission_id } = await hai.open();
  await hai.authorize(mission_id);
  await hai.call("hai_set_focus", { focus_id: "a" });
  await hai.call("hai_checkpoint");
  const { intake_id } = await hai.call("hai_intake", { raw: "x" });
  await hai.call("hai_distill", { intake_id, decision: "d", next_step: "n" });
  const change = { mission_id, contract_version: 1, reason: "r", changes: { objective: "z" } };
  const asked = await hai.call("hai_recontract", change);
  await hai.call("hai_recontract", { ...change, owner_code: hai.code(asked.challenge_id) });
  await hai.authorize(mission_id, { contract_version: 2 });
}

function spoil(hai: HaiHome, path: string, { how, member, value }: Spoiling): void {
  if (!hai.has(path)) return;
  const text = hai.read(path);
  if (how === "lose") Deno.removeSync(`${hai.root}/${path}`);
  else if (how === "cut") hai.write(path, text.slice(0, text.length / 2));
  else {
    hai.edit(path, (record) => {
      const names = Object.keys(record);
      record[names[member % names.length] ?? ""] = value;
    });
  }
}

Deno.test(`repair mends ${RUNS} states, whatever was done to their files`, async () => {
  const hai = new HaiHome();
  try {
    await fill(hai);
    const whole = hai.files("home");
    const names = [...whole.keys()].filter((name) => name.endsWith(".json"));
    const host = { ...denoRuntime("hai-mcp"), print: () => {}, say: () => {} };
    const terminal = scriptedTerminal([], false);
    await fc.assert(
      fc.asyncProperty(SPOILINGS, async (spoilings) => {
        Deno.removeSync(hai.home, { recursive: true });
        for (const [name, text] of whole) hai.write(name, text);
        const spoiled = new Map(
          spoilings.map((one) => [names[one.file % names.length] ?? "", one]),
        );
        for (const [name, one] of spoiled) spoil(hai, name, one);
        assertEquals(
          await runRepair(hai.config(), { runtime: host, terminal }, { isSure: true }),
          0,
        );
        const wrong = diagnose(hai.config()).findings.filter(({ severity }) =>
          severity === "error"
        );
        assertEquals(wrong, []);
        hai.restart();
        const { ok, active } = await hai.call("hai_get_mission");
        assertEquals([ok, (await hai.call("hai_health")).audit.ok], [true, true]);
        if (active) return;
        // Where the contract that was agreed last is gone, the owner has to see the next one.
        const opened = await hai.open();
        if (opened.ok) return;
        const owner_code = hai.code(opened.challenge_id);
        assertEquals((await hai.open({ owner_code })).ok, true);
      }),
      { numRuns: RUNS },
    );
  } finally {
    hai.remove();
  }
});
