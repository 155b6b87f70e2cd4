/**
 * Gives up this process's permissions, and lists those that are left.
 *
 * @module
 */

const KINDS = ["run", "read", "write", "net", "env", "sys", "ffi", "import"] as const;

/** Gives up all permissions. Open files, pipes and child processes go on. */
export function dropPermissions(): void {
  dropAllBut([]);
}

/** Gives up all permissions but those of some kinds. */
export function dropAllBut(kinds: readonly string[]): void {
  for (const name of KINDS) {
    if (kinds.includes(name)) continue;
    Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
  }
}

/** The values that permissions are limited to, by kind. */
export type Named = Readonly<Partial<Record<(typeof KINDS)[number], readonly string[]>>>;

/** The member of a kind's descriptor that limits it. */
const LIMIT: Readonly<Record<string, string>> = {
  run: "command",
  read: "path",
  write: "path",
  net: "host",
  env: "variable",
};

/**
 * One line a kind of permission: its name and `granted`, `granted for` what, or `not granted`.
 *
 * @param named Values to query where a kind is not granted as a whole.
 * @returns The lines.
 */
export function permissionsLeft(named: Named = {}): string[] {
  const isGranted = (descriptor: Readonly<Record<string, string>>) =>
    Deno.permissions.querySync(descriptor as unknown as Deno.PermissionDescriptor).state ===
      "granted";
  return KINDS.map((name) => {
    if (isGranted({ name })) return `permission ${name}: granted`;
    const some = (named[name] ?? []).filter((value) =>
      isGranted({ name, [LIMIT[name] ?? ""]: value })
    );
    const what = some.length === 0 ? "not granted" : `granted for ${some.join(", ")}`;
    return `permission ${name}: ${what}`;
  });
}
