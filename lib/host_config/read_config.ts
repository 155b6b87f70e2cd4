/**
 * Reads a host's configuration by its format; each parser is loaded when it is needed.
 *
 * @module
 */

import type { ConfigText } from "./config_text.ts";
import type { HostKind } from "./host_table.ts";

/**
 * Reads a configuration.
 *
 * @param text The text.
 * @param host Its host.
 * @returns The configuration.
 * @throws {ConfigSyntaxError} When it is not in the host's format.
 */
export async function readConfig(text: string, host: HostKind): Promise<ConfigText> {
  const read = host.format === "json"
    ? (await import("./json_config.ts")).readJsonConfig
    : (await import("./toml_config.ts")).readTomlConfig;
  return read(text);
}
