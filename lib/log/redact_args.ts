/**
 * Hides credentials in the command line that a session log header keeps.
 *
 * Best effort: a value is hidden when its name looks like a credential's
 * (`--api-key X`, `--token=X`, `NAME_TOKEN=X`, `Authorization: Bearer X`,
 * `"password":"X"`), when it is the `user:password@` of a URL, or when it looks
 * like a well-known kind of token. It hides too much rather than too little.
 * Keep real secrets in the environment, which is never recorded.
 *
 * @module
 */

const MARK = "<redacted>";

/** Parts of a credential's name, and words that are one only when they stand alone. */
const NAME =
  "(?:key|token|secret|passw|passphrase|passcode|auth|credential|bearer|cookie|signature|session[-_]?id|" +
  "(?<![a-z])(?:pass|pwd|pat|sig|pin|otp)(?![a-z]))";
/** A flag or variable whose name looks like a credential's. */
const NAMED = `[\\w.-]*${NAME}[\\w.-]*`;
const VALUE = `(?:"[^"]*"|'[^']*'|[^\\s&"'<>;,]+)`;

const WHOLE_ASSIGNMENT = new RegExp(`^(-{0,2}${NAMED}=).+$`, "is");
const WHOLE_HEADER = new RegExp(`^(${NAMED}:\\s*).+$`, "is");
/** A user's name with a password, as `curl -u` takes it. */
const LOGIN = /^(?:-u|--user)$/i;
const NAME_ONLY = new RegExp(`^(?:-{1,2}${NAMED}|${NAMED}:|Bearer|Basic)$`, "i");

/** Rules for a value inside a longer text (a shell line, a URL, JSON), in order. */
const INSIDE: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#"']*@/gi, `$1${MARK}@`],
  [
    new RegExp(
      `((?:\\\\?["'])${NAMED}(?:\\\\?["'])\\s*:\\s*)(?:\\\\?"[^"]*"|'[^']*'|[\\w.-]+)`,
      "gi",
    ),
    `$1"${MARK}"`,
  ],
  [
    new RegExp(`(\\b${NAMED}:\\s*(?:(?:Bearer|Basic|Token)\\s+)?)(?!\\s|//)${VALUE}`, "gi"),
    `$1${MARK}`,
  ],
  [/(\b(?:Bearer|Basic)\s+)[^\s"'<>]+/gi, `$1${MARK}`],
  [new RegExp(`(${NAMED}=)${VALUE}`, "gi"), `$1${MARK}`],
  [new RegExp(`(-{1,2}${NAMED}\\s+)(?!-)${VALUE}`, "gi"), `$1${MARK}`],
  [
    /\b(?:gh[opsur]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|sk-[\w-]{16,}|xox[a-z]-[\w-]{8,}|AKIA[A-Z0-9]{12,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*)/g,
    MARK,
  ],
];

/**
 * Hides credentials in a command line.
 *
 * @example Usage
 * ```ts
 * import { redactArgs } from "@hoist/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(redactArgs(["--api-key", "s3c", "--port", "80"]), [
 *   "--api-key",
 *   "<redacted>",
 *   "--port",
 *   "80",
 * ]);
 * ```
 *
 * @param args The arguments, as given. Not changed.
 * @returns The arguments to log, as many as were given.
 */
export function redactArgs(args: readonly string[]): string[] {
  let hideNext = false;
  let afterLogin = false;
  return args.map((arg) => {
    const hide = hideNext && !arg.startsWith("--");
    if (afterLogin && /^[^\s:/]+:./.test(arg)) arg = arg.replace(/:.*$/s, `:${MARK}`);
    afterLogin = LOGIN.test(arg);
    // "Authorization:", "Bearer", "x" given as three arguments hide two.
    hideNext = NAME_ONLY.test(arg);
    if (hide) return hideNext ? arg : MARK;
    return hideNext ? arg : redactText(arg);
  });
}

function redactText(arg: string): string {
  const named = WHOLE_ASSIGNMENT.exec(arg) ?? WHOLE_HEADER.exec(arg);
  if (named !== null && !/^[a-z][a-z0-9+.-]*:\/\//i.test(arg) && !/\s\S+\s/.test(named[1] ?? "")) {
    return `${named[1]}${MARK}`;
  }
  return INSIDE.reduce((text, [pattern, to]) => text.replace(pattern, to), arg);
}
