/**
 * Tells the owner through an ntfy topic: one POST, five seconds.
 *
 * Neither topic nor token appears in a record or an error: anyone who knows the topic
 * can read the codes.
 *
 * @module
 */

import { type Delivery, noticeText, type OwnerChannel } from "../call/owner_notice.ts";

/** Where to post. */
interface NtfyOptions {
  /** Base URL, no trailing slash. */
  readonly url: string;
  /** Topic; undefined when none is configured. */
  readonly topic: string | undefined;
  /** Bearer token; undefined when none is configured. */
  readonly token: string | undefined;
  /**
   * How long to wait.
   *
   * @default {5000}
   */
  readonly timeoutMs?: number;
}

/** ntfy turns longer bodies into attachments that phones do not show. */
const MAX_BYTES = 3800;

/**
 * Makes the channel.
 *
 * @param options Where to post.
 * @returns The channel.
 */
export function ntfyChannel(options: NtfyOptions): OwnerChannel {
  const { url, topic, token, timeoutMs = 5000 } = options;
  return {
    name: "ntfy",
    async deliver(notice): Promise<Delivery> {
      if (topic === undefined) {
        return unavailable("HAI_OWNER_NTFY_TOPIC is not set, so there is no topic to post to");
      }
      try {
        const response = await fetch(`${url}/${encodeURIComponent(topic)}`, {
          method: "POST",
          headers: {
            "Title": `hai: ${notice.action}`,
            "Priority": "high",
            "Tags": "lock",
            "Content-Type": "text/plain; charset=utf-8",
            ...(token === undefined ? {} : { "Authorization": `Bearer ${token}` }),
          },
          body: shorten(noticeText(notice), notice.challengeId),
          redirect: "manual", // A redirect would carry the code and the token elsewhere.
          signal: AbortSignal.timeout(timeoutMs),
        });
        await response.body?.cancel();
        return response.ok
          ? { kind: "sent", record: { http_status: response.status } }
          : unavailable(`the ntfy server answered ${response.status}`);
      } catch (error) {
        const kind = error instanceof Error ? error.name : "Error";
        return unavailable(`the ntfy server cannot be reached (${kind})`);
      }
    },
  };
}

/** The first line, which carries the code, is never cut, and the cut says so. */
function shorten(text: string, challengeId: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= MAX_BYTES) return text;
  const points = [...text];
  let cut = points.length;
  while (encoder.encode(points.slice(0, cut).join("")).length > MAX_BYTES) {
    cut = Math.floor(cut * 0.9);
  }
  return `${points.slice(0, cut).join("")}\n[cut here: ${points.length - cut} more characters; ` +
    `'hai-mcp owner show ${challengeId}' shows all of it]\n`;
}

function unavailable(message: string): Delivery {
  return { kind: "unavailable", message: `The owner cannot be told: ${message}` };
}
