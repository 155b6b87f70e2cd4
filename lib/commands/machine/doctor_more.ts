/**
 * What `hoist doctor` looks at when it is asked to: other programs, files, the network.
 *
 * @module
 */

import { VERSION } from "../../flags/version.ts";
import type { DataFile, DoctorMachine, LogFolder } from "../../ports/machine.ts";
import type { Runtime } from "../../ports/runtime.ts";
import type { Check, ConfiguredServer } from "./doctor_config.ts";

/** The programs of an installation. */
const PROGRAMS = ["hoist", "hoist-mcp", "hoist-procedure", "hoist-mcp-demo", "hai-mcp"];

/** The programs on PATH, and those among them that are of another version. */
export async function thePrograms({ find, versionOf }: DoctorMachine): Promise<Check[]> {
  const checks: Check[] = [];
  const found: string[] = [];
  const asked = PROGRAMS.map(async (program) => {
    const path = find(program);
    return { program, path, version: path === undefined ? undefined : await versionOf(path) };
  });
  for (const { program, path, version } of await Promise.all(asked)) {
    if (path === undefined) continue;
    if (version === VERSION) found.push(program);
    else {
      const says = version === undefined
        ? `${path} does not say its version`
        : `${path} is ${version}, this is ${VERSION}: a host may start another than you think`;
      checks.push({ state: "note", what: program, says });
    }
  }
  if (found.length === 0) return checks;
  return [{ state: "ok", what: "on PATH", says: `${found.join(", ")}, ${VERSION}` }, ...checks];
}

/** Files that configurations name, and logs, each read to its end. */
export async function theData(
  { folders, servers }: {
    readonly folders: ReadonlyMap<string, LogFolder | undefined>;
    readonly servers: readonly ConfiguredServer[];
  },
  machine: DoctorMachine,
  runtime: Runtime,
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [folder, { logs, index } = { logs: [], index: undefined }] of folders) {
    const files: DataFile[] = logs.map(({ path }) => ({ kind: "log", path }));
    if (index !== undefined) files.push({ kind: "index", path: index });
    const faults: Check[] = [];
    for (const [i, file] of files.entries()) {
      if (i > 0 && i % 200 === 0) {
        runtime.say(`${i} of ${files.length} files of ${folder} are read`);
      }
      faults.push(...await opened(file, machine));
    }
    const bad = faults.filter(({ state }) => state === "fix").length;
    const says = `${files.length - bad} of ${files.length} files can be read to their end`;
    if (files.length > 0) checks.push({ state: "ok", what: `data ${folder}`, says });
    checks.push(...faults);
  }
  for (const { files } of servers) {
    for (const file of files) {
      const faults = await opened(file, machine);
      checks.push(...faults);
      const says = "can be read";
      if (faults.length === 0) {
        checks.push({ state: "ok", what: `${file.kind} ${file.path}`, says });
      }
    }
  }
  return checks;
}

async function opened(file: DataFile, machine: DoctorMachine): Promise<Check[]> {
  const fault = await machine.dataFault(file);
  if (fault === undefined) return [];
  const { isBroken, says } = fault;
  return [{ state: isBroken ? "fix" : "note", what: `${file.kind} ${file.path}`, says }];
}

/** The upstreams, each asked once. */
export async function theNetwork(
  urls: readonly string[],
  machine: DoctorMachine,
  timeoutMs: number,
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const url of new Set(urls)) {
    const what = `upstream ${URL.canParse(url) ? new URL(url).origin : "without a URL"}`;
    for (const { state, says } of await machine.upstream(url, timeoutMs)) {
      checks.push({ state, what, says });
    }
  }
  return checks;
}
