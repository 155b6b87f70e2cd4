/**
 * What happens to a session that survives its server, and what is done about it.
 *
 * @module
 */

/** A line for the server. */
export interface ServerLine {
  /** Its bytes, without a newline. */
  readonly bytes: Uint8Array;
  /** Whether it is ours: it is not sent to the next server when this one did not take it. */
  readonly isOwn: boolean;
}

/** What can happen. */
export type RestartEvent =
  /** The host sent a line. */
  | { readonly kind: "host"; readonly line: Uint8Array }
  /** The server sent a line. */
  | { readonly kind: "server"; readonly line: Uint8Array }
  /** The server has exited, or could not start. */
  | {
    readonly kind: "gone";
    /** Its exit status. */
    readonly code: number;
    /** The lines of which it has not got a byte. */
    readonly unsent: readonly ServerLine[];
    /** The reason why it could not start. */
    readonly why?: string;
  }
  /** The time that `alarm` asked for is over. */
  | { readonly kind: "alarm" }
  /** A watched file has changed. */
  | { readonly kind: "saved" }
  /** The host has closed, or we were sent a signal: nothing is started any more. */
  | { readonly kind: "closing" };

/** What is done. */
export type RestartEffect =
  /** Send a line to the server. */
  | { readonly kind: "toServer"; readonly line: ServerLine }
  /** Send a line to the host; `isOwn` when the server did not write it. */
  | { readonly kind: "toHost"; readonly line: Uint8Array; readonly isOwn: boolean }
  /** Record a line that does not cross: our own, or the server's answer to it. */
  | { readonly kind: "record"; readonly from: "proxy" | "server"; readonly line: Uint8Array }
  /** Start the server. */
  | { readonly kind: "start" }
  /** End the server: ask it to, or kill it. */
  | { readonly kind: "stop"; readonly isKill: boolean }
  /** Send `alarm` after so long; takes the place of an earlier one. */
  | { readonly kind: "alarm"; readonly ms: number }
  /** Forget the alarm. */
  | { readonly kind: "noAlarm" }
  /** Tell the user. */
  | { readonly kind: "say"; readonly text: string }
  /** The session is over, with this exit status. */
  | { readonly kind: "over"; readonly code: number };
