/**
 * The pin of a state root: which key seals its trail, from which event on, and the weakest gate and
 * policy that may serve it. It lies in the owner's folder, where the agent cannot write.
 *
 * A copy without rights lies in the state root, so that a server with another owner's folder can
 * tell that the state is not its own.
 *
 * @module
 */

import { z } from "zod";
import type { HaiConfig } from "../state/config.ts";
import { AUDIT_MARK } from "./audit_mark.ts";

/** Schema of a pin. */
export const PIN = z.looseObject({
  home: z.string(),
  gate: z.enum(["nonce", "ack_legacy"]),
  policy: z.enum(["standard", "strict"]),
  key_id: z.string(),
  public_key: z.string(),
  from: AUDIT_MARK,
  pinned_at: z.string(),
});

/** A pin. */
export type Pin = z.infer<typeof PIN>;

/** Schema of the copy in the state root. */
export const PIN_NOTE = z.looseObject({
  key_id: z.string(),
  gate: z.enum(["nonce", "ack_legacy"]),
  policy: z.enum(["standard", "strict"]),
});

/**
 * How a server's settings are weaker than what is pinned.
 *
 * @param config The settings.
 * @param pinned The pinned gate and policy.
 * @returns The names of the weaker settings; undefined when none is.
 */
export function weakness(
  config: Pick<HaiConfig, "gate" | "policy">,
  pinned: Pick<Pin, "gate" | "policy">,
): string | undefined {
  if (pinned.gate === "nonce" && config.gate !== "nonce") {
    return `HAI_OWNER_GATE=${config.gate} is weaker than the pinned gate nonce`;
  }
  return pinned.policy === "strict" && config.policy !== "strict"
    ? `HAI_OWNER_POLICY=${config.policy} is weaker than the pinned policy strict`
    : undefined;
}

/** The stricter policy of two. */
export function stricter(a: Pin["policy"], b: Pin["policy"]): Pin["policy"] {
  return a === "strict" || b === "strict" ? "strict" : "standard";
}
