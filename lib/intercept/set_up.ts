/**
 * Brings the interceptors that a command line asks for to life, in two steps: their files are
 * read and checked before anything starts, and what their sessions share is made where these
 * run.
 *
 * @module
 */

import { askedFor } from "./asked_for.ts";
import { Chains } from "./kinds/chains.ts";
import type { InterceptorOptions } from "./order.ts";
import type { ReadPorts, SetUpPorts } from "./kinds/set_up_ports.ts";

/** What was read for the interceptors, in a form that can be handed to a worker. */
export interface ReadInterceptors {
  /** What was read for each, by name. */
  readonly jobs: Readonly<Record<string, unknown>>;
  /** What happens while no oracle answers, in words for the user; none if nothing asks. */
  readonly withoutOracle: readonly string[];
}

/**
 * Reads and checks the files of the interceptors.
 *
 * @param options The interceptors that are asked for.
 * @param ports Where files are read.
 * @returns What was read.
 * @throws {Error} When a file cannot be used; names the flag.
 */
export async function readInterceptors(
  options: InterceptorOptions,
  ports: Omit<ReadPorts, "names">,
): Promise<ReadInterceptors> {
  const asked = askedFor(options);
  const names = new Set(asked.map(({ kind }) => kind.name));
  const jobs: Record<string, unknown> = {};
  const withoutOracle: string[] = [];
  for (const { kind, options } of asked) {
    const { read } = await kind.setUp();
    const found = await read(options, { ...ports, names });
    jobs[kind.name] = found.job;
    withoutOracle.push(...found.withoutOracle);
  }
  return { jobs, withoutOracle };
}

/**
 * Makes what the sessions of the interceptors share.
 *
 * @param options The interceptors that are asked for.
 * @param jobs What was read for each, by name.
 * @param ports Files, oracle and the user.
 * @returns Makes the chain of each session.
 */
export async function openChains(
  options: InterceptorOptions,
  jobs: ReadInterceptors["jobs"],
  ports: SetUpPorts,
): Promise<Chains> {
  const open = [];
  for (const { kind, options: given } of askedFor(options)) {
    const { open: setUp } = await kind.setUp();
    open.push(await setUp(given, jobs[kind.name], ports));
  }
  return new Chains(open, ports);
}
