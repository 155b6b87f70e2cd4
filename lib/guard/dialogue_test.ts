import { assertEquals } from "@std/assert";
import { Dialogue } from "./dialogue.ts";

Deno.test("Dialogue ends with the customer's last message", () => {
  const dialogue = new Dialogue();
  dialogue.spoke("Hello");
  assertEquals(dialogue.heardSoFar(), []);
  dialogue.heard("Hold P-1");
  dialogue.spoke("");
  dialogue.spoke("I will");
  assertEquals(dialogue.heardSoFar(), [
    { by: "agent", text: "Hello" },
    { by: "customer", text: "Hold P-1" },
  ]);
  dialogue.heard("Thanks");
  assertEquals(dialogue.heardSoFar().slice(2), [
    { by: "agent", text: "I will" },
    { by: "customer", text: "Thanks" },
  ]);
});

Deno.test("Dialogue shows the last 40 messages, 600 characters of each", () => {
  const dialogue = new Dialogue();
  for (let i = 0; i < 50; i++) dialogue.spoke(`${i}`);
  dialogue.heard("x".repeat(601));
  const shown = dialogue.heardSoFar();
  assertEquals(
    [shown.length, shown[0]?.text, shown.at(-1)?.text],
    [40, "11", "x".repeat(599) + "…"],
  );
});
