/**
 * What the owner wants, as a form of the console sends it.
 *
 * @module
 */

/** A wish that was understood. */
export type ConsoleWish =
  /** About a call that a proxy holds. */
  | {
    readonly kind: "held";
    readonly id: string;
    readonly fingerprint: string;
    readonly verdict: "approved" | "denied";
  }
  /** About a request at the gate. */
  | {
    readonly kind: "request";
    readonly id: string;
    readonly fingerprint: string;
    readonly verdict: "approved" | "denied" | "later" | "pending";
  }
  | { readonly kind: "revoke"; readonly session: string }
  | { readonly kind: "stop" }
  | { readonly kind: "resume" };

/** How a wish ended; the page says it in a sentence. */
export type WishOutcome = keyof typeof OUTCOME_SENTENCES;

/** A sentence for each outcome. */
export const OUTCOME_SENTENCES = {
  approved: "Approved.",
  denied: "Denied.",
  later: "It waits as long again.",
  pending: "The approval was taken back; the request waits again.",
  revoked: "The session was ended.",
  stopped: "Every session was ended, and no new one is granted.",
  resumed: "Work may go on.",
  code: "That is not the code of the terminal. Nothing was decided.",
  gone: "It does not wait any more. Nothing was decided.",
  changed: "It is not what you were shown. Nothing was decided.",
  answered: "It has been answered already.",
  unclear: "This was not understood. Nothing was decided.",
  failed: "The state cannot be used now; the terminal says why. Nothing was decided.",
} as const;

/**
 * Reads a form.
 *
 * @param field A field's text; empty when it is missing.
 * @returns The wish; undefined for anything else.
 */
export function consoleWish(field: (name: string) => string): ConsoleWish | undefined {
  const [kind, id, fingerprint, verdict] = ["kind", "id", "fingerprint", "verdict"].map(field);
  switch (kind) {
    case "held":
      if (verdict !== "approved" && verdict !== "denied") return undefined;
      return { kind, id: id ?? "", fingerprint: fingerprint ?? "", verdict };
    case "request":
      if (
        verdict !== "approved" && verdict !== "denied" && verdict !== "later" &&
        verdict !== "pending"
      ) return undefined;
      return { kind, id: id ?? "", fingerprint: fingerprint ?? "", verdict };
    case "revoke":
      return { kind, session: field("session") };
    case "stop":
    case "resume":
      return { kind };
    default:
      return undefined;
  }
}

/** Whether a wish gives a right, so that it needs the owner's code. What takes one away does not. */
export function needsCode(wish: ConsoleWish): boolean {
  return wish.kind === "resume" || ("verdict" in wish && wish.verdict === "approved");
}
