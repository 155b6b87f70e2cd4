/**
 * Lets the interceptors and the log hear the conversation that a file holds.
 *
 * @module
 */

import type { ContextFeed } from "../kinds/set_up_ports.ts";
import { type InterceptorFactory, PASS } from "../chain/interceptor.ts";

/** Makes the interceptor of a session with this conversation. */
export function contextInterceptor(feed: ContextFeed): InterceptorFactory {
  return ({ hear }) => ({
    name: "context",
    onMessage: () => PASS, // It brings news, and looks at no message.
    wake: () => feed.poll().forEach(hear),
  });
}
