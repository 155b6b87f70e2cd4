/** The sources of lib as text, for the tests that check the repository's structure. */

import { assert } from "@std/assert";
import { ROOT } from "./executables.ts";

/** One source file. */
export interface Source {
  /** From the repository's root: `lib/log/recorder.ts`. */
  readonly path: string;
  /** Its folder in lib: `log`. */
  readonly folder: string;
  readonly text: string;
}

/** Every source file of lib that is not a test. */
export async function sources(): Promise<Source[]> {
  const paths = (await filesUnder("lib")).filter((p) =>
    p.endsWith(".ts") && !p.endsWith("_test.ts")
  );
  assert(paths.length > 400);
  return await Promise.all(paths.map(async (path) => ({
    path,
    folder: folderOf(path),
    text: await Deno.readTextFile(`${ROOT}/${path}`),
  })));
}

/** Every file below a folder of the repository. */
export async function filesUnder(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${ROOT}/${folder}`)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await filesUnder(path));
    else found.push(path);
  }
  return found.sort();
}

/** The folder in lib of a path: `log` of `lib/log/recorder.ts`. */
export function folderOf(path: string): string {
  return path.slice("lib/".length, path.lastIndexOf("/"));
}

/** A source without its comments. */
export function codeOf(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}

/** The comments of a source, one string each. */
export function commentsOf(text: string): string[] {
  return text.match(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? [];
}

/** The files of lib that a source imports, types included. */
export function importsOf({ path, text }: Source): string[] {
  return [...codeOf(text).matchAll(/(?:\bfrom |\bimport\(\s*|^import )"(\.[^"]+)"/gm)]
    .map(([, to = ""]) => new URL(to, `file:///${path}`).pathname.slice(1))
    .filter((to) => to.startsWith("lib/") && to.endsWith(".ts"));
}

/** The names that a source declares and exports; names handed on from another file are not its own. */
export function exportsOf({ text }: Source): string[] {
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|type|interface|enum) (\w+)/gm;
  return [...codeOf(text).matchAll(declared)].map(([, name = ""]) => name);
}

/** The circles of a directed graph, each as its nodes. */
export function circlesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reach = new Map([...edges.keys()].map((start) => [start, reachOf(start, edges)]));
  const groups = new Set<string>();
  for (const [node, seen] of reach) {
    if (!seen.has(node)) continue;
    groups.add([...seen].filter((to) => reach.get(to)?.has(node)).sort().join(" "));
  }
  return [...groups].sort().map((group) => group.split(" "));
}

function reachOf(start: string, edges: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>();
  const next = [start];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    for (const to of edges.get(at) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      next.push(to);
    }
  }
  return seen;
}
