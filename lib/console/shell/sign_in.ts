/**
 * Who may see the pages: whoever brings a token that was printed in the terminal, once, and then the
 * cookie it was exchanged for.
 *
 * A token is worth one sign-in. The next one is made when it is used, and printed for the next
 * browser. Cookies of other ports of this machine reach us too, so ours has the port in its name.
 *
 * @module
 */

import { admit, loopback } from "../../mcp/http_rules.ts";
import type { ConsoleAddress } from "../record/console_options.ts";

/** Browsers that are signed in; past it the oldest has to sign in again. */
const MAX_BROWSERS = 32;

/** Keeps the tokens of one run. */
export class SignIn {
  readonly #hostname: string;
  readonly #port: number;
  readonly #browsers = new Set<string>();
  readonly #onNext: (token: string) => void;
  #token: string;

  /**
   * Starts with one token.
   *
   * @param address Where the console listens; its port is the real one.
   * @param onNext Called with the next token when one was used.
   */
  constructor({ hostname, port }: ConsoleAddress, onNext: (token: string) => void) {
    this.#hostname = hostname;
    this.#port = port;
    this.#onNext = onNext;
    this.#token = randomText();
  }

  /** The token of the next sign-in. */
  get token(): string {
    return this.#token;
  }

  /**
   * Why a request is refused whoever sends it: it names another host, or comes from another site.
   *
   * @param request The request.
   * @returns The reason; undefined for none.
   */
  foreign(request: Request): string | undefined {
    const header = (name: string) => request.headers.get(name) ?? undefined;
    const names = loopback([this.#hostname], this.#port);
    if (admit(header, names) !== undefined) {
      return "This request is for another host, or comes from another site.";
    }
    const isReading = request.method === "GET" || request.method === "HEAD";
    if (!isReading && header("origin") === undefined) {
      return "This request does not name its origin.";
    }
    return undefined;
  }

  /** Whether a request brings the cookie of a signed-in browser. */
  isSignedIn(request: Request): boolean {
    const cookies = (request.headers.get("cookie") ?? "").split(/; */);
    const start = `${this.#cookie}=`;
    return cookies.some((text) =>
      text.startsWith(start) && this.#browsers.has(text.slice(start.length))
    );
  }

  /**
   * Exchanges a token.
   *
   * @param token What a browser brought.
   * @returns The value of `Set-Cookie`; undefined when the token is not the one of now.
   */
  exchange(token: string): string | undefined {
    if (token !== this.#token) return undefined;
    const browser = randomText();
    this.#browsers.add(browser);
    if (this.#browsers.size > MAX_BROWSERS) {
      const [oldest] = this.#browsers;
      if (oldest !== undefined) this.#browsers.delete(oldest);
    }
    this.#token = randomText();
    this.#onNext(this.#token);
    return `${this.#cookie}=${browser}; Path=/; HttpOnly; SameSite=Strict`;
  }

  get #cookie(): string {
    return `hoist_console_${this.#port}`;
  }
}

/** 256 random bits: too many to guess, so comparing takes no care of its time. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
