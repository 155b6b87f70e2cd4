/**
 * Every tool of the reference server `server-filesystem`, used once in a folder
 * of its own.
 *
 * @module
 */

import { FeatureTour, type Mask, type Tour, type TourOptions } from "./feature_tour.ts";

/** The command that starts the server for a folder, under the Deno that runs this. */
export function filesystemServer(dir: string): readonly string[] {
  const server = "npm:@modelcontextprotocol/server-filesystem@2026.8.31";
  return [Deno.execPath(), "run", "-A", server, dir];
}

/**
 * Uses every tool of server-filesystem in a temporary folder.
 *
 * @param wrap Makes the command to start of the server's own: a proxy before it, or as it is.
 * @param options Its surroundings.
 * @returns The transcript and the wire.
 */
export async function filesystemFeatures(
  wrap: (server: readonly string[]) => readonly string[],
  options: TourOptions = {},
): Promise<Tour> {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hoist-files-" }));
  const masks: readonly Mask[] = [
    [new RegExp(dir.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "g"), "<dir>"],
    [/(created|modified|accessed): [^\\]*\\n/g, "$1: <time>\\n"],
  ];
  const tour = new FeatureTour(wrap(filesystemServer(dir)), masks, { options });
  try {
    await tour.connect();
    await useFiles(tour, dir);
    return await tour.end();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function useFiles(tour: FeatureTour, dir: string): Promise<void> {
  const poem = `${dir}/poems/bōshi.txt`;
  await tour.ask("tools/list", { method: "tools/list" });
  await tour.call("list_allowed_directories");
  await tour.call("create_directory", { path: `${dir}/poems` });
  await tour.call("write_file", { path: poem, content: "one\r\ntwo\n東京\u2028three\n" });
  await tour.call("read_text_file", { path: poem });
  await tour.call("read_text_file", { path: poem, head: 1 });
  const edits = [{ oldText: "two", newText: "zwei" }];
  await tour.call("edit_file", { path: poem, edits, dryRun: true });
  await tour.call("edit_file", { path: poem, edits });
  await tour.call("edit_file", { path: poem, edits });
  await tour.call("write_file", { path: `${dir}/big.txt`, content: "0123456789".repeat(30_000) });
  await tour.call("read_multiple_files", { paths: [poem, `${dir}/big.txt`, `${dir}/none`] });
  await tour.call("read_media_file", { path: poem });
  await tour.call("list_directory", { path: dir });
  await tour.call("list_directory_with_sizes", { path: dir, sortBy: "size" });
  await tour.call("directory_tree", { path: dir });
  await tour.call("search_files", { path: dir, pattern: "**/*.txt" });
  await tour.call("move_file", { source: `${dir}/big.txt`, destination: `${dir}/moved.txt` });
  await tour.call("get_file_info", { path: `${dir}/moved.txt` });
  await tour.call("read_text_file", { path: `${dir}/../outside.txt` });
  await tour.call("no_such_tool");
}
