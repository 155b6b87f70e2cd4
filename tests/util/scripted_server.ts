/**
 * A server that does exactly what a plan says, byte for byte, for tests of what
 * crosses the proxy and of how sessions end. It speaks no MCP.
 *
 * Usage: `deno run -A scripted_server.ts DIR`, with the plan in `DIR/plan.json`.
 * Every byte it reads is appended to `DIR/in.bin`; `DIR/pid` holds its process
 * id, `DIR/starts` a letter a start, `DIR/eof` is made when its input ends, `DIR/signals` lists signals it
 * ignored, `DIR/said` is made after the last step.
 *
 * @module
 */

/** One step of a plan; steps run one after another. */
export type Step =
  /** Writes bytes (latin1 text: one character a byte), `times` over. */
  | { readonly say: string; readonly times?: number }
  /** Writes the bytes one at a time, each in a write of its own. */
  | { readonly dribble: string }
  /** Writes bytes to stderr. */
  | { readonly err: string; readonly times?: number }
  /** Waits until so many newlines were read in all. */
  | { readonly lines: number }
  /** Waits until so many bytes were read in all. */
  | { readonly bytes: number }
  /** Waits for the end of the input. */
  | { readonly eof: true }
  /** Waits. */
  | { readonly sleepMs: number }
  /** Reads nothing until so long after. */
  | { readonly pauseReadingMs: number }
  /** Answers each further line with `prefix` + the line, until the input ends. */
  | { readonly echo: string }
  /** Ignores signals from here on. */
  | { readonly ignore: readonly Deno.Signal[] }
  /** Starts a child that holds stdout (or not) and lives for so long. */
  | { readonly grandchildMs: number; readonly holds: boolean }
  | { readonly closeOutput: true }
  | { readonly killSelf: Deno.Signal }
  | { readonly exit: number };

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

async function writeAll(to: typeof Deno.stdout, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await to.write(rest));
}

// deno-lint-ignore hoist/function-length -- one branch a step of the plan
async function main(dir: string): Promise<void> {
  const plan: readonly Step[] = JSON.parse(await Deno.readTextFile(`${dir}/plan.json`));
  const received = await Deno.open(`${dir}/in.bin`, { append: true, create: true });
  await Deno.writeTextFile(`${dir}/starts`, "x", { append: true });
  await Deno.writeTextFile(`${dir}/pid`, String(Deno.pid));
  let newlines = 0;
  let bytes = 0;
  let ended = false;
  let resumeAt = 0;
  let echo: string | undefined;
  let line: number[] = [];
  const waiting = new Set<() => void>();

  const read = async (): Promise<void> => {
    const buffer = new Uint8Array(65_536);
    for (;;) {
      const pause = resumeAt - performance.now();
      if (pause > 0) await new Promise((r) => setTimeout(r, pause));
      const count = await Deno.stdin.read(buffer).catch(() => null);
      if (count === null) break;
      const chunk = buffer.subarray(0, count);
      received.writeSync(chunk);
      bytes += count;
      for (const byte of chunk) {
        if (byte !== 10) {
          if (echo !== undefined) line.push(byte);
          continue;
        }
        newlines++;
        if (echo === undefined) continue;
        await writeAll(Deno.stdout, new Uint8Array([...latin1(echo), ...line, 10]));
        line = [];
      }
      waiting.forEach((wake) => wake());
    }
    ended = true;
    Deno.writeTextFileSync(`${dir}/eof`, "");
    waiting.forEach((wake) => wake());
  };
  const until = (test: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const wake = () => {
        if (!test()) return;
        waiting.delete(wake);
        resolve();
      };
      waiting.add(wake);
      wake();
    });

  read();
  for (const step of plan) {
    if ("say" in step) {
      for (let i = 0; i < (step.times ?? 1); i++) await writeAll(Deno.stdout, latin1(step.say));
    } else if ("dribble" in step) {
      for (const byte of latin1(step.dribble)) {
        await writeAll(Deno.stdout, new Uint8Array([byte]));
        await new Promise((r) => setTimeout(r, 1));
      }
    } else if ("err" in step) {
      for (let i = 0; i < (step.times ?? 1); i++) await writeAll(Deno.stderr, latin1(step.err));
    } else if ("lines" in step) await until(() => newlines >= step.lines);
    else if ("bytes" in step) await until(() => bytes >= step.bytes);
    else if ("eof" in step) await until(() => ended);
    else if ("sleepMs" in step) await new Promise((r) => setTimeout(r, step.sleepMs));
    else if ("pauseReadingMs" in step) resumeAt = performance.now() + step.pauseReadingMs;
    else if ("echo" in step) {
      echo = step.echo;
      await until(() => ended);
    } else if ("ignore" in step) {
      for (const signal of step.ignore) {
        Deno.addSignalListener(signal, () => {
          Deno.writeTextFileSync(`${dir}/signals`, signal + "\n", { append: true });
        });
      }
    } else if ("grandchildMs" in step) {
      new Deno.Command("sleep", {
        args: [String(step.grandchildMs / 1000)],
        stdin: "null",
        stdout: step.holds ? "inherit" : "null",
        stderr: "null",
      }).spawn().unref();
    } else if ("closeOutput" in step) Deno.stdout.close();
    else if ("killSelf" in step) {
      Deno.kill(Deno.pid, step.killSelf);
      await new Promise(() => setTimeout(() => {}, 60_000));
    } else {
      Deno.writeTextFileSync(`${dir}/said`, "");
      Deno.exit(step.exit);
    }
  }
  Deno.writeTextFileSync(`${dir}/said`, "");
  Deno.exit(0);
}

if (import.meta.main) await main(Deno.args[0] ?? ".");
