import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseLine } from "./parse_line.ts";

Deno.test("parseLine() reads the recorder's spelling as it reads any other", () => {
  const sources = fc.constantFrom("client", "server", "proxy", "context");
  fc.assert(fc.property(fc.nat(), sources, fc.jsonValue(), (t_ms, from, message) => {
    const wire = JSON.stringify(message);
    const recorded = parseLine(`{"t_ms":${t_ms},"from":"${from}","message":${wire}}`, 7);
    assertEquals(recorded, parseLine(`{"from":"${from}","message":${wire},"t_ms":${t_ms}}`, 7));
    assertEquals(recorded.kind, "read");
  }));
});

for (
  const [why, text] of [
    ["a time with a leading zero", '{"t_ms":01,"from":"client","message":1}'],
    ["an unknown source", '{"t_ms":1,"from":"me","message":1}'],
    ["two values", '{"t_ms":1,"from":"client","message":1 2}'],
    ["no end", '{"t_ms":1,"from":"client","message":1'],
  ] as const
) {
  Deno.test(`parseLine() refuses ${why}`, () => {
    assertEquals(parseLine(text, 2).kind, "fault");
  });
}

Deno.test("parseLine() takes the last of two messages, and ignores what follows one", () => {
  const wireOf = (text: string) => {
    const parsed = parseLine(text, 2);
    return parsed.kind === "read" && parsed.value.kind === "message" ? parsed.value.text : "";
  };
  assertEquals(wireOf('{"t_ms":1,"from":"client","message":1,"message":2}'), "2");
  assertEquals(wireOf('{"t_ms":1,"from":"client","message":1,"raw":"x"}'), "1");
});
