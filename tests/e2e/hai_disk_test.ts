/**
 * A full disk and a read-only mount under hai-mcp: `hai_health` answers and tells the truth, nothing
 * is half done, and a refusal says how work is stopped.
 *
 * The disk is a small one in memory, in a namespace of its own, so nothing else can see it.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";

const PLAY = new URL("../util/hai_full_disk.ts", import.meta.url).pathname;
const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
/** Mounts the disk and becomes what follows. */
const MOUNT = 'mount -t tmpfs -o size=600k tmpfs "$1" && shift && exec "$@"';

/** Runs a command with a disk of its own at a folder. */
function onSmallDisk(folder: string, command: readonly string[]) {
  return new Deno.Command("unshare", {
    args: ["-rm", "sh", "-c", MOUNT, "sh", folder, ...command],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Whether this machine lets a user mount a disk of its own. */
function canMount(): boolean {
  const folder = Deno.makeTempDirSync();
  try {
    return onSmallDisk(folder, ["true"]).outputSync().success;
  } catch {
    return false; // No such program.
  } finally {
    Deno.removeSync(folder);
  }
}

Deno.test({
  name: "a full disk and a read-only mount are told, and lose nothing (skipped without mounts)",
  ignore: Deno.build.os !== "linux" || !canMount(),
  async fn() {
    const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hai-disk-" }));
    const [disk, project] = [`${root}/disk`, `${root}/project`];
    for (const folder of [disk, project]) Deno.mkdirSync(folder);
    try {
      const play = ["run", "-A", "--no-check", "--config", CONFIG, PLAY, disk, project];
      const { stdout, stderr } = await onSmallDisk(disk, [Deno.execPath(), ...play]).output();
      const text = new TextDecoder().decode(stdout);
      assert(text !== "", new TextDecoder().decode(stderr));
      const { before, acknowledged, refused, full, after, readOnly, release, findings } = JSON
        .parse(text);
      assertEquals(new Set(refused), new Set(["state_unavailable"]));
      assert(acknowledged > 0, "no call found room");
      assertEquals(after.audit, { ok: true, events: before + acknowledged });
      assertEquals(after.hai_home_writable, true);
      for (const { health, release } of [full, readOnly]) {
        assertEquals([health.ok, health.audit.ok], [true, true]);
        assertEquals(health.hai_home_writable, false);
        assertEquals([release.ok, release.error], [false, "state_unavailable"]);
        assertStringIncludes(release.hint, "moves or unmounts HAI_HOME");
      }
      assertEquals(readOnly.mission.active, true);
      assertEquals(release.ok, true, "released once there is room again");
      assertEquals(findings, []);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  },
});
