/**
 * Takes the stand-ins for jsr:@std out of a checkout, so that what is published asks for the
 * real packages: run in the release workflow, before `deno publish`.
 *
 * Usage: `deno run -A .ci/unlink.ts [FOLDER]`
 *
 * @module
 */

/**
 * Removes `links` from deno.json, and what they lead to.
 *
 * @param folder The checkout.
 */
export async function unlink(folder: string): Promise<void> {
  const path = `${folder}/deno.json`;
  const { links, ...config } = JSON.parse(await Deno.readTextFile(path));
  if (!Array.isArray(links)) throw new Error(`${path} has no links`);
  await Deno.writeTextFile(path, JSON.stringify(config, null, 2) + "\n");
  await Deno.remove(`${folder}/lib/std`, { recursive: true });
}

if (import.meta.main) await unlink(Deno.args[0] ?? ".");
