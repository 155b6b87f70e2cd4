/**
 * Golden cases: one file with the input and the expected output, in sections
 * that begin with `-- name --`.
 *
 * @module
 */

/** The sections of a case, in order. What stands before the first is a comment. */
export type CaseFile = ReadonlyMap<string, string>;

/** Reads a case. A section ends with the newline before the next section's head. */
export function parseCase(text: string): CaseFile {
  const [comment = "", ...rest] = text.split(/^-- (.+) --\n/m);
  const sections = new Map([["", comment]]);
  for (let i = 0; i + 1 < rest.length; i += 2) sections.set(rest[i] ?? "", rest[i + 1] ?? "");
  return sections;
}

/** Writes a case as {@linkcode parseCase} reads it. */
export function printCase(sections: CaseFile): string {
  return [...sections].map(([name, text]) => name === "" ? text : `-- ${name} --\n${text}`).join(
    "",
  );
}

/** Whether a text is the expected one, in which `[..]` stands for anything within a line. */
export function isExpected(actual: string, expected: string): boolean {
  if (!expected.includes("[..]")) return actual === expected;
  const parts = expected.split("[..]").map((part) =>
    part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
  );
  return new RegExp(`^${parts.join(".*")}$`).test(actual);
}
