import { assertEquals } from "@std/assert";
import { unfamiliarWords, wordsAndPairs } from "./ticket_words.ts";

const FAMILIAR = wordsAndPairs("please cancel the order with the lamp and keep the bottle");

for (
  const [ticket, seen, count] of [
    ["Please cancel the order with the lamp.", [], 0],
    // A word of a result is explained by it, and so are the pairs it stands in.
    ["Please cancel the order with the kettle.", [], 2],
    ["Please cancel the order with the kettles.", ["Tea Kettle"], 0],
    // Known words in an order that is new.
    ["Please keep the order with the lamp.", [], 1],
    ["Please cancel the order unless it is late.", [], 8],
  ] as const
) {
  Deno.test(`unfamiliarWords() counts ${count} in "${ticket}", having seen ${seen.length}`, () =>
    assertEquals(unfamiliarWords(wordsAndPairs(ticket), FAMILIAR, [seen]), count));
}
