/**
 * The entry of approvals in the order of interceptors.
 *
 * @module
 */

import type { InterceptorKind } from "../kinds/kind.ts";
import { ruleFileVariables } from "../../guard/rules/rules_source.ts";
import {
  APPROVE_FLAGS,
  type ApproveJob,
  type ApproveOptions,
  parseApproveFlags,
} from "./options.ts";

/** Approvals. */
export const APPROVE_KIND = {
  name: "approve",
  flags: APPROVE_FLAGS,
  parse: parseApproveFlags,
  startReads: ({ rules }) => [rules],
  variables: ({ rules }) => ruleFileVariables(rules),
  folders: ({ dir }) => [{ flag: "approve-dir", path: dir }],
  setUp: async () => (await import("./set_up.ts")).approveSetUp,
} as const satisfies InterceptorKind<ApproveOptions, ApproveJob>;
