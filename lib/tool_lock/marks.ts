/**
 * Marks what a person easily misses in the texts of a server: characters that do not show,
 * words that give the model orders, and names that look like another.
 *
 * A mark is a reason to look, not a proof. A text without one can still mislead.
 *
 * @module
 */

import { isObject } from "../json/json.ts";
import { excerpt } from "../text/printable.ts";

/** A mark. */
export interface Mark {
  readonly kind: "invisible" | "instruction" | "look-alike" | "hidden";
  /** Where it is, such as `inputSchema.properties.path.description`; empty for the text itself. */
  readonly path: string;
  /** What was found, printable. */
  readonly what: string;
}

/** Characters that take no room or change the direction, and blanks that are no spaces. */
const INVISIBLE =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\p{Cs}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** Words that speak to the model instead of describing the tool. */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|other|all|system)\b.{0,40}\b(?:instruction|prompt|rule|message|guideline|direction)s?/is,
  /<\/?\s*(?:important|system|secret|instructions?|assistant|hidden|admin|critical)\b[^>]*>/i,
  /<!--/,
  /\b(?:do not|don't|never|must not|without)\b.{0,30}\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|show|ask|asking|alert)\b.{0,30}\b(?:user|human|anyone|them|customer)?/is,
  /\b(?:before|after|instead of|prior to)\b.{0,20}\b(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?)\b.{0,40}\b(?:tool|function|any|other|this)\b/is,
  /\b(?:you|the (?:model|assistant|agent|ai|llm))\b.{0,20}\b(?:must|are required to|shall)\b/is,
  /\b(?:always|first)\b.{0,20}\b(?:call|invoke|read|send|include|pass|attach|forward|copy|bcc)\b/is,
  /\b(?:system prompt|new instructions?|jailbreak|developer mode)\b/i,
  /(?:~\/|\.ssh\b|\bid_rsa\b|\bid_ed25519\b|\.env\b|\/etc\/passwd|\bmcp\.json\b|\.aws\b|\bapi[_ -]?keys?\b|\bcredentials?\b|\bpasswords?\b|\bprivate keys?\b)/i,
  /\b(?:conversation|chat)\b.{0,20}\b(?:history|context|so far)\b/is,
];

/** Blank lines or spaces that push what follows out of sight. */
const PUSHED = /[ \t\u00a0\u3000]{24,}\S|(?:\r?\n[ \t]*){8,}\S/;

/** Letters of other scripts, and digits, that look like a Latin letter. */
const ALIKE: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["a", "аɑα"],
    ["b", "Ьв"],
    ["c", "сϲ"],
    ["d", "ԁ"],
    ["e", "еєε"],
    ["g", "ɡ"],
    ["h", "һн"],
    ["i", "іıιl1|!ӏǀ"],
    ["j", "јϳ"],
    ["k", "кκ"],
    ["m", "м"],
    ["n", "ոη"],
    ["o", "оοօ0σ"],
    ["p", "рρ"],
    ["q", "ԛ"],
    ["r", "г"],
    ["s", "ѕ5$"],
    ["t", "тτ"],
    ["u", "υս"],
    ["v", "ѵν"],
    ["w", "ԝω"],
    ["x", "хχ"],
    ["y", "уγү"],
    ["z", "ᴢ"],
  ].flatMap(([letter = "", others = ""]) => [...others].map((other) => [other, letter])),
);

/**
 * Marks every text in an entry of a list, or in a text alone.
 *
 * @param value The entry or the text.
 * @returns The marks, in the order of the texts.
 */
export function marksIn(value: unknown): Mark[] {
  return [...texts(value, "")].flatMap(([path, text]) => textMarks(text, path));
}

/**
 * Marks a name that looks like another.
 *
 * @param name The name.
 * @param others Names that it may be taken for.
 * @returns The marks.
 */
export function nameMarks(name: string, others: Iterable<string>): Mark[] {
  const marks: Mark[] = [];
  const odd = [...name].filter((char) => /[^\x20-\x7e]/u.test(char));
  if (odd.length > 0) {
    marks.push({
      kind: "look-alike",
      path: "name",
      what: `has ${odd.map(codePoint).join(", ")}, which are not of the plain alphabet`,
    });
  }
  const list = [...others].filter((other) => other !== name);
  const same = list.find((other) => skeleton(other) === skeleton(name)) ??
    list.find((other) => isOneEdit(name, other));
  if (same !== undefined) {
    marks.push({ kind: "look-alike", path: "name", what: `looks like ${excerpt(same, 60)}` });
  }
  return marks;
}

/** A form that names have in common that look alike. */
function skeleton(name: string): string {
  const plain = name.normalize("NFKD").replace(INVISIBLE, "").replace(/\p{M}/gu, "").toLowerCase();
  return [...plain].map((char) => ALIKE[char] ?? char).join("").replace(/rn/g, "m")
    .replace(/vv/g, "w").replace(/[^\p{L}\p{N}]/gu, "");
}

/** Whether two names of five characters or more differ by one character, or by two swapped ones. */
function isOneEdit(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const rest = [a.slice(start), b.slice(start)] as const;
  if (a.length !== b.length) {
    const [short, long] = a.length < b.length ? rest : [rest[1], rest[0]];
    return long.slice(1) === short;
  }
  const [one, two] = rest;
  return one.slice(1) === two.slice(1) ||
    (one.slice(2) === two.slice(2) && one[0] === two[1] && one[1] === two[0]);
}

function textMarks(text: string, path: string): Mark[] {
  const marks: Mark[] = [];
  const unseen = [...new Set(text.match(INVISIBLE) ?? [])];
  if (unseen.length > 0) {
    const shown = unseen.slice(0, 8).map(codePoint).join(", ");
    marks.push({ kind: "invisible", path, what: `${shown}${unseen.length > 8 ? ", …" : ""}` });
  }
  // Orders are read as a model reads them, without what does not show.
  const plain = text.replace(INVISIBLE, "").normalize("NFKC");
  for (const order of ORDERS) {
    const found = order.exec(plain)?.[0];
    if (found !== undefined) marks.push({ kind: "instruction", path, what: excerpt(found, 80) });
  }
  if (PUSHED.test(text)) marks.push({ kind: "hidden", path, what: "text after a long blank" });
  return marks;
}

function* texts(value: unknown, path: string): Generator<readonly [path: string, text: string]> {
  if (typeof value === "string") yield [path, value];
  else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* texts(item, `${path}[${i}]`);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const place = path === "" ? key : `${path}.${key}`;
      if (textMarks(key, place).length > 0) yield [place, key];
      yield* texts(item, place);
    }
  }
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
