import { assertEquals } from "@std/assert";
import { permissionFlags, shellLine } from "./permissions.ts";

const NONE = { run: [], read: [], write: [], net: [], env: [] };

Deno.test("permissionFlags() lists what is needed and nothing more", () => {
  assertEquals(permissionFlags({ ...NONE, run: ["npx", "sh"], write: ["/a b"] }), [
    "--no-prompt",
    "--allow-run=npx,sh",
    "--allow-write=/a b",
  ]);
});

Deno.test("permissionFlags() grants all of a kind where a comma cannot be listed", () => {
  assertEquals(permissionFlags({ ...NONE, run: ["a,b", "sh"], write: ["/x,y"] }), [
    "--no-prompt",
    "--allow-run",
    "--allow-write",
  ]);
});

Deno.test("shellLine() quotes what a shell would take apart", () => {
  assertEquals(shellLine(["--a=b/c,d", "x y", "it's"]), `--a=b/c,d 'x y' 'it'\\''s'`);
});
