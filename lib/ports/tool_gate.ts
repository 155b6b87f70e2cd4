/**
 * The gate of a contract: whether a session may make a call now.
 *
 * @module
 */

/** What a call does, as the gate judges it. */
export interface GatedUse {
  readonly tool: string;
  /** What it is, such as `read` or `delete`: a capability that the session must have. */
  readonly action: string;
  /** Absolute paths that it touches. */
  readonly paths: readonly string[];
}

/** What the gate says. */
export type GateVerdict =
  | {
    readonly kind: "allowed";
    /** Whether the contract and the session's capabilities allow a tool at all. */
    readonly allows: (use: Pick<GatedUse, "tool" | "action">) => boolean;
  }
  /** Why not, and what to do. */
  | { readonly kind: "refused"; readonly code: string; readonly text: string };

/** The gate of one session. */
export interface ToolGate {
  /** Judges a call, or without one whether the session may work at all. Never rejects. */
  check(use: GatedUse | undefined): Promise<GateVerdict>;
}

/** Whose gate it is. */
export interface GateJob {
  /** The state root of hai-mcp. */
  readonly home: string;
  /** The owner's folder. */
  readonly ownerHome: string;
  /** The name of the server in contracts. */
  readonly server: string;
  readonly sessionId: string;
  readonly sessionToken: string;
}
