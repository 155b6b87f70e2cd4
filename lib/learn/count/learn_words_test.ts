import { assertEquals } from "@std/assert";
import { resultReader } from "../../flow/state/read_result.ts";
import { linkEpisode } from "../../trace/episode.ts";
import { FieldCounter, isPersonal } from "./learn_fields.ts";
import { WordCounter } from "./learn_words.ts";

const read = resultReader((text) => JSON.parse(text));

/** Customers who say "late" are looked up, the others are not; half are called Lea. */
function episode(n: number) {
  const isLate = n % 2 === 0;
  const call = {
    id: "1",
    name: isLate ? "track" : "price",
    arguments: { id: `P-${n}` },
    by: "agent" as const,
  };
  const content = JSON.stringify({
    status: isLate ? "late" : "sent",
    address: { city: "Ulm" },
    name: { first_name: "Lea" },
  });
  return linkEpisode({
    id: String(n),
    task_id: String(n),
    trial: 0,
    domain: "",
    agent_model: "m",
    reward: 1,
    events: [
      {
        kind: "user",
        text: isLate ? `Lea here, from Ulm: P-${n} is overdue` : "What does it cost?",
      },
      { kind: "assistant", text: null, calls: [call], usage: null },
      { kind: "tool_result", call_id: "1", name: call.name, error: false, content },
    ],
  });
}

Deno.test("WordCounter keeps words that tell, and no name, place or id", () => {
  const counter = new WordCounter(read);
  for (let n = 0; n < 40; n++) counter.add(episode(n));
  const words = counter.words(["track", "price"]);
  assertEquals(words, ["cost", "does", "from", "here", "overdue", "what"]);
});

Deno.test("FieldCounter keeps a status, and nothing personal", () => {
  const counter = new FieldCounter({ domain: "", tools: { track: "read", price: "read" } }, read);
  for (let n = 0; n < 40; n++) {
    const one = episode(n);
    counter.add({ ...one, calls: one.calls.map((call) => ({ ...call, name: "track" })) });
  }
  assertEquals([...counter.fields()], [["track", [["$.status", ["late", "sent"]]]]]);
});

Deno.test("isPersonal() knows names and addresses", () => {
  const paths = [
    "$.name.first_name",
    "$.email",
    "$.address.state",
    "$.status",
    "$.cabin",
    "$.payment.city",
  ];
  assertEquals(paths.map(isPersonal), [true, true, true, false, false, true]);
});
