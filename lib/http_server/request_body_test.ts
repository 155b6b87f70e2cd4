import { assertEquals, assertRejects } from "@std/assert";
import { bodyWithin, refusedAndCut } from "./request_body.ts";

/** A request whose body comes in parts of these sizes, with or without a length. */
function request(sizes: readonly number[], length?: number): Request {
  const left = [...sizes];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = left.shift();
      if (size === undefined) controller.close();
      else controller.enqueue(new Uint8Array(size));
    },
  });
  const headers = length === undefined ? {} : { "content-length": `${length}` };
  return new Request("http://127.0.0.1/mcp", { method: "POST", body, headers });
}

/** Sizes of the parts, the length that is said, and what a limit of 10 bytes makes of it. */
const ROWS: readonly (readonly [readonly number[], number | undefined, number | string])[] = [
  [[4, 6], undefined, 10],
  [[10], 10, 10],
  [[], undefined, 0],
  [[11], undefined, "too long"],
  [[5, 5, 5], undefined, "too long"],
  [[20, 20], undefined, "too long"],
  [[20, 21], undefined, "endless"],
  [[1], 41, "endless"],
  [[11], 11, "too long"],
];

for (const [sizes, length, expected] of ROWS) {
  Deno.test(`bodyWithin() of parts ${sizes} with length ${length}: ${expected}`, async () => {
    const body = await bodyWithin(request(sizes, length), 10);
    assertEquals(typeof body === "string" ? body : body.length, expected);
  });
}

Deno.test("refusedAndCut() sends the refusal, then cuts the connection", async () => {
  const response = refusedAndCut({ status: 413, code: -32000, message: "too long" });
  assertEquals([response.status, response.headers.get("connection")], [413, "close"]);
  const reader = response.body?.getReader();
  const { value } = await reader?.read() ?? {};
  assertEquals(new TextDecoder().decode(value).includes("too long"), true);
  await assertRejects(async () => await reader?.read(), Error, "cut");
});
