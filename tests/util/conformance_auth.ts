/**
 * The authorization scenarios of the official conformance suite, with `hoist auth` and
 * `hoist-mcp --upstream` as the client. Prints a row for each.
 *
 * Usage: `deno task conformance:auth [SCENARIO…]`.
 *
 * @module
 */

import { suite, total } from "./conformance.ts";
import { util } from "./executables.ts";

const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  "2025-03-26": ["2025-03-26-oauth-metadata-backcompat", "2025-03-26-oauth-endpoint-fallback"],
  "2025-11-25": [
    "metadata-default",
    "metadata-var1",
    "metadata-var2",
    "metadata-var3",
    "basic-cimd",
    "scope-from-www-authenticate",
    "scope-from-scopes-supported",
    "scope-omitted-when-undefined",
    "scope-step-up",
    "scope-retry-limit",
    "token-endpoint-auth-basic",
    "token-endpoint-auth-post",
    "token-endpoint-auth-none",
    "pre-registration",
    "client-credentials-basic",
  ],
  "2026-07-28": [
    "metadata-default",
    "resource-mismatch",
    "offline-access-scope",
    "offline-access-not-supported",
    "authorization-server-migration",
    "iss-supported",
    "iss-not-advertised",
    "iss-supported-missing",
    "iss-wrong-issuer",
    "iss-unexpected",
    "iss-normalized",
    "metadata-issuer-mismatch",
  ],
};

const command = util("conformance_auth_client").join(" ");
const faults: string[] = [];
for (const [version, names] of Object.entries(SCENARIOS)) {
  for (const name of names) {
    if (Deno.args.length > 0 && !Deno.args.includes(name)) continue;
    const scenario = `auth/${name}`;
    const score = await suite(
      [
        ...["client", "--command", command, "--scenario", scenario],
        "--force",
        "--spec-version",
        version,
      ],
    );
    console.log(`${version} ${scenario}`.padEnd(56) + total(score));
    if (score.size === 0) faults.push(`${version} ${scenario}: did not run`);
    for (const { failed } of score.values()) {
      faults.push(...failed.map((c) => `${version} ${scenario}: ${c.id}: ${c.errorMessage}`));
    }
  }
}
console.log(faults.length === 0 ? "\nall pass" : `\n${faults.join("\n")}`);
Deno.exit(faults.length === 0 ? 0 : 1);
