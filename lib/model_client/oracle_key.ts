/**
 * Reads the live oracle's key from the environment, or from the file that the environment names.
 *
 * @module
 */

import { expandHome } from "../flags/expand_home.ts";
import { reasonOf } from "../text/reason.ts";
import type { Runtime } from "../ports/runtime.ts";

/**
 * Reads the key.
 *
 * @param runtime The environment.
 * @returns The key, trimmed.
 * @throws {Error} When there is none, or its file is open to others; the message holds no key.
 */
export async function oracleKey(runtime: Runtime): Promise<string> {
  const given = runtime.env("TYPESAFE_API_KEY")?.trim() ?? "";
  if (given !== "") return checked(given, "TYPESAFE_API_KEY");
  const named = runtime.env("TYPESAFE_API_KEY_FILE")?.trim() ?? "";
  if (named === "") {
    throw new Error(
      "No key for the oracle: set TYPESAFE_API_KEY or TYPESAFE_API_KEY_FILE, or answer from the " +
        "cache alone with --oracle replay",
    );
  }
  const path = expandHome(named, runtime.env("HOME")) ?? named;
  let text: string;
  try {
    const { mode } = await Deno.stat(path);
    if (mode !== null && (mode & 0o077) !== 0 && Deno.build.os !== "windows") {
      throw new Error("others may read it; chmod 600 it");
    }
    text = await Deno.readTextFile(path);
  } catch (error) {
    const why = reasonOf(error);
    throw new Error(`Cannot use TYPESAFE_API_KEY_FILE "${named}": ${why}`, { cause: error });
  }
  return checked(text.trim(), `TYPESAFE_API_KEY_FILE "${named}"`);
}

function checked(key: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Error(`Cannot use ${from}: a key is one line of visible ASCII characters`);
}
