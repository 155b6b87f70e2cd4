/**
 * Channels to the owner where things go wrong: long texts, folders that cannot be
 * written, helpers that hang.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { haiCase } from "../../../tests/util/hai_home.ts";
import { readHaiConfig } from "../state/config.ts";
import { noticeText, type OwnerNotice } from "../call/owner_notice.ts";
import { fileChannel, ownerChannel } from "./owner_channel.ts";
import { ntfyChannel } from "./ntfy_channel.ts";
import { ownerHomeAt } from "./owner_home.ts";
import { touchIdChannel } from "./touch_id_channel.ts";

const NOTICE: OwnerNotice = {
  challengeId: "C-20260901T100000-aabbccdd",
  action: "accept_next_step",
  summary: "Make this text the project's canonical next step",
  preview: { project_path: "/p", body: "# step\n", diff: [{ field: "objective" }] },
  code: "K7F3-M9QW",
  expiresAt: "2026-09-01T08:10:00Z",
};

async function inFolder(run: (dir: string) => Promise<void>): Promise<void> {
  const dir = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hai-channel-" }));
  try {
    await run(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("noticeText() starts with the code and shows every member", () => {
  const text = noticeText(NOTICE);
  assertEquals(text.split("\n")[0], "HAI owner code: K7F3-M9QW");
  for (const shown of ["action: accept_next_step", "body: # step", '[{"field":"objective"}]']) {
    assertStringIncludes(text, shown);
  }
});

Deno.test("ntfyChannel() cuts a long text, says so, and puts no code beside it", async () => {
  const bodies: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      bodies.push(await request.text());
      return new Response();
    },
  );
  try {
    const url = `http://127.0.0.1:${server.addr.port}`;
    const channel = ntfyChannel({ url, topic: "t/../x", token: undefined });
    const long = { ...NOTICE, preview: { body: "é😀\n".repeat(5000) } };
    assertEquals((await channel.deliver(long)).kind, "sent");
    const [body = ""] = bodies;
    assert(new TextEncoder().encode(body).length < 4096);
    assertEquals(body.includes("K7F3"), false);
    assertStringIncludes(body, "so there is no code");
    assertStringIncludes(
      body,
      "more characters; 'hai-mcp owner approve C-20260901T100000-aabbccdd'",
    );
    assertEquals(body.includes("\ufffd"), false);
  } finally {
    await server.shutdown();
  }
});

Deno.test("ntfyChannel() gives up in time, and names neither topic nor token", async () => {
  const release = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async () => {
    await release.promise;
    return new Response();
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const channel = ntfyChannel({ url, topic: "s3cret", token: "tk_s3cret", timeoutMs: 50 });
  const delivery = await channel.deliver(NOTICE);
  release.resolve();
  await server.shutdown();
  assertEquals(delivery.kind, "unavailable");
  assertEquals(JSON.stringify(delivery).includes("s3cret"), false);
  const odd = ntfyChannel({ url: "not a url", topic: "s3cret", token: "bad\ntoken" });
  const refused = await odd.deliver(NOTICE);
  assertEquals(refused.kind, "unavailable");
  assertEquals(JSON.stringify(refused).includes("s3cret"), false);
});

Deno.test("fileChannel() says when the folder cannot be written", () =>
  inFolder(async (dir) => {
    Deno.writeTextFileSync(`${dir}/owner`, "a file");
    const home = ownerHomeAt(`${dir}/owner`, `${dir}/home`);
    const delivery = await fileChannel(home).deliver(NOTICE);
    assertEquals(delivery.kind, "unavailable");
    assert("problem" in home.key());
    const inside = ownerHomeAt(`${dir}/home/x`, `${dir}/home`);
    assertEquals((await fileChannel(inside).deliver(NOTICE)).kind, "unavailable");
    assertEquals(inside.tally("C").isOver, true);
  }));

Deno.test("ownerHomeAt() gives one key to everybody, and refuses odd paths", () =>
  inFolder((dir) => {
    const path = `${dir}/owner`;
    const keys = [1, 2].map(() => ownerHomeAt(path, `${dir}/home`).key());
    assertEquals(keys[0], keys[1]);
    assertEquals([...Deno.readDirSync(path)].map((entry) => entry.name), ["owner.key"]);
    assertEquals((Deno.statSync(`${path}/owner.key`).mode ?? 0) & 0o777, 0o600);
    for (const odd of ["relative", ""]) assert("problem" in ownerHomeAt(odd, `${dir}/home`).key());
    Deno.mkdirSync(`${path}/tally`);
    for (
      const [text, isOver] of [["{", true], ["[]", true], ["null", true], ["{}", true]] as const
    ) {
      Deno.writeTextFileSync(`${path}/tally/C.json`, text);
      assertEquals(ownerHomeAt(path, `${dir}/home`).tally("C").isOver, isOver, text);
    }
    return Promise.resolve();
  }));

Deno.test("ownerChannel() makes the configured channel", () =>
  inFolder((dir) => {
    const home = ownerHomeAt(`${dir}/owner`, `${dir}/home`);
    for (const name of ["file", "ntfy", "touchid"]) {
      const env: Record<string, string> = {
        HAI_OWNER_CHANNEL: name,
        HAI_OWNER_TOUCHID_FALLBACK: "file",
      };
      assertEquals(ownerChannel(readHaiConfig((key) => env[key], dir), home).name, name);
    }
    return Promise.resolve();
  }));

Deno.test("touchIdChannel() runs the helper with the change on stdin and no environment", () =>
  inFolder(async (dir) => {
    const helper = (script: string) => {
      const path = `${dir}/${crypto.randomUUID()}`;
      Deno.writeTextFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return path;
    };
    const channel = (path: string) =>
      touchIdChannel({ helper: path, os: "darwin", timeoutSeconds: 7, fallback: undefined });
    const seen = `${dir}/seen`;
    const yes = helper(`cat > ${seen}; echo "$1 $HOME" >> ${seen}; exit 0`);
    assertEquals((await channel(yes).deliver(NOTICE)).kind, "approved");
    const text = Deno.readTextFileSync(seen);
    assertStringIncludes(text, "body: # step");
    assertEquals(text.includes("K7F3"), false, "there is no code");
    assertEquals(text.trimEnd().split("\n").at(-1)?.trim(), "7");
    assertEquals((await channel(helper("exit 1")).deliver(NOTICE)).kind, "denied");
    assertEquals((await channel(helper("exit 4")).deliver(NOTICE)).kind, "unavailable");
    assertEquals((await channel(helper("kill -9 $$")).deliver(NOTICE)).kind, "unavailable");
    assertEquals((await channel(`${dir}/nothing`).deliver(NOTICE)).kind, "unavailable");
    const fallback = fileChannel(ownerHomeAt(`${dir}/owner`, `${dir}/home`));
    const other = touchIdChannel({ helper: yes, os: "linux", timeoutSeconds: 7, fallback });
    assertEquals((await other.deliver(NOTICE)).kind, "sent");
  }));

/** An ntfy topic: it keeps what is posted, and gives it as ntfy does. */
function topicServer() {
  const posts: { readonly headers: Headers; readonly message: string }[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      if (request.method === "POST") {
        posts.push({ headers: request.headers, message: await request.text() });
        return new Response();
      }
      const events = posts.map(({ message }) => JSON.stringify({ event: "message", message }));
      return new Response(["half a li", ...events].join("\n"));
    },
  );
  return { server, posts, url: `http://127.0.0.1:${server.addr.port}` };
}

Deno.test("ntfyChannel() has a button that denies, and no token of the owner's in it", async () => {
  const { server, posts, url } = topicServer();
  try {
    const token = "tk_owner";
    for (
      const [more, shown] of [
        [{ token: undefined }, "Deny"],
        [{ token }, null],
        [{ token, denyToken: "tk_deny" }, "headers.Authorization=Bearer tk_deny"],
      ] as const
    ) {
      await ntfyChannel({ url, topic: "t", ...more }).deliver(NOTICE);
      const actions = posts.at(-1)?.headers.get("actions") ?? null;
      assertEquals(actions?.includes(token) ?? false, false);
      if (shown === null) assertEquals(actions, null);
      else assertStringIncludes(actions ?? "", shown);
    }
  } finally {
    await server.shutdown();
  }
});

haiCase("the Deny button", "denies at the agent's next call, code or not", async (hai) => {
  const { server, posts, url } = topicServer();
  const args = { project_path: hai.project(), content: "# one", reason: "r" };
  hai.restart({
    HAI_OWNER_CHANNEL: "ntfy",
    HAI_OWNER_NTFY_URL: url,
    HAI_OWNER_NTFY_TOPIC: "t",
  });
  const asked = await hai.call("hai_accept_next_step", args);
  const [post] = posts;
  const owner_code = /^HAI owner code: (\S+)/.exec(post?.message ?? "")?.[1];
  const press = (body: string) => fetch(`${url}/t`, { method: "POST", body });
  await (await press(`x hai-mcp deny ${asked.challenge_id}`)).body?.cancel();
  assertEquals((await hai.call("hai_accept_next_step", args)).status, "pending_owner_code");
  const body = /body=([^,]+)/.exec(post?.headers.get("actions") ?? "")?.[1] ?? "";
  await (await press(body)).body?.cancel();
  const late = await hai.call("hai_accept_next_step", { ...args, owner_code });
  assertEquals(late.detail, "owner_denied");
  await server.shutdown();
  assertEquals((await hai.call("hai_accept_next_step", args)).detail, "owner_denied");
});
