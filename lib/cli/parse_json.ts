/**
 * Parses a JSON file that the command line names.
 *
 * @module
 */

/**
 * Parses a file's text.
 *
 * @param text The text.
 * @param path The file's name, for the message.
 * @returns The value.
 * @throws {SyntaxError} When it is not JSON; names the file.
 */
export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`Cannot read "${path}": it is not JSON`, { cause: error });
  }
}
