/**
 * Takes one message through interceptors, toward the server or back.
 *
 * A message is passed, replaced or answered once. If an interceptor fails, the user is told
 * its name, and the message passes; a call is refused instead if the interceptor may refuse.
 *
 * @module
 */

import { addedToList, withInstruction } from "./advertise.ts";
import {
  type AbleInterceptor,
  type AnswerCrossing,
  type CancelCrossing,
  type Crossing,
  type NoteCrossing,
  PASS,
  refuseCall,
  type RequestCrossing,
  type Verdict,
} from "./interceptor.ts";
import { reasonOf } from "../../text/reason.ts";
import { seeLine, type SeenMessage } from "./seen.ts";

/** An answer that has come up through the interceptors. */
export interface Risen {
  /** The message, in the line it goes on in. */
  readonly message: SeenMessage;
  /** Whether an interceptor replaced the line. */
  readonly isReplaced: boolean;
}

/** The interceptors of one session, nearest to the host first. */
export class Walk {
  readonly #links: readonly AbleInterceptor[];
  readonly #say: (line: string) => void;

  /** Walks through `links`; `say` is told of faults. */
  constructor(links: readonly AbleInterceptor[], say: (line: string) => void) {
    this.#links = links;
    this.#say = say;
  }

  /** Whether any interceptor may refuse a call. */
  get mayRefuse(): boolean {
    return this.#links.some((link) => link.mayRefuse === true);
  }

  /** Whether a line of the server that cannot be read goes no further. */
  get isStrict(): boolean {
    return this.#links.some((link) => link.isStrict === true);
  }

  /**
   * Takes a message of the host down.
   *
   * @param crossing The message.
   * @param from The place of the first interceptor that looks at it.
   * @returns The first verdict that is no pass, or a pass; a promise only where one had to wait.
   */
  down(crossing: RequestCrossing | NoteCrossing, from = 0): Verdict | Promise<Verdict> {
    for (let i = from; i < this.#links.length; i++) {
      const verdict = this.#ask(i, crossing);
      if (verdict instanceof Promise) {
        const kept = { ...crossing, message: crossing.message.kept() };
        return verdict.then((v) => v.kind === "pass" ? this.down(kept, i + 1) : v);
      }
      if (verdict.kind !== "pass") return verdict;
    }
    return PASS;
  }

  /**
   * Takes a message of the server up.
   *
   * @param crossing The message.
   * @param to The place of the last interceptor that looks at it.
   * @returns What comes out; a promise only where an interceptor holds it.
   */
  up(crossing: AnswerCrossing | NoteCrossing, to = 0): Risen | Promise<Risen> {
    return this.#up(crossing, this.#links.length - 1, { to, isReplaced: false });
  }

  /** Tells interceptors from a place on that a request gets no answer. */
  cancel(crossing: CancelCrossing, from = 0): void {
    for (let i = from; i < this.#links.length; i++) this.#ask(i, crossing);
  }

  /** Calls every interceptor, from a place on, that has an ability. */
  tell(tell: (link: AbleInterceptor) => void, from = 0): void {
    for (const link of this.#links.slice(from)) {
      try {
        tell(link);
      } catch (error) {
        this.#fault(link, error, "goes on");
      }
    }
  }

  #up(
    crossing: AnswerCrossing | NoteCrossing,
    from: number,
    { to, isReplaced }: { readonly to: number; readonly isReplaced: boolean },
  ): Risen | Promise<Risen> {
    let now = crossing;
    for (let i = from; i >= to; i--) {
      const verdict = this.#ask(i, now);
      if (verdict instanceof Promise) {
        const kept = { ...now, message: now.message.kept() };
        return verdict.then((v) => {
          const next = this.#advertised(i, replaced(kept, v));
          return this.#up(next, i - 1, { to, isReplaced: isReplaced || v.kind === "replace" });
        });
      }
      now = this.#advertised(i, replaced(now, verdict));
      isReplaced ||= verdict.kind === "replace";
    }
    return { message: now.message, isReplaced };
  }

  /** Asks one interceptor; its faults are dealt with here. */
  #ask(place: number, crossing: Crossing): Verdict | Promise<Verdict> {
    const link = this.#links[place];
    if (link === undefined) return PASS;
    try {
      const verdict = link.onMessage(crossing);
      return verdict instanceof Promise
        ? verdict.then((v) => this.#checked(link, crossing, v))
          .catch((error) => this.#failed(link, crossing, error))
        : this.#checked(link, crossing, verdict);
    } catch (error) {
      return this.#failed(link, crossing, error);
    }
  }

  /** The verdict, if it fits the message. Throws otherwise; an answer that fails later is an error. */
  #checked(link: AbleInterceptor, crossing: Crossing, verdict: Verdict): Verdict {
    if (verdict.kind === "pass") return verdict;
    if (verdict.kind === "replace") {
      if (crossing.kind !== "answer") throw new TypeError("only an answer can be replaced");
      inLine(crossing, verdict.line);
      return verdict;
    }
    if (crossing.kind !== "request") throw new TypeError("only a request can be answered");
    const { answer } = verdict;
    if (!(answer instanceof Promise)) return verdict;
    const kept = answer.catch((error) => {
      this.#fault(link, error, "is answered with an error");
      return { text: `Error: ${link.name} stopped: ${reasonOf(error)}`, isError: true };
    });
    return { kind: "answer", answer: kept };
  }

  #failed(link: AbleInterceptor, crossing: Crossing, error: unknown): Verdict {
    if (link.mayRefuse !== true || crossing.kind !== "request" || crossing.call === undefined) {
      this.#fault(link, error, "passes as it is");
      return PASS;
    }
    this.#fault(link, error, "is refused");
    return refuseCall(
      `Refused: ${crossing.call.tool} could not be checked, so it was not run and nothing changed.`,
    );
  }

  #fault({ name }: AbleInterceptor, error: unknown, outcome: string): void {
    this.#say(`${name}: a fault, the message ${outcome}: ${reasonOf(error)}`);
  }

  /** What an interceptor's own tool adds to an answer. */
  #advertised<T extends AnswerCrossing | NoteCrossing>(place: number, crossing: T): T {
    const link = this.#links[place];
    const tool = link?.tool;
    if (link === undefined || tool === undefined || crossing.kind !== "answer") return crossing;
    const { message, method, isFirstPage } = crossing;
    try {
      const line = method === "tools/list"
        ? isFirstPage ? addedToList(message, tool) : undefined
        : method === "initialize" || method === "server/discover"
        ? withInstruction(message, tool.instruction)
        : undefined;
      return line === undefined ? crossing : inLine(crossing, line);
    } catch (error) {
      this.#fault(link, error, "passes as it is");
      return crossing;
    }
  }
}

function replaced<T extends AnswerCrossing | NoteCrossing>(crossing: T, verdict: Verdict): T {
  return verdict.kind === "replace" ? inLine(crossing, verdict.line) : crossing;
}

/** The same message where it stands in a changed line. */
function inLine<T extends AnswerCrossing | NoteCrossing>(crossing: T, line: Uint8Array): T {
  const message = seeLine(line)?.messages[crossing.message.index];
  if (message === undefined) throw new TypeError("a changed line is no line of messages");
  return { ...crossing, message };
}
