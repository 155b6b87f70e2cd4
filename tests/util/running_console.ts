/**
 * A `hoist console` under test: a real process, and requests to it.
 *
 * @module
 */

import { assert } from "@std/assert";
import { executable } from "./executables.ts";
import { StderrText } from "./stderr_text.ts";

/** A running console. */
export class RunningConsoleProcess implements AsyncDisposable {
  /** Its address without the token. */
  readonly base: string;
  /** The first token. */
  readonly token: string;
  readonly stderr: StderrText;
  readonly #child: Deno.ChildProcess;
  readonly #out: ReadableStream<Uint8Array>;
  #cookie = "";

  private constructor(
    url: string,
    child: Deno.ChildProcess,
    stderr: StderrText,
    out: ReadableStream<Uint8Array>,
  ) {
    const { origin, searchParams } = new URL(url);
    this.base = origin;
    this.token = searchParams.get("token") ?? "";
    this.stderr = stderr;
    this.#child = child;
    this.#out = out;
  }

  /**
   * Starts a console; settles when it has printed its link.
   *
   * @param args Arguments besides the address.
   * @param options Variables, and the program instead of `hoist`.
   */
  static async start(
    args: readonly string[],
    { env = {}, program = executable("hoist") }: {
      readonly env?: Readonly<Record<string, string>>;
      readonly program?: readonly string[];
    } = {},
  ): Promise<RunningConsoleProcess> {
    const [command = "", ...first] = program;
    const child = new Deno.Command(command, {
      args: [...first, "console", "--listen", "127.0.0.1:0", ...args],
      env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stderr = new StderrText(child.stderr);
    const reader = child.stdout.getReader();
    let text = "";
    while (!text.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    reader.releaseLock();
    assert(
      text.startsWith("http://"),
      `no link: "${text}", ${text === "" ? await stderr.whole : ""}`,
    );
    return new RunningConsoleProcess(text.trim(), child, stderr, child.stdout);
  }

  /** Its process's id. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Exchanges the first token for a cookie. */
  async signIn(): Promise<void> {
    const reply = await this.get(`/?token=${this.token}`);
    await reply.body?.cancel();
    this.#cookie = (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  }

  /** The cookie, as a browser is given it. */
  get cookie(): { name: string; value: string; url: string } {
    const [name = "", value = ""] = this.#cookie.split("=");
    return { name, value, url: this.base };
  }

  /** The link that was printed after so many sign-ins. */
  async nextLink(after = 1): Promise<string> {
    for (;;) {
      const links = [...this.stderr.soFar.matchAll(/another browser: (\S+)\n/g)];
      const found = links[after - 1]?.[1];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Asks for a page as this browser. */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.base + path, {
      headers: { ...(this.#cookie === "" ? {} : { cookie: this.#cookie }), ...headers },
      redirect: "manual",
    });
  }

  /** A page's text. */
  async text(path: string): Promise<string> {
    return await (await this.get(path)).text();
  }

  /** Asks for a page until its text fits. */
  async until(path: string, fits: (text: string) => boolean, pauseMs = 20): Promise<string> {
    for (;;) {
      const text = await this.text(path);
      if (fits(text)) return text;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Ends it by Ctrl+C; gives its status. */
  async stop(): Promise<number> {
    this.#child.kill("SIGINT");
    return (await this.#child.status).code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // It has ended.
    }
    await this.#child.status;
    await this.#out.cancel();
    await this.stderr.whole;
  }
}
