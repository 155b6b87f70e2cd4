/**
 * Makes the chain of each session of a proxy, from interceptors that were set up once.
 *
 * @module
 */

import { Chain } from "../chain/chain.ts";
import type { ChainPorts } from "../chain/chain_ports.ts";
import type { InterceptorFactory } from "../chain/interceptor.ts";

/** Records the lines of a session that were cut out of its stream. */
export interface LineTap {
  clientLine(line: Uint8Array, isJson?: boolean): void;
  serverLine(line: Uint8Array, isJson?: boolean): void;
  proxy(line: Uint8Array): void;
  context(line: Uint8Array): void;
}

/** A session that begins. */
export interface NewSession
  extends Pick<ChainPorts, "toServer" | "toServerOwn" | "toHost" | "toHostNote" | "nextNumber"> {
  /** Its id. */
  readonly id: string;
  /** The host session. */
  readonly hostSession: string | undefined;
  /** Its log, and where that is; undefined when nothing is recorded. */
  readonly log: { readonly tap: LineTap; readonly path: string } | undefined;
  /** Whether it is one request, and no session: what was done in it is told in sum. */
  readonly isOnce?: boolean;
  /** Whether the server's lines are recorded before they come to the chain. */
  readonly isServerRecorded?: boolean;
}

/** What an interceptor is told of a session that begins. */
export interface SessionFacts {
  readonly id: string;
  readonly hostSession: string | undefined;
  /** The path of the session's log. */
  readonly logPath: string | undefined;
  readonly isOnce: boolean;
  /** Tells the user, each line once a proxy. */
  readonly say: (line: string) => void;
}

/** What an interceptor adds to one session. */
export interface InterceptorSession {
  readonly make: InterceptorFactory;
  /** Says what was done, and closes what was opened for it. */
  end?(): Promise<void>;
}

/** An interceptor that is set up for all sessions. */
export interface OpenInterceptor {
  /** Methods that it acts on, beside calls, the list of tools and what opens a session. */
  readonly methods?: readonly string[];
  begin(session: SessionFacts): InterceptorSession;
  /** The proxy ends. */
  end?(): void;
}

/** Makes the chains. */
export class Chains {
  readonly #interceptors: readonly OpenInterceptor[];
  readonly #ports: Pick<ChainPorts, "monotonicMs" | "later" | "say">;
  readonly #said = new Set<string>();
  /** Methods that interceptors act on, beside those that all may act on. */
  readonly methods: ReadonlySet<string>;

  /** Makes chains of these interceptors, nearest to the host first. */
  constructor(
    interceptors: readonly OpenInterceptor[],
    ports: Pick<ChainPorts, "monotonicMs" | "later" | "say">,
  ) {
    this.#interceptors = interceptors;
    this.methods = new Set(interceptors.flatMap(({ methods = [] }) => methods));
    this.#ports = ports;
  }

  /** Begins a session. */
  begin(session: NewSession): Chain {
    const { id, hostSession, log, isOnce = false, isServerRecorded = false, ...ways } = session;
    const tap = log?.tap;
    const say = (line: string) => {
      if (this.#said.has(line)) return;
      this.#said.add(line);
      this.#ports.say(line);
    };
    const facts: SessionFacts = { id, hostSession, logPath: log?.path, isOnce, say };
    const sessions = this.#interceptors.map((interceptor) => interceptor.begin(facts));
    return new Chain({
      ...this.#ports,
      ...ways,
      say,
      log: tap && {
        client: (line, isJson) => tap.clientLine(line, isJson),
        server: isServerRecorded ? () => {} : (line, isJson) => tap.serverLine(line, isJson),
        proxy: (line) => tap.proxy(line),
        context: (line) => tap.context(line),
      },
      onEnd: async () => void await Promise.all(sessions.map((s) => s.end?.())),
    }, sessions.map(({ make }) => make));
  }

  /** The proxy ends. */
  end(): void {
    this.#interceptors.forEach((interceptor) => interceptor.end?.());
  }
}
