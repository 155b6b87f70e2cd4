/**
 * The two spellings of a state value: canonical JSON, which is hashed, and the
 * indented JSON of files and replies.
 *
 * Both sort keys by Unicode code point (JavaScript's own order is by UTF-16
 * unit and differs above U+FFFF) and leave non-ASCII text raw. A few members
 * are floats by contract: `6` there is written `6.0`, since hashes made by
 * others depend on it. Members that are `undefined` are left out.
 *
 * @module
 */

/** Members that are floats wherever they stand. */
const FLOAT_KEYS: ReadonlySet<string> = new Set([
  "time_limit_hours",
  "created_ts",
  "expires_ts",
  "age_days",
]);

/**
 * Writes a value the one way that is hashed.
 *
 * @param value A JSON value.
 * @returns Text without blanks.
 */
export function hashableJson(value: unknown): string {
  return write(value, { key: "", indent: undefined });
}

/**
 * Writes a value as state files and replies show it: two blanks an indent.
 *
 * @param value A JSON value.
 * @returns Text without a final newline.
 */
export function indentedJson(value: unknown): string {
  return write(value, { key: "", indent: "\n" });
}

/**
 * Writes a float as the hash format wants it: `6.0`, `1.5`, `1e+16`.
 *
 * @param value A finite number.
 * @returns Its digits.
 */
export function floatText(value: number): string {
  const [digits = "", exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= 16 || power < -4) {
    const sign = power < 0 ? "-" : "+";
    return `${digits}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
  }
  const plain = String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

/**
 * Orders two texts by Unicode code point.
 *
 * @param a One text.
 * @param b The other.
 * @returns Negative, zero or positive, as for `sort`.
 */
export function byCodePoint(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  return rank(a.charCodeAt(i)) - rank(b.charCodeAt(i));
}

/** Surrogates stand for code points above every other UTF-16 unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

interface Place {
  readonly key: string;
  readonly indent: string | undefined;
}

function write(value: unknown, place: Place): string {
  if (typeof value === "number") {
    return FLOAT_KEYS.has(place.key) ? floatText(value) : JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    const inner = deeper(place, "");
    return wrap(value.map((item) => write(item, inner)), { open: "[", close: "]", place });
  }
  if (typeof value === "object" && value !== null) {
    const colon = place.indent === undefined ? ":" : ": ";
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => byCodePoint(a, b))
      .map(([key, member]) => JSON.stringify(key) + colon + write(member, deeper(place, key)));
    return wrap(members, { open: "{", close: "}", place });
  }
  return JSON.stringify(value ?? null);
}

function deeper(place: Place, key: string): Place {
  return { key, indent: place.indent === undefined ? undefined : `${place.indent}  ` };
}

function wrap(
  parts: readonly string[],
  frame: { readonly open: string; readonly close: string; readonly place: Place },
): string {
  const { open, close, place } = frame;
  if (parts.length === 0) return open + close;
  if (place.indent === undefined) return open + parts.join(",") + close;
  const inner = `${place.indent}  `;
  return open + inner + parts.join(`,${inner}`) + place.indent + close;
}
