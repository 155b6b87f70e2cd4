/**
 * Names characters that can deceive a reader: letters of another script that look like Latin ones,
 * marks that reorder or hide text, blanks that are not the usual blank.
 *
 * It names; it does not judge. Words wholly of another script are ordinary text and are left alone,
 * unless every letter of them passes for a Latin one and Latin letters stand beside them.
 *
 * @module
 */

/** Marks that reorder or hide text, by their Unicode names. */
const MARKS: Readonly<Record<string, string>> = {
  "\u00ad": "SOFT HYPHEN, invisible",
  "\u061c": "ARABIC LETTER MARK, reorders text",
  "\u200b": "ZERO WIDTH SPACE, invisible",
  "\u200c": "ZERO WIDTH NON-JOINER, invisible",
  "\u200d": "ZERO WIDTH JOINER, invisible",
  "\u200e": "LEFT-TO-RIGHT MARK, reorders text",
  "\u200f": "RIGHT-TO-LEFT MARK, reorders text",
  "\u202a": "LEFT-TO-RIGHT EMBEDDING, reorders text",
  "\u202b": "RIGHT-TO-LEFT EMBEDDING, reorders text",
  "\u202c": "POP DIRECTIONAL FORMATTING, reorders text",
  "\u202d": "LEFT-TO-RIGHT OVERRIDE, reorders text",
  "\u202e": "RIGHT-TO-LEFT OVERRIDE, reverses what follows",
  "\u2060": "WORD JOINER, invisible",
  "\u2066": "LEFT-TO-RIGHT ISOLATE, reorders text",
  "\u2067": "RIGHT-TO-LEFT ISOLATE, reorders text",
  "\u2068": "FIRST STRONG ISOLATE, reorders text",
  "\u2069": "POP DIRECTIONAL ISOLATE, reorders text",
  "\ufeff": "ZERO WIDTH NO-BREAK SPACE, invisible",
};

/** Pairs: a letter or sign, and the ASCII one it passes for. */
const TWINS = new Map(
  ("аa еe оo рp сc уy хx іi јj ѕs ԁd һh ԛq ԝw ѵv ӏl гr пn АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS " +
    "ѴV ԌG αa οo νv ρp υu ιi κk γy τt χx ωw ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX օo սu ոn հh ցg " +
    "ɑa ɡg ᎪA ᏴB ᏟC ᎬE ᎻH ᎫJ ᏞL ᎷM ᏢP ᎡR ᏚS ᎢT ᏙV ᏃZ ⁄/ ∕/ ⧸/ ․. ꞉: ׃: ∶: ‐- ‑- −- ∼~ ∗*")
    .split(" ").map((pair) => {
      const [twin = "", plain = ""] = pair;
      return [twin, plain] as const;
    }),
);

const SCRIPTS = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee", "Hebrew", "Arabic"]
  .map((name) => [name, new RegExp(`\\p{Script=${name}}`, "u")] as const);

const HIDDEN = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ODD_BLANK = /(?! )\p{Zs}/u;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /\p{Script=Latin}/u;
const LETTER = /\p{L}/u;

/**
 * Names what can deceive in one line of text.
 *
 * @param line The line, without its line feed.
 * @returns A sentence a finding, each once, in order.
 */
export function lookalikes(line: string): string[] {
  const found = new Set<string>();
  for (const point of line) {
    const named = signOf(point);
    if (named !== undefined) found.add(`${code(point)} ${named}`);
  }
  const hasLatin = LATIN.test(line);
  for (const [word] of line.matchAll(WORD)) {
    const named = wordOf(word, hasLatin);
    if (named !== undefined) found.add(named);
  }
  if (/\p{M}{3}/u.test(line)) found.add("three or more marks on one letter");
  return [...found];
}

function signOf(point: string): string | undefined {
  const mark = MARKS[point];
  if (mark !== undefined) return mark;
  if (HIDDEN.test(point)) return /\p{Cc}/u.test(point) ? "a control character" : "invisible";
  if (ODD_BLANK.test(point)) return "looks like a blank";
  if (LETTER.test(point) && point.normalize("NFKC") === point) return undefined; // Judged by its word.
  const plain = TWINS.get(point) ?? point.normalize("NFKC");
  return point > "\u007f" && /^[!-~]$/.test(plain) ? `looks like "${plain}"` : undefined;
}

/** Names the letters of a word that pass for Latin ones, or the scripts that it mixes. */
function wordOf(word: string, hasLatin: boolean): string | undefined {
  const letters = [...word].filter((point) => LETTER.test(point));
  const twins = letters.filter((point) => point > "\u007f" && TWINS.has(point));
  const isMixed = letters.some((point) => LATIN.test(point)) &&
    letters.some((point) => !LATIN.test(point));
  const isDisguised = hasLatin && twins.length === letters.length;
  if (twins.length > 0 && (isMixed || isDisguised || twins.some((point) => LATIN.test(point)))) {
    const named = [...new Set(twins)].map((point) =>
      `${code(point)} (${scriptOf(point)}) looks like "${TWINS.get(point)}"`
    );
    return `"${word.slice(0, 40)}": ${named.join(", ")}`;
  }
  if (!isMixed) return undefined;
  const scripts = [...new Set(letters.map(scriptOf))].filter((name) => name !== "another script");
  return scripts.length > 1 ? `"${word.slice(0, 40)}" mixes ${scripts.join(" and ")}` : undefined;
}

function scriptOf(point: string): string {
  return SCRIPTS.find(([, pattern]) => pattern.test(point))?.[0] ?? "another script";
}

function code(point: string): string {
  return `U+${(point.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
