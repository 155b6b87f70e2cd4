/**
 * Headless Chromium, as far as a page's look is concerned: opens files, at a width and in a
 * colour scheme, and says what a person would see and what the console would say.
 *
 * @module
 */

/** Where Debian puts it. */
export const CHROMIUM = "/usr/bin/chromium";

/** How a page is shown. */
export interface View {
  /** CSS pixels. */
  readonly width: number;
  readonly scheme: "light" | "dark";
}

/** A running browser. */
export interface Browser extends AsyncDisposable {
  /**
   * Opens a page and asks it something.
   *
   * @param url The page.
   * @param view How it is shown.
   * @param question An expression; its value must be JSON.
   * @returns The value, and every error of the page.
   */
  ask(url: string, view: View, question: string): Promise<{ value: unknown; errors: string[] }>;
  /** The page as it is now, as a PNG. */
  picture(): Promise<Uint8Array>;
}

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A connection to one page, over the DevTools protocol. */
class Page {
  readonly errors: string[] = [];
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #next = 0;
  #onLoad: () => void = () => {};

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
  }

  async send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#next;
    const replied = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await replied;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  async open(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => this.#onLoad = resolve);
    await this.send("Page.navigate", { url });
    await loaded;
  }

  #take(reply: Reply): void {
    if (reply.id !== undefined) {
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    } else if (reply.method === "Page.loadEventFired") this.#onLoad();
    else if (reply.method === "Runtime.exceptionThrown" || isError(reply)) {
      this.errors.push(JSON.stringify(reply.params));
    }
  }
}

function isError({ method, params }: Reply): boolean {
  const text = JSON.stringify(params ?? {});
  return (method === "Log.entryAdded" && text.includes('"level":"error"')) ||
    (method === "Runtime.consoleAPICalled" && text.includes('"type":"error"'));
}

/** Starts Chromium, with one page. */
export async function browser(): Promise<Browser> {
  const profile = await Deno.makeTempDir();
  const child = new Deno.Command(CHROMIUM, {
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--remote-debugging-address=127.0.0.1",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "about:blank",
    ],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const said = child.stderr.pipeThrough(new TextDecoderStream());
  const port = await portOf(said);
  const drained = said.pipeTo(new WritableStream()).catch(() => {});
  const pages = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const url = pages.find((page: { type: string }) => page.type === "page").webSocketDebuggerUrl;
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.onopen = resolve);
  const page = new Page(socket);
  for (const domain of ["Page", "Runtime", "Log"]) await page.send(`${domain}.enable`);
  return {
    ask: async (url, { width, scheme }, expression) => {
      page.errors.length = 0;
      const device = { width, height: 844, deviceScaleFactor: 2, mobile: width < 600 };
      await page.send("Emulation.setDeviceMetricsOverride", device);
      const features = [{ name: "prefers-color-scheme", value: scheme }];
      await page.send("Emulation.setEmulatedMedia", { features });
      await page.open(url);
      const asked = { expression, returnByValue: true };
      const { result } = await page.send("Runtime.evaluate", asked) as {
        result: { value: unknown };
      };
      return { value: result.value, errors: [...page.errors] };
    },
    picture: async () => {
      const { data } = await page.send("Page.captureScreenshot", { captureBeyondViewport: true });
      return Uint8Array.from(atob(String(data)), (c) => c.charCodeAt(0));
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => socket.onclose = resolve);
      child.kill("SIGTERM");
      await closed;
      await child.status;
      await drained;
      await Deno.remove(profile, { recursive: true }).catch(() => {});
    },
  };
}

/** The port that Chromium says it listens on. */
async function portOf(said: ReadableStream<string>): Promise<string> {
  let text = "";
  for await (const chunk of said.values({ preventCancel: true })) {
    text += chunk;
    const [, port] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
    if (port !== undefined) return port;
  }
  throw new Error(`Chromium did not start: ${text.slice(0, 500)}`);
}
