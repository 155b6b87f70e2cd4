/**
 * A request that waits for the owner, as a form of the host where the host offers forms.
 *
 * A form shows the request and never decides it: whatever is answered there, the call is made once
 * more as it was, and its reply is what the owner decided in the terminal meanwhile. No code stands
 * in a form. A request is shown once, so that an agent that asks again opens no second form.
 *
 * @module
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  inputRequired,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ToolReply } from "../state/refusal.ts";

/** A form stays open so long at most: hosts give up a call after 60 seconds. */
const OPEN_MS = 45_000;
/** A form is for reading, so a longer request is cut; the terminal shows it whole. */
const MAX_CHARS = 4000;
/** Requests that are remembered as shown. */
const MAX_SHOWN = 1000;

/** One call, and how it is made. */
export interface GatedCall {
  /** Its arguments. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Makes it; a second time after the form. */
  call(): Promise<ToolReply>;
  /** The request as the owner's terminal shows it; undefined when it is gone. */
  request(challengeId: string): Promise<string | undefined>;
}

/** Shows requests, each once. */
export class RequestForms {
  readonly #shown = new Set<string>();

  /**
   * Makes a call, and shows the request that it leaves waiting.
   *
   * @param gated The call.
   * @param server The connection's server.
   * @param ctx The SDK's context of the call.
   * @returns The reply, or the form for a host of 2026-07-28, which calls again after it.
   */
  async call(
    gated: GatedCall,
    server: Server,
    ctx: ServerContext,
  ): Promise<ToolReply | InputRequiredResult> {
    const reply = await gated.call();
    const challengeId = waitingIn(reply, gated.args);
    if (challengeId === undefined || this.#shown.has(challengeId)) return reply;
    const { envelope, signal, id } = ctx.mcpReq;
    const declared = envelope === undefined ? server.getClientCapabilities() : declaredIn(envelope);
    if (!offersForms(declared)) return reply;
    const request = await gated.request(challengeId).catch(() => undefined);
    if (request === undefined) return reply;
    this.#remember(challengeId);
    const form = formOf(request, String(reply.tell_owner));
    if (envelope !== undefined) {
      return inputRequired({ inputRequests: { owner: inputRequired.elicit(form) } });
    }
    try {
      await server.elicitInput(form, { relatedRequestId: id, signal, timeout: OPEN_MS });
    } catch {
      // Not shown, or left open: the reply says the same to the agent.
    }
    return signal.aborted ? reply : await gated.call();
  }

  #remember(challengeId: string): void {
    this.#shown.add(challengeId);
    const [oldest] = this.#shown;
    if (this.#shown.size > MAX_SHOWN && oldest !== undefined) this.#shown.delete(oldest);
  }
}

/** The request that a reply leaves waiting, for a call without a code. */
function waitingIn(
  { status, challenge_id }: ToolReply,
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  const hasCode = args.owner_code !== undefined && args.owner_code !== null;
  if (hasCode || status !== "pending_owner_code") return undefined;
  return typeof challenge_id === "string" ? challenge_id : undefined;
}

/** What a host of 2026-07-28 says of itself with each call; the SDK has checked its form. */
function declaredIn(envelope: Readonly<Record<string, unknown>>): unknown {
  return envelope[CLIENT_CAPABILITIES_META_KEY];
}

/** Whether a host shows forms: one that names no modes does. */
function offersForms(capabilities: unknown): boolean {
  if (typeof capabilities !== "object" || capabilities === null) return false;
  if (!("elicitation" in capabilities)) return false;
  const { elicitation } = capabilities;
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return Object.keys(elicitation).length === 0 || "form" in elicitation;
}

function formOf(request: string, tellOwner: string): ElicitRequestFormParams {
  const shown = request.length <= MAX_CHARS
    ? request
    : `${request.slice(0, MAX_CHARS)}\n... cut here: the terminal shows it whole.`;
  return {
    message: `${tellOwner}\n\nNothing you answer here approves or denies it. Answer when you ` +
      `have decided in the terminal: the agent then hears what you decided.\n\n${shown}`,
    requestedSchema: { type: "object", properties: {} },
  };
}
