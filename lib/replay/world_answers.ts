/**
 * Answers lookups from the benchmark's world instead of the recording: its tools,
 * executed over its database, which the recorded writes keep current.
 *
 * @module
 */

import { type Tau2Domain, Tau2Tools } from "../tau2/tools.ts";
import type { WorldData } from "../tau2/world.ts";
import type { Episode } from "../trace/episode.ts";
import type { LookupAnswerer } from "./replay_episode.ts";

/**
 * Makes answerers over one database.
 *
 * @param domain Whose tools.
 * @param data The domain's database.
 * @returns Makes the answerer of an episode.
 */
export function worldAnswers(
  domain: Tau2Domain,
  data: WorldData,
): (episode: Episode) => LookupAnswerer {
  return () => {
    const tools = new Tau2Tools(domain, data);
    return {
      answer(tool, args) {
        const { text, isError } = tools.callTool(tool, args);
        return { error: isError, content: text };
      },
      wrote: (call) => void tools.callTool(call.name, call.arguments),
    };
  };
}
