/**
 * A terminal for a program under test, made by util-linux's `script`.
 *
 * @module
 */

/** Whether a terminal can be had here. */
export const hasTerminal: boolean = await new Deno.Command("script", { args: ["--version"] })
  .output()
  .then(
    ({ code, stdout }) => code === 0 && new TextDecoder().decode(stdout).includes("util-linux"),
    () => false,
  );

/**
 * Runs a command line at a terminal of its own, and types once something is shown.
 *
 * @param line The command line, for a shell; the shell is replaced by it, so that which shell it is
 * has no say in the status.
 * @param typing What is waited for, and what is typed then.
 * @param options Where it runs.
 * @returns Its status, and what the terminal showed.
 */
export async function atTerminal(
  line: string,
  { after, type }: { readonly after: string; readonly type: string },
  options: Pick<Deno.CommandOptions, "cwd" | "env"> = {},
): Promise<{ readonly code: number; readonly out: string }> {
  const child = new Deno.Command("script", {
    args: ["-qec", `exec ${line}`, "/dev/null"],
    ...options,
    env: { ...options.env, SHELL: "/bin/sh" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  let out = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const hadShown = out.includes(after);
    out += text;
    if (!hadShown && out.includes(after)) await writer.write(new TextEncoder().encode(type));
  }
  await writer.close().catch(() => {});
  return { code: (await child.status).code, out };
}
