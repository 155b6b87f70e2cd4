/**
 * A tour of a server's features with the SDK's client: named steps, and a
 * transcript of the wire that is equal for equal servers.
 *
 * What differs by nature from run to run (times, random ids) is masked by the
 * caller's patterns; everything else stays as it was sent, key order and spacing
 * included.
 *
 * @module
 */

import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/types"
import { McpError, ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { WireTransport, type WireTransportOptions } from "./wire_transport.ts";

/** A pattern of what varies, and what to put in its place. */
export type Mask = readonly [RegExp, string | ((found: string) => string)];

/** What one tour saw. */
export interface Tour {
  /** Step by step: `# name`, `> line` for each line sent, `< line` for each received. */
  readonly transcript: string[];
  /** Every line of the wire as it was, in the order the client saw them. */
  readonly wire: WireTransport["lines"];
  /** The command's exit status. */
  readonly status: number;
}

/** Options for a tour. */
export interface TourOptions extends WireTransportOptions {
  /** Called as each step begins. */
  onStep?: (name: string) => void;
}

type Capabilities = NonNullable<ConstructorParameters<typeof Client>[1]>["capabilities"];

/** A request of a step: method, parameters, and how to send it. */
export interface Ask {
  readonly method: string;
  readonly params?: Record<string, unknown>;
  /** Whether to ask for progress, the SDK's way. */
  readonly progress?: true;
  /** Give the request up at its first progress. */
  readonly cancelAtProgress?: true;
}

/** One connection and the transcript of what is done with it. */
export class FeatureTour {
  readonly client: Client;
  readonly #transport: WireTransport;
  readonly #masks: readonly Mask[];
  readonly #onStep: (name: string) => void;
  readonly #transcript: string[] = [];

  constructor(argv: readonly string[], masks: readonly Mask[], setup: {
    name?: string;
    capabilities?: Capabilities;
    options?: TourOptions;
  }) {
    this.#transport = new WireTransport(argv, setup.options);
    this.#masks = masks;
    this.#onStep = setup.options?.onStep ?? (() => {});
    const info = { name: setup.name ?? "feature-tour", version: "1.0.0" };
    this.client = new Client(info, { capabilities: setup.capabilities ?? {} });
    // Progress with a token of our own making is no error here.
    this.client.onerror = () => {};
  }

  /** Initializes, and waits for the server's line that ends its own start. */
  async connect(last?: RegExp): Promise<void> {
    await this.#step("initialize", () => this.client.connect(this.#transport), last);
  }

  /** Sends one request and waits for its answer, and for a further line when one is named. */
  async ask(name: string, { method, params, ...how }: Ask, last?: RegExp): Promise<void> {
    const giveUp = new AbortController();
    const onprogress = () => {
      if (how.cancelAtProgress) giveUp.abort("the tour gives up");
    };
    await this.#step(name, async () => {
      try {
        await this.client.request(
          { method, ...(params === undefined ? {} : { params }) },
          ResultSchema,
          {
            signal: giveUp.signal,
            ...(how.progress || how.cancelAtProgress ? { onprogress } : {}),
          },
        );
      } catch (error) {
        // An error is an answer, and stands in the transcript as it came.
        if (!(error instanceof McpError) && !giveUp.signal.aborted) throw error;
      }
    }, last);
  }

  /** Calls a tool. */
  async call(
    tool: string,
    args: Record<string, unknown> = {},
    more: Partial<Ask> & { readonly last?: RegExp } = {},
  ): Promise<void> {
    const { last, params, ...how } = more;
    const all = { name: tool, arguments: args, ...params };
    await this.ask(`tools/call ${tool}`, { method: "tools/call", params: all, ...how }, last);
  }

  /** Sends a notification and waits for the server's line that it brings about. */
  async notify(method: string, last: RegExp): Promise<void> {
    await this.#step(method, () => this.client.notification({ method }), last);
  }

  /** The value a masked pattern had in the lines so far, newest first. */
  seen(pattern: RegExp): string | undefined {
    for (const { text } of this.#transport.lines.toReversed()) {
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Ends the session. */
  async end(): Promise<Tour> {
    const from = this.#transport.lines.length;
    const status = await this.#transport.end();
    this.#write("end", from);
    await this.client.close();
    return { transcript: this.#transcript, wire: this.#transport.lines, status };
  }

  async #step(name: string, run: () => Promise<void>, last?: RegExp): Promise<void> {
    this.#onStep(name);
    const from = this.#transport.lines.length;
    await run();
    if (last !== undefined) await this.#transport.until((text) => last.test(text), from);
    this.#write(name, from);
  }

  /** Sent and received apart: how the two interleave is a matter of timing. */
  #write(name: string, from: number): void {
    const lines = this.#transport.lines.slice(from);
    this.#transcript.push(`# ${name}`);
    for (const [who, sign] of [["client", ">"], ["server", "<"]] as const) {
      for (const line of lines) {
        if (line.from === who) this.#transcript.push(`${sign} ${this.#mask(line.text)}`);
      }
    }
  }

  #mask(text: string): string {
    return this.#masks.reduce(
      (masked, [what, by]) =>
        typeof by === "string" ? masked.replaceAll(what, by) : masked.replaceAll(what, by),
      text,
    );
  }
}
