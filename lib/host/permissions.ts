/**
 * Gives up this process's permissions, and tells which are left.
 *
 * @module
 */

const KINDS = ["run", "read", "write", "net", "env", "sys", "ffi", "import"] as const;

/**
 * Gives every permission of this process back. Files, pipes and children it has go on.
 *
 * @param keep Kinds that stay as they are.
 */
export function dropPermissions(keep: readonly string[] = []): void {
  for (const name of KINDS) {
    if (!keep.includes(name)) Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
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
