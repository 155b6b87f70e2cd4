/**
 * The chain of interceptors of an embedded relay. Only a relay with interceptors loads it.
 *
 * @module
 */

import { Chain } from "../intercept/chain/chain.ts";
import type { AbleInterceptor, Later } from "../intercept/chain/interceptor.ts";
import { chainStreams } from "../intercept/chain/line_stream.ts";
import type { StreamInterceptor, StreamInterceptorFactory } from "./stream_interceptor.ts";

/**
 * Makes the chain of one session, and its stream for each direction.
 *
 * @param factories Make the interceptors, nearest to the host first.
 * @param say Told of faults.
 * @returns The chain and its streams. Throws what a factory throws.
 */
export function streamChain(
  factories: readonly StreamInterceptorFactory[],
  say: (line: string) => void,
): ReturnType<typeof chainStreams> {
  const makers = factories.map((make) => () => linkOf(make({ say })));
  const monotonicMs = () => performance.now();
  return chainStreams((ways) =>
    new Chain({ ...ways, log: undefined, monotonicMs, later, say }, makers)
  );
}

const later: Later = (ms, ring) => {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
};

/** An interceptor as the chain takes it; the chain closes each side, and this one only once. */
function linkOf(interceptor: StreamInterceptor): AbleInterceptor {
  let isClosed = false;
  return {
    name: interceptor.name,
    mayRefuse: interceptor.mayRefuse === true,
    onMessage: (crossing) => interceptor.onMessage(crossing),
    onSent: (request) => interceptor.onSent?.(request),
    ...(interceptor.tool === undefined ? {} : { tool: interceptor.tool }),
    close() {
      if (isClosed) return;
      isClosed = true;
      interceptor.close?.();
    },
  };
}
