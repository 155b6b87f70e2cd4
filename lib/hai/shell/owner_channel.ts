/**
 * Ways to reach the owner: a file, an ntfy topic, Touch ID.
 *
 * A channel delivers or says why it cannot; it never throws, and no secret is
 * in what it says.
 *
 * @module
 */

import type { HaiConfig } from "../state/config.ts";
import { type Delivery, noticeText, type OwnerChannel } from "../call/owner_notice.ts";
import { ntfyChannel } from "./ntfy_channel.ts";
import type { OwnerHome } from "./owner_home.ts";
import { touchIdChannel } from "./touch_id_channel.ts";

/**
 * Makes the configured channel.
 *
 * @param config Settings.
 * @param home The owner's folder.
 * @returns The channel.
 */
export function ownerChannel(config: HaiConfig, home: OwnerHome): OwnerChannel {
  if (config.channel === "ntfy") {
    return ntfyChannel({
      url: config.ntfyUrl,
      topic: config.ntfyTopic,
      token: config.ntfyToken,
      denyToken: config.ntfyDenyToken,
    });
  }
  if (config.channel === "touchid") {
    return touchIdChannel({
      helper: config.touchIdHelper,
      timeoutSeconds: config.touchIdTimeoutSeconds,
      fallback: config.touchIdFallsBackToFile ? fileChannel(home) : undefined,
    });
  }
  return fileChannel(home);
}

/**
 * The channel that writes into the owner's folder.
 *
 * @param home The folder.
 * @returns The channel.
 */
export function fileChannel(home: OwnerHome): OwnerChannel {
  return {
    name: "file",
    deliver(notice): Promise<Delivery> {
      try {
        const path = home.writeNotice(notice.challengeId, noticeText(notice));
        return Promise.resolve({ kind: "sent", record: { path } });
      } catch (error) {
        const kind = error instanceof Error ? error.name : "Error";
        return Promise.resolve({
          kind: "unavailable",
          message: `The owner cannot be told: HAI_OWNER_HOME cannot be written (${kind})`,
        });
      }
    },
  };
}
