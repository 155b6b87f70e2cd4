/**
 * Folds over the order of interceptors: which ones a command line asks for, and what these
 * need together.
 *
 * @module
 */

import type { FlagReader } from "../flags/flag_reader.ts";
import type { Flag, FlagValues } from "../flags/flags.ts";
import type { InterceptorKind, SessionFile, SharedFolder } from "./kinds/kind.ts";
import { type InterceptorOptions, ORDER } from "./order.ts";

/** The flags of all interceptors. */
export const INTERCEPTOR_FLAGS: readonly Flag[] = ORDER.flatMap(({ flags }) => flags);

/**
 * Reads the flags of all interceptors.
 *
 * @param read Reads values one by one.
 * @param values The command line's values.
 * @returns The options of those that are asked for.
 * @throws {FlagFault} When a flag is wrong.
 */
export function parseInterceptors(read: FlagReader, values: FlagValues): InterceptorOptions {
  const parsed = ORDER.map((kind) => [kind.name, kind.parse(read, values)] as const);
  return Object.fromEntries(parsed.filter(([, options]) => options !== undefined));
}

/** The kinds that are asked for, with their options, in their order. */
export function askedFor(
  options: InterceptorOptions,
): { readonly kind: InterceptorKind<unknown, unknown>; readonly options: unknown }[] {
  const given: Readonly<Record<string, unknown>> = options;
  return ORDER.flatMap((kind) => {
    const options = given[kind.name];
    return options === undefined ? [] : [{ kind, options }];
  });
}

/** Whether any interceptor is asked for, so that lines are looked at. */
export function intercepts(options: InterceptorOptions): boolean {
  return askedFor(options).length > 0;
}

/** Files that each session has of its own. */
export function sessionFiles(options: InterceptorOptions): SessionFile[] {
  return askedFor(options).flatMap(({ kind, options }) => kind.files?.(options) ?? []);
}

/** Folders that are read and written while sessions run. */
export function sharedFolders(options: InterceptorOptions): SharedFolder[] {
  return askedFor(options).flatMap(({ kind, options }) => kind.folders?.(options) ?? []);
}

/** Files that are read before a session begins. */
export function startReads(options: InterceptorOptions): string[] {
  return askedFor(options).flatMap(({ kind, options }) => kind.startReads?.(options) ?? []);
}

/** Files that are read and removed before a session begins. */
export function startTakes(options: InterceptorOptions): string[] {
  return askedFor(options).flatMap(({ kind, options }) => kind.startTakes?.(options) ?? []);
}

/** Files and folders that are looked at while sessions run. */
export function sessionReads(options: InterceptorOptions): string[] {
  return askedFor(options).flatMap(({ kind, options }) => kind.reads?.(options) ?? []);
}

/** Environment variables that are read before a session begins. */
export function startVariables(options: InterceptorOptions): string[] {
  return askedFor(options).flatMap(({ kind, options }) => kind.variables?.(options) ?? []);
}

/** Whether any interceptor may ask an oracle. */
export function asksOracle(options: InterceptorOptions): boolean {
  return askedFor(options).some(({ kind, options }) => kind.asksOracle?.(options) ?? false);
}
