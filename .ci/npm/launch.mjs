/**
 * Starts a program of the npm package: Node finds the platform's Deno, which npm has installed
 * beside this package, and Deno runs the program's bundle with the permissions of a compiled one.
 *
 * Nothing is installed, written or downloaded here. The program has our standard streams; TERM, INT
 * and HUP go on to it, its end is ours, and it is ended when the process that started us is gone:
 * npx forwards no signals, and a program that reads a host's open pipe would not notice.
 */

import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";

/** How often we look whether our parent lives, and how long a program may take to end after it. */
const WATCH_MS = 500;
const GRACE_MS = 10_000;

const FOLDER = dirname(fileURLToPath(import.meta.url));
const { version, programs } = JSON.parse(readFileSync(join(FOLDER, "programs.json"), "utf8"));

/** The package's own command: the program is its first argument. */
export function dispatch([name = "", ...args]) {
  if (Object.hasOwn(programs, name)) return launch(name, args);
  const known = Object.keys(programs).join(", ");
  if (name === "--version") return console.log(`@hoist/mcp ${version}`);
  const usage = `Usage: mcp PROGRAM [ARGUMENTS]\nPrograms: ${known}`;
  if (name === "--help") return console.log(usage);
  console.error(name === "" ? usage : `mcp: no program "${name}"; there are ${known}`);
  process.exitCode = 2;
}

/** Starts a program and lives as long as it does. */
export function launch(name, args) {
  const bundle = join(FOLDER, "programs", `${name}.js`);
  // Only `hoist` writes configurations: other programs hand their environment to servers.
  const env = name === "hoist"
    ? { ...process.env, HOIST_NPM: `@hoist/mcp@${version}` }
    : process.env;
  const child = spawn(denoPath(name), ["run", ...programs[name], bundle, ...args], {
    stdio: "inherit",
    env,
  });
  const forward = (signal) => {
    // A terminal sends INT to the program itself.
    if (signal !== "SIGINT" || !isatty(0)) child.kill(signal);
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, forward);
  child.on("error", (error) => fail(name, `cannot start Deno: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  endWithParent(child);
}

/** Ends the program when the process that started us is gone, or the npx that started our shell. */
function endWithParent(child) {
  const parent = process.ppid;
  const watched = [parent];
  if (process.env.npm_execpath !== undefined) watched.push(...parentOf(parent));
  const timer = setInterval(() => {
    if (process.ppid === parent && watched.every(isAlive)) return;
    clearInterval(timer);
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
  }, WATCH_MS);
  timer.unref();
}

/** The parent of a process, as a list of one; of none where the system does not say. */
function parentOf(pid) {
  try {
    const ps = () => execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" });
    const parent = process.platform === "linux"
      ? readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) \S /s, "").split(" ")[0]
      : process.platform === "win32"
      ? ""
      : ps();
    const number = Number(parent);
    return number > 1 ? [number] : [];
  } catch {
    return [];
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** The file of the platform's Deno. */
function denoPath(name) {
  const { platform, arch } = process;
  process.report.excludeNetwork = true; // It would look names up.
  if (platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined) {
    fail(name, "Deno's programs need glibc, and this Linux has musl: use an image with glibc");
  }
  const wanted = `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`;
  const file = platform === "win32" ? "deno.exe" : "deno";
  try {
    const found = createRequire(import.meta.url).resolve(`${wanted}/package.json`);
    return join(dirname(found), file);
  } catch {
    return fail(name, `the package ${wanted} is not installed: install with optional dependencies`);
  }
}

function fail(name, why) {
  console.error(`${name}: ${why}`);
  process.exit(125);
}
