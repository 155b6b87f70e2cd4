/**
 * The least a relay in this runtime can do: reads and writes in two loops,
 * nothing recorded, no care taken of how the session ends. What the proxy's
 * cost is held against.
 *
 * @module
 */

const [program = "", ...args] = Deno.args;
const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped" }).spawn();

async function up(): Promise<void> {
  const writer = child.stdin.getWriter();
  const buffer = new Uint8Array(65_536);
  for (;;) {
    const count = await Deno.stdin.read(buffer);
    if (count === null) break;
    await writer.write(buffer.slice(0, count));
  }
  await writer.close();
}

up().catch(() => {});
for await (const chunk of child.stdout) {
  for (let rest = chunk; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
}
Deno.exit((await child.status).code);
