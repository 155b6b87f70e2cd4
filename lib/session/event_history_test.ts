import { assertEquals } from "@std/assert";
import { EventHistory } from "./event_history.ts";

const line = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const NO_LIMITS = { events: 100, bytes: 1_000 };

/** The events after an id, as text. */
function after(history: EventHistory, id: string): string[] | undefined {
  return history.after(id)?.events.map((event) => `${event.id} ${text(event.line)}`);
}

Deno.test("EventHistory gives a stream's own events after an id, in order", () => {
  const history = new EventHistory(NO_LIMITS);
  const [a, b] = [history.open(), history.open()];
  assertEquals([history.add(a, line("x")), history.add(b, line("y"))], ["1-1", "2-1"]);
  history.add(a, line("z"));
  assertEquals(after(history, "1-1"), ["1-2 z"]);
  assertEquals(after(history, history.startOf(a)), ["1-1 x", "1-2 z"]);
  assertEquals(after(history, "1-2"), []);
  assertEquals(history.after("2-0")?.stream, b);
});

Deno.test("EventHistory knows no id that it never gave", () => {
  const history = new EventHistory(NO_LIMITS);
  history.add(history.open(), line("x"));
  for (const id of ["1-2", "2-0", "0-0", "1", "", "x-1", "1-1-1", "-1-1", "1e0-1"]) {
    assertEquals(history.after(id), undefined, id);
  }
});

Deno.test("EventHistory drops the oldest events past its number, and goes on with the rest", () => {
  const history = new EventHistory({ events: 2, bytes: 1_000 });
  const stream = history.open();
  for (const name of ["a", "b", "c"]) history.add(stream, line(name));
  assertEquals(after(history, "1-0"), ["1-2 b", "1-3 c"]);
  for (let i = 0; i < 10; i++) history.add(stream, line("d"));
  assertEquals(after(history, "1-0")?.length, 2);
});

Deno.test("EventHistory drops the oldest events past its size, a single large one too", () => {
  const history = new EventHistory({ events: 100, bytes: 4 });
  const stream = history.open();
  for (const name of ["aa", "bb", "cc"]) history.add(stream, line(name));
  assertEquals(after(history, "1-0"), ["1-2 bb", "1-3 cc"]);
  history.add(stream, line("large"));
  assertEquals(after(history, "1-0"), []);
});

Deno.test("EventHistory forgets a closed stream with its last event", () => {
  const history = new EventHistory({ events: 2, bytes: 1_000 });
  const [a, b] = [history.open(), history.open()];
  history.add(a, line("x"));
  history.close(a);
  assertEquals([history.size, after(history, "1-0")], [2, ["1-1 x"]]);
  history.add(b, line("y"));
  history.add(b, line("z"));
  assertEquals(history.size, 1, "its last event is dropped");
  const empty = history.open();
  history.close(empty);
  assertEquals(history.size, 1, "one without events at once");
});
