/**
 * Identifiers and time stamps: how they are made and what counts as one.
 *
 * An id that comes in is checked exactly, never trimmed: it names a file. The
 * stamp inside an id is local time, as the state layout has it; instants in
 * records are UTC.
 *
 * @module
 */

import { CallRefusal } from "./refusal.ts";

/** Prefixes of ids. */
export type IdPrefix = "M" | "S" | "P" | "A" | "I" | "C" | "R" | "LB";

/** Returns unpredictable bytes. */
export type Random = (length: number) => Uint8Array;

const IDENT = /^[a-z][a-z0-9-]{1,63}$/;

/** An instant as records store it: `2026-09-01T08:00:00Z`. */
export function utcStamp(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19)}Z`;
}

/** A local instant with its offset: `2026-09-01T10:00:00+0200`. */
export function localStamp(unixMs: number): string {
  const t = new Date(unixMs);
  const offset = -t.getTimezoneOffset();
  const sign = offset < 0 ? "-" : "+";
  const zone = two(Math.floor(Math.abs(offset) / 60)) + two(Math.abs(offset) % 60);
  const day = `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())}`;
  return `${day}T${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}${sign}${zone}`;
}

/** A local instant as names of files have it: `20260901T100000`. */
export function nameStamp(unixMs: number): string {
  return localStamp(unixMs).slice(0, 19).replaceAll(/[-:]/g, "");
}

/** Seconds since 1970 of a stored UTC stamp; NaN when it is none. */
export function stampSeconds(stamp: string): number {
  return Date.parse(stamp) / 1000;
}

/** Clocks are set right by less than this; a record further ahead is from another time. */
const SKEW_SECONDS = 300;

/**
 * Whether a record was made after now, so that the clock was set back since: what
 * is bounded by time must not last longer for it.
 *
 * @param madeSeconds When it was made, seconds since 1970.
 * @param unixMs Now.
 * @returns Whether it was.
 */
export function isFromLater(madeSeconds: number, unixMs: number): boolean {
  return madeSeconds - unixMs / 1000 > SKEW_SECONDS;
}

/**
 * Makes an id: prefix, stamp, eight hex digits. Learning blocks carry a UTC stamp.
 *
 * @param prefix The kind.
 * @param unixMs Now.
 * @param random Where the digits come from.
 * @returns The id.
 */
export function makeId(prefix: IdPrefix, unixMs: number, random: Random): string {
  const stamp = prefix === "LB" ? utcStamp(unixMs).replaceAll(/[-:Z]/g, "") : nameStamp(unixMs);
  return `${prefix}-${stamp}-${hex(random(4))}`;
}

/** Lower-case hex of bytes. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a value is an id of a kind, to the letter. */
export function isId(prefix: IdPrefix, value: unknown): value is string {
  return typeof value === "string" && value.startsWith(`${prefix}-`) &&
    /^\d{8}T\d{6}-[0-9a-f]{8}$/.test(value.slice(prefix.length + 1)) && !value.endsWith("\n");
}

/**
 * Refuses what is no id of the kind.
 *
 * @param prefix The kind.
 * @param field Name of the argument.
 * @param value The value as received.
 * @returns The refusal; undefined when the id is well-formed.
 */
export function checkId(prefix: IdPrefix, field: string, value: unknown): CallRefusal | undefined {
  if (isId(prefix, value)) return undefined;
  return new CallRefusal("invalid_args", `${field} is not a valid ${prefix}- id`, {
    field,
    expected: `${prefix}-<YYYYMMDD>T<HHMMSS>-<8 lower-case hex digits>`,
    got: JSON.stringify(value),
  });
}

/** Whether a value is a project, device or harness name. */
export function isIdent(value: string): boolean {
  return IDENT.test(value) && !value.endsWith("\n");
}

/**
 * Refuses a malformed project, device or harness name, and suggests a valid one.
 *
 * @param field Name of the argument.
 * @param value The value as received.
 * @returns The refusal; undefined when the name is well-formed.
 */
export function checkIdent(field: string, value: string): CallRefusal | undefined {
  if (isIdent(value)) return undefined;
  const near = value.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "");
  const hint = isIdent(near) ? `; try "${near}"` : "";
  return new CallRefusal(
    "invalid_args",
    `${field} must be 2 to 64 characters: a lower-case letter, then letters, digits, hyphens${hint}`,
    { field, expected: "^[a-z][a-z0-9-]{1,63}$", got: JSON.stringify(value) },
  );
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
