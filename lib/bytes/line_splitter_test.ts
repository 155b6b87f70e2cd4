import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { LineSplitter } from "./line_splitter.ts";

Deno.test("LineSplitter cuts at \\n alone, however the bytes come", () => {
  fc.assert(fc.property(
    fc.array(fc.constantFrom(10, 13, 0x61, 0xe2, 0x80, 0xa8), { maxLength: 40 }),
    fc.array(fc.nat(), { maxLength: 6 }),
    (bytes, cuts) => {
      const splitter = new LineSplitter();
      const lines: number[][] = [];
      const at = [0, ...cuts.map((c) => c % (bytes.length + 1)).sort((a, b) => a - b)];
      [...at, bytes.length].slice(1).forEach((end, i) => {
        splitter.push(new Uint8Array(bytes.slice(at[i], end)), (line) => lines.push([...line]));
      });
      const rest = splitter.end();
      if (rest !== undefined) lines.push([...rest]);
      const wanted: number[][] = [[]];
      for (const byte of bytes) byte === 10 ? wanted.push([]) : wanted.at(-1)?.push(byte);
      if (wanted.at(-1)?.length === 0) wanted.pop();
      assertEquals(lines, wanted);
    },
  ));
});
