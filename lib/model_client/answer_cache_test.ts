import { assertEquals } from "@std/assert";
import { answerCache, pruneAnswers } from "./answer_cache.ts";

const KEY = "9b" + "1d".repeat(31);
const ENTRY = { key: KEY, model: "jev-latest", response: { model: "m" }, asked_unix_ms: 1, ms: 2 };

Deno.test("answerCache() keeps entries by key, for us alone; a broken one is a miss", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const cache = answerCache(`${dir}/deep/cache`);
    assertEquals(cache.find(KEY), undefined);
    assertEquals(cache.put(ENTRY), true);
    const path = `${dir}/deep/cache/9b/${KEY}.json`;
    assertEquals(
      await Deno.readTextFile(path),
      `{"key":"${KEY}","model":"jev-latest","response":{"model":"m"},"asked_unix_ms":1,"ms":2}\n`,
    );
    const modes = [path, `${dir}/deep/cache/9b`, `${dir}/deep/cache`].map((p) =>
      (Deno.statSync(p).mode ?? 0) & 0o777
    );
    assertEquals(modes, [0o600, 0o700, 0o700]);
    assertEquals(cache.find(KEY), ENTRY);
    for (const text of ["", '{"key":', "[]", JSON.stringify({ ...ENTRY, key: "other" })]) {
      await Deno.writeTextFile(path, text);
      assertEquals(cache.find(KEY), undefined);
    }
    assertEquals(cache.put(ENTRY), true);
    assertEquals(cache.find(KEY), ENTRY);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("answerCache() says when it cannot keep an entry", async () => {
  const file = await Deno.makeTempFile();
  try {
    assertEquals(answerCache(`${file}/cache`).put(ENTRY), false);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("pruneAnswers() deletes old answers, and nothing else in the folder", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const cache = answerCache(dir);
    const fresh = { ...ENTRY, key: KEY.replace("1d", "2e") };
    cache.put(ENTRY);
    cache.put(fresh);
    const old = `${dir}/9b/${KEY}.json`;
    await Deno.writeTextFile(`${dir}/notes.json`, "");
    const nowUnixMs = 1794471303077;
    const day = 86_400_000;
    await Deno.utime(old, (nowUnixMs - 8 * day) / 1000, (nowUnixMs - 8 * day) / 1000);
    for (const path of [`${dir}/9b/${fresh.key}.json`, `${dir}/notes.json`]) {
      await Deno.utime(path, (nowUnixMs - 6 * day) / 1000, (nowUnixMs - 6 * day) / 1000);
    }
    assertEquals(pruneAnswers(dir, { days: 7, nowUnixMs }), 1);
    assertEquals([cache.find(KEY), cache.find(fresh.key)], [undefined, fresh]);
    assertEquals(pruneAnswers(`${dir}/none`, { days: 7, nowUnixMs }), 0);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
