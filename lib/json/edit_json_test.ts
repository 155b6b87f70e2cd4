import { assertEquals } from "@std/assert";
import { rootSpan, valuesOf } from "./json_spans.ts";
import { editJson } from "./edit_json.ts";
import { EventHistory } from "../session/event_history.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (b: Uint8Array) => new TextDecoder().decode(b);

Deno.test("editJson() replaces values and touches nothing else", () => {
  const before = bytes(' {"id" : 9007199254740993 ,"n":1e400, "id":"x","s":"\\u00e9é"}\n');
  const edits = valuesOf(before, rootSpan(before), "id").map((span) => ({ span, text: "7" }));
  assertEquals(text(editJson(before, edits)), ' {"id" : 7 ,"n":1e400, "id":7,"s":"\\u00e9é"}\n');
  assertEquals(text(editJson(before, [], rootSpan(before))), text(before).trim());
});

Deno.test("EventHistory gives the later events of one stream, and no other's", () => {
  const history = new EventHistory({ events: 3, bytes: 1000 });
  const [a, b] = [history.open(), history.open()];
  const ids = [[a, "1"], [b, "2"], [a, "3"], [a, "4"]].map(([stream, line]) =>
    history.add(Number(stream), bytes(String(line)))
  );
  const after = (id: string) => history.after(id)?.events.map(({ line }) => text(line));
  assertEquals(after(ids[0] ?? ""), ["3", "4"]);
  assertEquals(after(ids[1] ?? ""), []);
  assertEquals(after(history.startOf(a)), ["3", "4"], "the first was dropped: three are kept");
  assertEquals(history.after("9-1"), undefined);
  assertEquals(history.after(`${a}-99`), undefined);
  for (const id of ["", "x", "1", "1-", "-1", "1-1-1", "__proto__", "1e1-1"]) {
    assertEquals(history.after(id), undefined, id);
  }
});

Deno.test("EventHistory forgets streams that are closed, and knows that they were", () => {
  const history = new EventHistory({ events: 3, bytes: 1000 });
  const open = history.open();
  history.add(open, new Uint8Array(1));
  for (let i = 0; i < 100; i++) {
    const stream = history.open();
    history.add(stream, new Uint8Array(i === 50 ? 2000 : 1)); // One that is never kept.
    history.close(stream);
  }
  assertEquals(history.size, 4, "three, and the one that is open");
  assertEquals(history.after("50-1"), { stream: 50, events: [] });
  assertEquals(history.after("101-0")?.events.length, 1);
  assertEquals(history.after("102-0"), undefined, "never opened");
});

Deno.test("EventHistory keeps no more than its bytes", () => {
  const history = new EventHistory({ events: 1000, bytes: 10 });
  const stream = history.open();
  for (let i = 0; i < 5000; i++) history.add(stream, bytes("12345"));
  assertEquals(history.after(history.startOf(stream))?.events.length, 2);
});
