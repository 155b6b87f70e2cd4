/**
 * Asks the owner at the sensor of a Mac, through a helper program that is
 * compiled by the owner. There is no code: the prompt is the approval.
 *
 * The helper gets the text on stdin and answers by its status: 0 approved,
 * 1 denied, anything else it could not ask. It is the only program hai-mcp ever
 * starts, and only with this channel.
 *
 * @module
 */

import {
  type Delivery,
  type OwnerChannel,
  type OwnerNotice,
  previewLines,
} from "../call/owner_notice.ts";

/** How a helper is run; replaced in tests. */
type RunHelper = (
  helper: string,
  text: string,
  timeoutSeconds: number,
) => Promise<{ readonly status: number | "timeout" }>;

/** Settings of the channel. */
interface TouchIdOptions {
  /** The helper; undefined when none is configured. */
  readonly helper: string | undefined;
  /** How long the prompt waits. */
  readonly timeoutSeconds: number;
  /** Used when Touch ID cannot run at all; undefined for none. */
  readonly fallback: OwnerChannel | undefined;
  /**
   * The operating system.
   *
   * @default {Deno.build.os}
   */
  readonly os?: string;
  /** How the helper is run. */
  readonly run?: RunHelper;
}

/**
 * Makes the channel.
 *
 * @param options Settings.
 * @returns The channel.
 */
export function touchIdChannel(options: TouchIdOptions): OwnerChannel {
  const { helper, timeoutSeconds, fallback, os = Deno.build.os, run = runHelper } = options;
  const cannotRun = (why: string, notice: OwnerNotice): Promise<Delivery> =>
    fallback?.deliver(notice) ??
      Promise.resolve({ kind: "unavailable", message: `Touch ID cannot run: ${why}` });
  return {
    name: "touchid",
    async deliver(notice): Promise<Delivery> {
      if (os !== "darwin") return await cannotRun(`it needs macOS, this is ${os}`, notice);
      if (helper === undefined) {
        return await cannotRun("HAI_OWNER_TOUCHID_HELPER names no helper", notice);
      }
      try {
        const { status } = await run(helper, promptText(notice), timeoutSeconds);
        if (status === 0) return { kind: "approved", record: { helper_status: 0 } };
        if (status === 1) return { kind: "denied", record: { helper_status: 1 } };
        // The prompt was shown and timed out: the fallback is for a prompt that cannot be shown.
        if (status === "timeout") {
          return { kind: "unavailable", message: "Touch ID was not answered in time" };
        }
        return await cannotRun(`the helper ended with status ${status}`, notice);
      } catch (error) {
        const kind = error instanceof Error ? error.name : "Error";
        return await cannotRun(`the helper cannot be started (${kind})`, notice);
      }
    },
  };
}

function promptText(notice: OwnerNotice): string {
  const lines = [
    notice.summary,
    `action: ${notice.action}`,
    ...previewLines(notice.preview),
  ];
  return `${lines.join("\n")}\n`;
}

async function runHelper(helper: string, text: string, timeoutSeconds: number) {
  const child = new Deno.Command(helper, {
    args: [String(timeoutSeconds)],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    clearEnv: true,
  }).spawn();
  // A little more than the prompt's own time, for a helper that hangs.
  const timer = setTimeout(() => child.kill("SIGKILL"), (timeoutSeconds + 5) * 1000);
  try {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(text)).catch(() => {});
    await writer.close().catch(() => {});
    const { code, signal } = await child.status;
    return { status: signal === null ? code : "timeout" as const };
  } finally {
    clearTimeout(timer);
  }
}
