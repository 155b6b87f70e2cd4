/**
 * A notice on the desktop, by the program that the system has for it: `notify-send` on Linux,
 * `osascript` on macOS. It is opt-in, since it needs the right to run that program.
 *
 * Title and text reach the program as arguments, so any local user may see them: they carry no
 * secret and no text of an agent.
 *
 * @module
 */

/** Shows notices, or says why it cannot. */
export type DesktopNotice =
  | { readonly kind: "ready"; readonly program: string; show(title: string, text: string): void }
  | { readonly kind: "unavailable"; readonly problem: string };

const PROGRAMS: Partial<Record<typeof Deno.build.os, Program>> = {
  linux: {
    name: "notify-send",
    args: (title, text) => ["--app-name=hai-mcp", "--", title, text],
  },
  darwin: {
    name: "osascript",
    args: (title, text) => [
      ...["-e", "on run argv"],
      ...["-e", "display notification (item 2 of argv) with title (item 1 of argv)"],
      ...["-e", "end run", title, text],
    ],
  },
};

interface Program {
  readonly name: string;
  readonly args: (title: string, text: string) => string[];
}

/**
 * Finds the program for notices on this system.
 *
 * @param onFault Hears once that a notice could not be shown.
 * @param os The system.
 * @returns The notices, or why there are none.
 */
export function desktopNotice(
  onFault: (problem: string) => void,
  os: typeof Deno.build.os = Deno.build.os,
): DesktopNotice {
  const program = PROGRAMS[os];
  if (program === undefined) {
    return { kind: "unavailable", problem: `There are no desktop notices on ${os}` };
  }
  const { name } = program;
  if (Deno.permissions.querySync({ name: "run", command: name }).state !== "granted") {
    return { kind: "unavailable", problem: `Desktop notices need --allow-run=${name}` };
  }
  let isBroken = false;
  const fail = (problem: string) => {
    if (!isBroken) onFault(problem);
    isBroken = true;
  };
  return {
    kind: "ready",
    program: name,
    show(title, text) {
      if (isBroken) return;
      run(name, program.args(title, text)).then((problem) => {
        if (problem !== undefined) fail(problem);
      });
    },
  };
}

async function run(name: string, args: string[]): Promise<string | undefined> {
  try {
    const { code } = await new Deno.Command(name, { args, stdout: "null", stderr: "null" })
      .output();
    return code === 0 ? undefined : `${name} ended with status ${code}: no more desktop notices`;
  } catch (error) {
    const kind = error instanceof Error ? error.name : "Error";
    return `${name} cannot be run (${kind}): no desktop notices`;
  }
}
