/**
 * Tells the owner through an ntfy topic: one POST, five seconds.
 *
 * Neither topic nor token appears in a record or an error: anyone who knows the topic
 * can read the codes. The button of a message posts a denial to the same topic, which is read when
 * the agent asks again. A denial takes a right away, so whoever can post one may.
 *
 * @module
 */

import {
  type Delivery,
  noticeText,
  type OwnerChannel,
  type OwnerNotice,
} from "../call/owner_notice.ts";

/** Where to post. */
interface NtfyOptions {
  /** Base URL, no trailing slash. */
  readonly url: string;
  /** Topic; undefined when none is configured. */
  readonly topic: string | undefined;
  /** Bearer token; undefined when none is configured. */
  readonly token: string | undefined;
  /** Token of the button that denies; readers of the topic see it. */
  readonly denyToken?: string | undefined;
  /**
   * How long to wait.
   *
   * @default {5000}
   */
  readonly timeoutMs?: number;
}

/** ntfy turns longer bodies into attachments that phones do not show. */
const MAX_BYTES = 3800;
/** More of a topic is not read. */
const MAX_TOPIC_CHARS = 1024 * 1024;
const DENIAL = /^hai-mcp deny (C-\d{8}T\d{6}-[0-9a-f]{8})$/;

/**
 * Makes the channel.
 *
 * @param options Where to post.
 * @returns The channel.
 */
export function ntfyChannel(options: NtfyOptions): OwnerChannel {
  const { url, topic, token, timeoutMs = 5000 } = options;
  if (topic === undefined) {
    const problem = "HAI_OWNER_NTFY_TOPIC is not set, so there is no topic to post to";
    return { name: "ntfy", deliver: () => Promise.resolve(unavailable(problem)) };
  }
  const place = `${url}/${encodeURIComponent(topic)}`;
  // A redirect would carry the code and the token elsewhere.
  const send = (path: string, init: RequestInit) =>
    fetch(`${place}${path}`, {
      ...init,
      headers: { ...init.headers, ...authorization(token) },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
  return {
    name: "ntfy",
    async deliver(notice): Promise<Delivery> {
      try {
        const headers = headersOf(notice, place, options);
        const response = await send("", { method: "POST", headers, body: bodyOf(notice) });
        await response.body?.cancel();
        return response.ok
          ? { kind: "sent", record: { http_status: response.status } }
          : unavailable(`the ntfy server answered ${response.status}`);
      } catch (error) {
        const kind = error instanceof Error ? error.name : "Error";
        return unavailable(`the ntfy server cannot be reached (${kind})`);
      }
    },
    async denials(sinceUnixMs) {
      try {
        const since = Math.floor(sinceUnixMs / 1000) - 60; // Its clock may differ.
        const response = await send(`/json?poll=1&since=${since}`, {});
        if (response.ok) return denied((await response.text()).slice(-MAX_TOPIC_CHARS));
        await response.body?.cancel();
      } catch {
        // Not reached: nothing is denied then, and nothing approved.
      }
      return new Set();
    },
  };
}

function headersOf(
  { action, challengeId }: OwnerNotice,
  place: string,
  { token, denyToken }: NtfyOptions,
): Record<string, string> {
  const credential = denyToken === undefined ? "" : `, headers.Authorization=Bearer ${denyToken}`;
  const button = `http, Deny, ${place}, method=POST, body=hai-mcp deny ${challengeId}, clear=true`;
  return {
    "Title": `hai: ${action}`,
    "Priority": "high",
    "Tags": "lock",
    "Content-Type": "text/plain; charset=utf-8",
    ...(token !== undefined && denyToken === undefined
      ? {}
      : { "Actions": `${button}${credential}` }),
  };
}

function authorization(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { "Authorization": `Bearer ${token}` };
}

/** The whole text, or the beginning of it without the code: nobody approves what they cannot see. */
function bodyOf(notice: OwnerNotice): string {
  const text = noticeText(notice);
  if (byteLength(text) <= MAX_BYTES) return text;
  const points = [...text.slice(text.indexOf("\n") + 1)];
  let cut = points.length;
  while (byteLength(points.slice(0, cut).join("")) > MAX_BYTES) cut = Math.floor(cut * 0.9);
  return `HAI request, too long to be shown here, so there is no code\n` +
    `${points.slice(0, cut).join("")}\n[cut here: ${points.length - cut} more characters; ` +
    `'hai-mcp owner approve ${notice.challengeId}' shows all of it]\n`;
}

/** Challenges whose denial stands in a topic, an event a line. */
function denied(events: string): Set<string> {
  const ids = events.split("\n").map((line) => {
    try {
      const { event, message } = JSON.parse(line);
      return event === "message" ? DENIAL.exec(String(message))?.[1] : undefined;
    } catch {
      return undefined; // The end of a line that was cut, or no event.
    }
  });
  return new Set(ids.filter((id) => id !== undefined));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function unavailable(message: string): Delivery {
  return { kind: "unavailable", message: `The owner cannot be told: ${message}` };
}
