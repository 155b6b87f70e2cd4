import { assertEquals } from "@std/assert";
import { appendixText } from "./append.ts";
import { budgetOf, fitted, UNKNOWN_HOST } from "./host_budgets.ts";

const lookup = (tool: string, chance: number, content = "x".repeat(100)) => ({
  tool,
  args: "{}",
  content,
  chance,
});
const NO_TEXT = { texts: [], structured: undefined };

Deno.test("budgetOf() knows measured hosts by name and is careful with others", () => {
  assertEquals(budgetOf("claude-code").limit, 48_000);
  assertEquals(budgetOf("copilot-cli").unit, "bytes");
  assertEquals(budgetOf("somebody-else"), UNKNOWN_HOST);
  assertEquals(budgetOf(undefined), UNKNOWN_HOST);
});

Deno.test("fitted() leaves the least likely out first, and keeps the order", () => {
  const found = [lookup("a", 0.5), lookup("b", 0.9), lookup("c", 0.7)];
  const [a, b, c] = found;
  const length = appendixText([b, c].flatMap((l) => l ?? []), [a].flatMap((l) => l ?? [])).length;
  const fit = (limit: number) => {
    const { shown, leftOut } = fitted(found, NO_TEXT, { limit, unit: "characters" });
    return [shown.map(({ tool }) => tool).join(), leftOut.map(({ tool }) => tool).join()];
  };
  assertEquals(fit(10_000), ["a,b,c", ""]);
  assertEquals(fit(length), ["b,c", "a"]);
  assertEquals(fit(length - 1), ["b", "a,c"]);
  assertEquals(fit(10), ["", "a,b,c"]);
});

Deno.test("fitted() counts the result's own texts, and bytes where the host does", () => {
  const found = [lookup("a", 0.5, "é".repeat(100))];
  const length = appendixText(found).length;
  const own = { texts: ["é".repeat(40)], structured: "{}" };
  const shown = (limit: number, unit: "characters" | "bytes") =>
    fitted(found, own, { limit, unit }).shown.length;
  assertEquals(shown(length + 42, "characters"), 1);
  assertEquals(shown(length + 41, "characters"), 0);
  assertEquals(shown(length + 100 + 82, "bytes"), 1);
  assertEquals(shown(length + 100 + 81, "bytes"), 0);
});
