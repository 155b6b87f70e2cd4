/**
 * Patterns of names: `*` stands for any characters, `?` for one.
 *
 * @module
 */

/**
 * Makes a pattern's expression.
 *
 * @param glob The pattern; every other character stands for itself.
 * @returns An expression for whole names.
 */
export function globPattern(glob: string): RegExp {
  const source = glob.replace(/[.+^${}()|[\]\\/]/g, "\\$&").replace(/\*/g, "[^]*")
    .replace(/\?/g, "[^]");
  return new RegExp(`^${source}$`, "u");
}
