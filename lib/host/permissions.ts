/**
 * Gives up this process's permissions, and tells which are left.
 *
 * @module
 */

const KINDS = ["run", "read", "write", "net", "env", "sys", "ffi", "import"] as const;

/** Gives every permission of this process back. Files, pipes and children it has go on. */
export function dropPermissions(): void {
  dropAllBut([]);
}

/** Gives every permission of this process back but those of some kinds. */
export function dropAllBut(kinds: readonly string[]): void {
  for (const name of KINDS) {
    if (kinds.includes(name)) continue;
    Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
  }
}

/** One line a kind of permission: its name and `granted`, `prompt` or `denied`. */
export function permissionsLeft(): string[] {
  return KINDS.map((name) => {
    const { state, partial } = Deno.permissions.querySync({ name } as Deno.PermissionDescriptor);
    return `permission ${name}: ${state === "prompt" ? "not granted" : state}${
      partial ? " (some)" : ""
    }`;
  });
}
