/**
 * The interceptors of docs/writing_an_interceptor.md: the page shows this code.
 *
 * @module
 */

import {
  type InterceptorFactory,
  PASS,
  refuseCall,
} from "../../lib/intercept/chain/interceptor.ts";

// -- idle
/** Does nothing. */
export const idle: InterceptorFactory = () => ({ name: "idle", onMessage: () => PASS });

// -- counting
/** Tells at the end of a session how many calls were made, and how many failed. */
export const counting: InterceptorFactory = ({ say }) => {
  let calls = 0;
  let failed = 0;
  return {
    name: "counting",
    onMessage(crossing) {
      if (crossing.kind === "answer" && crossing.answer?.error === true) failed++;
      return PASS;
    },
    onSent: ({ call }) => void (call !== undefined && calls++),
    close: () => say(`${calls} calls, ${failed} failed`),
  };
};

// -- limit
/** Refuses an agent's call of a tool that it has called so often already. */
export function limit(tool: string, most: number): InterceptorFactory {
  return () => {
    let made = 0;
    return {
      name: "limit",
      mayRefuse: true,
      onMessage(crossing) {
        if (crossing.kind !== "request" || crossing.call?.tool !== tool) return PASS;
        if (made < most) {
          made++;
          return PASS;
        }
        return refuseCall(`Refused: ${tool} was called ${most} times, which is the limit.`);
      },
    };
  };
}
