/**
 * Runs one real host against a scripted model and one server, in a home of its own.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { installHost, type LabHost, type LabServer, writeFiles } from "./hosts.ts";
import { type ModelRequest, type ScriptStep, startModel } from "./scripted_model.ts";

/** How long a host may take before it is ended. */
const TIMEOUT_MS = 180_000;

/** What came of a run. */
export interface HostRun {
  readonly requests: readonly ModelRequest[];
  /** Why the run counts for nothing; undefined when the host played the script to its end. */
  readonly fault: string | undefined;
}

/** The last text that the model was shown as the result of a tool, over a whole run. */
export function shownOf(run: HostRun, tool: string): string | undefined {
  const calls = new Map(run.requests.flatMap(({ calls }) => [...calls]));
  const results = run.requests.flatMap(({ results }) => results);
  return results.findLast(({ call }) => calls.get(call)?.tool === tool)?.text;
}

/**
 * Runs a host.
 *
 * @param host The host; installed from npm when it is not there.
 * @param server The server in its configuration.
 * @param steps What the model answers.
 * @returns What the model was shown.
 */
export async function runHost(
  host: LabHost,
  server: LabServer,
  steps: readonly ScriptStep[],
): Promise<HostRun> {
  const binary = await installHost(host);
  if (binary === undefined) {
    return { requests: [], fault: `npm cannot install ${host.package}@${host.version}` };
  }
  const home = await Deno.makeTempDir({ prefix: "hoist-host-" });
  try {
    await using model = startModel(steps);
    const cwd = join(home, "work");
    await Deno.mkdir(cwd);
    await Deno.mkdir(join(home, "tmp"));
    const start = host.start(model.url, server, "Please do what the script says.", home);
    await writeFiles(home, start.files);
    const fault = await play(binary, start.args, {
      cwd,
      env: {
        HOME: home,
        TMPDIR: join(home, "tmp"),
        PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH") ?? ""}`,
        TERM: "xterm",
        LANG: "C.UTF-8",
        ...start.env,
      },
    });
    const hidden = model.requests.flatMap(({ calls }) => [...calls.values()])
      .find(({ isShown }) => !isShown);
    const hiddenFault = hidden && `the host did not show ${hidden.tool} to the model`;
    return { requests: model.requests, fault: fault ?? hiddenFault };
  } finally {
    await Deno.remove(home, { recursive: true }).catch(() => {});
  }
}

async function play(
  binary: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<string | undefined> {
  const child = new Deno.Command(binary, {
    args: [...args],
    cwd: options.cwd,
    env: options.env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const isLate = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    isLate.resolve();
    kill(-child.pid);
  }, TIMEOUT_MS);
  const { success, code, stderr } = await child.output();
  clearTimeout(timer);
  kill(-child.pid);
  const late = await Promise.race([isLate.promise.then(() => true), Promise.resolve(false)]);
  if (late) return `the host did not end within ${TIMEOUT_MS / 1_000} s`;
  const words = new TextDecoder().decode(stderr).trim().slice(-300);
  return success ? undefined : `the host ended with ${code}: ${words}`;
}

/** Ends a process group that this run started. */
function kill(group: number): void {
  try {
    Deno.kill(group, "SIGKILL");
  } catch {
    // It has ended.
  }
}
