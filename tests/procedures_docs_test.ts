/** docs/procedures.md does what it says: every command in it is run, in order, and what it prints is there. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { checkout } from "./util/doc_blocks.ts";
import { ROOT } from "./util/executables.ts";
import { ScratchHome } from "./util/scratch_home.ts";

const page = await Deno.readTextFile(`${ROOT}/docs/procedures.md`);
const blocks = [...page.matchAll(/```(\w*)\n([^]*?)```/g)].map(([, kind, text = ""]) => ({
  kind,
  text,
}));

/** The statuses of the blocks of commands, in the page's order. */
const STATUSES = [0, 0, 0, 0, 3, 0, 0];

Deno.test("docs/procedures.md: every command runs, and prints what the page shows", async () => {
  await using home = await ScratchHome.make();
  const dir = await checkout(home);
  const commands = blocks.filter(({ kind }) => kind === "sh");
  assertEquals(commands.length, STATUSES.length);
  let printed = "";
  for (const [i, { text }] of commands.entries()) {
    const { code, out, err } = await home.run(["sh", "-e", "-c", text], { cwd: dir });
    assertEquals([text, code], [text, STATUSES[i]], err);
    printed += out + err;
  }
  for (const { kind, text } of blocks) {
    if (kind === "" || kind === "json") {
      // What --help prints is held by docs/cli.md.
      assertStringIncludes(printed, text.trimEnd());
    }
  }
  const notes = await Deno.readTextFile(`${dir}/notes/archive/rent.md`);
  assertStringIncludes(notes, "status: done");
  assertEquals(printed.match(/"verdict":"\w+"/g), [
    '"verdict":"done"',
    '"verdict":"done"',
    '"verdict":"hand_back"',
    '"verdict":"resolved"',
  ]);
  assert(printed.includes("Learns a procedure from recorded sessions"));
});
