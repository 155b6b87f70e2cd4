/**
 * Episodes that can be walked several times, since learning takes several passes.
 *
 * @module
 */

import type { Course } from "../trace/course.ts";

/** Recorded sessions, each read when its turn comes. */
export interface CourseSource {
  /** The episodes, in the same order each time. */
  each(): AsyncIterable<Course>;
}

/** Characters of answers and words that are kept in memory; more is read again in each pass. */
const MAX_KEPT = 40_000_000;

/**
 * Keeps the episodes of a source as long as they are few.
 *
 * @param source The episodes.
 * @returns The same episodes; memory stays bounded however many there are.
 */
export function kept(source: CourseSource): CourseSource {
  let courses: Course[] | undefined;
  let isTooMuch = false;
  return {
    async *each() {
      if (courses !== undefined) return yield* courses;
      let list: Course[] = [];
      let size = 0;
      for await (const course of source.each()) {
        size += isTooMuch ? 0 : sizeOf(course);
        if (size > MAX_KEPT) {
          isTooMuch = true;
          list = [];
        }
        if (!isTooMuch) list.push(course);
        yield course;
      }
      if (!isTooMuch) courses = list;
    },
  };
}

/** Those episodes of a source that fit. */
export function only(source: CourseSource, fits: (course: Course) => boolean): CourseSource {
  return {
    async *each() {
      for await (const course of source.each()) if (fits(course)) yield course;
    },
  };
}

/** A source of a list. */
export function sourceOf(courses: readonly Course[]): CourseSource {
  return {
    async *each() {
      yield* courses;
      await Promise.resolve();
    },
  };
}

function sizeOf(course: Course): number {
  let size = 200;
  for (const event of course.events) {
    if (event.kind === "heard" || event.kind === "said") size += (event.text ?? "").length;
    else if (event.kind === "answered") size += event.call.answer?.content.length ?? 0;
  }
  return size;
}
