/**
 * One decision of a run: its options, and the lookup made or the reason for handing back.
 *
 * @module
 */

import type { JsonObject } from "../../json/json.ts";
import type { Option } from "../deciding/option.ts";

/** One decision. */
export interface FlowDecision {
  readonly address: string;
  readonly site: string;
  readonly options: readonly Option[];
  /** The threshold that ruled. */
  readonly threshold: number;
  /** The best option that binds, whether or not it was taken. */
  readonly best: Option | undefined;
  readonly action:
    | {
      readonly kind: "lookup";
      readonly tool: string;
      readonly arguments: JsonObject;
      readonly key: string;
    }
    | { readonly kind: "hand_back"; readonly reason: string };
}
