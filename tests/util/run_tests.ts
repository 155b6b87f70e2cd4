/**
 * `deno task test`: every test in a random order, which is printed so that it can be run again.
 *
 * `--shuffle=SEED` chooses the order; all other arguments go to `deno test`.
 *
 * @module
 */

const SHUFFLE = "--shuffle=";

const args = Deno.args.filter((arg) => !arg.startsWith(SHUFFLE));
const chosen = Deno.args.find((arg) => arg.startsWith(SHUFFLE))?.slice(SHUFFLE.length);
const seed = chosen ?? String(Math.floor(Math.random() * 1_000_000));

const say = (text: string) => console.error(`order of the tests: --shuffle=${seed}${text}`);

say("");
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["test", "-A", "--doc", "--parallel", `${SHUFFLE}${seed}`, ...args],
}).spawn().status;
if (code !== 0) say(` runs them in this order again`);
Deno.exit(code);
