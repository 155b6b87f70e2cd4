/**
 * Requests that interceptors make themselves. Each starts at the place of the interceptor
 * that makes it, passes those between it and the server as a call of the agent does, and its
 * answer comes back to that place and no further.
 *
 * @module
 */

import { OWN_META, VERSION_KEY } from "../../mcp/era.ts";
import type { JsonObject } from "../../json/json.ts";
import { isFirstPage } from "./advertise.ts";
import { asksForInput, readAnswer } from "./answers.ts";
import type {
  AnswerCrossing,
  CallHow,
  ChainCall,
  OwnAnswer,
  OwnCall,
  RequestCrossing,
} from "./interceptor.ts";
import type { OwnReply, OwnRequest, OwnRequests } from "./own_requests.ts";
import { seeLine, type SeenMessage } from "./seen.ts";
import type { Walk } from "./walk.ts";

/** Where a request starts. */
export interface CallPlace {
  /** The index of the interceptor that makes it. */
  readonly index: number;
  /** The interceptor's name. */
  readonly name: string;
}

/** What came of a request. */
type Reply =
  | { readonly kind: "answer"; readonly message: SeenMessage }
  | { readonly kind: "refused"; readonly text: string }
  | { readonly kind: "late" | "cancelled" | "closed" };

const encoder = new TextEncoder();

/** The requests of a session's interceptors. */
export class OwnCalls {
  /** The version that the host's last request names; undefined in a legacy session. */
  version: string | undefined;
  readonly #own: OwnRequests;
  readonly #walk: Walk;

  /** Starts with none. */
  constructor(own: OwnRequests, walk: Walk) {
    this.#own = own;
    this.#walk = walk;
  }

  /** Calls a tool. */
  call(
    place: CallPlace,
    { tool, args, how: { ms, isLookup = false, token } }: {
      readonly tool: string;
      readonly args: JsonObject;
      readonly how: CallHow;
    },
  ): OwnCall {
    const own = this.#start(place, "tools/call", {
      params: this.#params({ name: tool, arguments: args }, token),
      ms,
      call: { tool, arguments: args, isLookup },
    });
    const reply = own.reply.then((reply): OwnAnswer => {
      switch (reply.kind) {
        case "answer":
          return asksForInput(reply.message)
            ? { kind: "none", why: "input" }
            : { kind: "answer", ...readAnswer(reply.message) };
        case "refused":
          return reply;
        default:
          return { kind: "none", why: reply.kind };
      }
    });
    return { reply, cancel: own.cancel };
  }

  /** Sends any other request; its answer, if one came in time. */
  async ask(
    place: CallPlace,
    { method, params, ms }: {
      readonly method: string;
      readonly params: JsonObject;
      readonly ms: number;
    },
  ): Promise<SeenMessage | undefined> {
    const { reply } = this.#start(place, method, { params: this.#params(params), ms });
    const answer = await reply;
    return answer.kind === "answer" ? answer.message : undefined;
  }

  #start(
    place: CallPlace,
    method: string,
    { params, ms, call: asked }: {
      readonly params: JsonObject;
      readonly ms: number;
      readonly call?: Pick<ChainCall, "tool" | "arguments" | "isLookup">;
    },
  ): { readonly reply: Promise<Reply>; cancel(): void } {
    if (this.#own.isClosed) return { reply: Promise.resolve({ kind: "closed" }), cancel() {} };
    const id = this.#own.nextId();
    const line = encoder.encode(
      `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${
        JSON.stringify(params)
      }}`,
    );
    const message = seeLine(line)?.messages[0];
    if (message === undefined) throw new TypeError("a request of the proxy is no JSON");
    let isCancelled = false;
    let sent: OwnRequest | undefined;
    const crossing: RequestCrossing = {
      kind: "request",
      message,
      call: asked && {
        ...asked,
        id,
        name: `own-${id}`,
        by: place.name,
        isResumed: false,
        turn: { calls: 1, hasText: false },
      },
      isCancelled: () => isCancelled,
    };
    const below = place.index + 1;
    const send = (): OwnRequest => {
      this.#walk.tell((link) => link.onSent?.(crossing), below);
      return sent = this.#own.send(id, line, { ms, isCancelled: asked?.isLookup ?? true });
    };
    const verdict = this.#walk.down(crossing, below);
    const cancel = () => {
      isCancelled = true;
      sent?.cancel();
    };
    if (!(verdict instanceof Promise) && verdict.kind === "pass") {
      return { reply: this.#answered(crossing, { method, params, below }, send().reply), cancel };
    }
    const reply = Promise.resolve(verdict).then(async (verdict): Promise<Reply> => {
      if (verdict.kind === "answer") return { kind: "refused", text: (await verdict.answer).text };
      if (isCancelled) return { kind: "cancelled" };
      return await this.#answered(crossing, { method, params, below }, send().reply);
    });
    return { reply, cancel };
  }

  /** Takes an answer up to the place of the request. */
  async #answered(
    { call, message: { key } }: RequestCrossing,
    { method, params, below }: {
      readonly method: string;
      readonly params: JsonObject;
      readonly below: number;
    },
    reply: Promise<OwnReply>,
  ): Promise<Reply> {
    const found = await reply;
    const isAnswer = found.kind === "answer" && !(call && asksForInput(found.message));
    if (!isAnswer) this.#walk.cancel({ kind: "cancel", key, call }, below);
    if (found.kind !== "answer") return found;
    const crossing: AnswerCrossing = {
      kind: "answer",
      message: found.message,
      method,
      isFirstPage: isFirstPage(params),
      call,
      answer: call && isAnswer ? readAnswer(found.message) : undefined,
    };
    const { message } = await this.#walk.up(crossing, below);
    return { kind: "answer", message };
  }

  #params(params: JsonObject, token?: unknown): JsonObject {
    const meta = {
      ...(this.version === undefined ? {} : { ...OWN_META, [VERSION_KEY]: this.version }),
      ...(token === undefined ? {} : { progressToken: token }),
    };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }
}
