/**
 * Replaces a file by 64 MB, which takes long enough to be interrupted.
 *
 * Usage: `write_big_file.ts PATH`
 *
 * @module
 */

import { replaceFile } from "../../lib/disk/atomic_write.ts";

await replaceFile(Deno.args[0] ?? "", "x".repeat(64_000_000));
