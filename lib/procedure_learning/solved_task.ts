/**
 * What a procedure is learned from: tasks, each with its ticket and the sessions
 * that solved it.
 *
 * @module
 */

import type { RunInput } from "../procedure/run/run_state.ts";
import type { Course, CourseCall } from "../trace/course.ts";
import type { Manifest } from "../trace/manifest.ts";

/** A task and the sessions that solved it. */
export interface SolvedTask {
  readonly id: string;
  readonly given: RunInput;
  readonly courses: readonly Course[];
}

/**
 * The calls of a session that a procedure could make, in order: reads, and writes that were
 * accepted. Of a tool that is neither (a calculator, a hand-off) nothing is learned.
 */
export function learnableCalls(course: Course, manifest: Manifest): CourseCall[] {
  return course.calls.filter(({ tool, answer }) => {
    const kind = manifest.tools[tool];
    return answer !== undefined && (kind === "read" || (kind === "write" && !answer.error));
  });
}

/** Whether a session ended by handing the customer on: a generic tool was its last call. */
export function wasHandedOn(course: Course, manifest: Manifest): boolean {
  const last = course.calls.at(-1);
  return last !== undefined && manifest.tools[last.tool] === "generic" &&
    /transfer|hand|escalat/i.test(last.tool);
}
