/**
 * A small stdio MCP server for measurements: answers each call as a real server
 * does, by parsing and printing JSON, and floods on demand.
 *
 * Tools: `echo {text}` answers with the text; `flood {count, bytes}` sends so
 * many notifications of so many bytes each, then answers; `count {}` answers
 * with the number of lines read so far.
 *
 * @module
 */

import { concat } from "../../lib/bytes/concat.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function send(bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
}

function answer(id: unknown, result: unknown): Uint8Array {
  return encoder.encode(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n");
}

function text(value: string): unknown {
  return { content: [{ type: "text", text: value }] };
}

/** Notifications of `bytes` bytes each, newline included, so many at a time as make a big write. */
async function flood(count: number, bytes: number): Promise<void> {
  const head =
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"';
  const line = encoder.encode(head + "z".repeat(bytes - head.length - 4) + '"}}\n');
  const perWrite = Math.max(1, Math.min(count, Math.floor(262_144 / bytes)));
  const block = new Uint8Array(line.length * perWrite);
  for (let i = 0; i < perWrite; i++) block.set(line, i * line.length);
  for (let left = count; left > 0; left -= perWrite) {
    await send(left >= perWrite ? block : block.subarray(0, left * line.length));
  }
}

let lines = 0;

async function onLine(line: Uint8Array): Promise<void> {
  lines++;
  if (line[2] !== 0x6a) return; // A flood's filler, not `{"jsonrpc"…`.
  const message = JSON.parse(decoder.decode(line));
  if (message.id === undefined) return;
  if (message.method === "initialize") {
    const serverInfo = { name: "bench-echo", version: "1" };
    const capabilities = { tools: {} };
    return await send(
      answer(message.id, {
        protocolVersion: message.params.protocolVersion,
        capabilities,
        serverInfo,
      }),
    );
  }
  const { name, arguments: args } = message.params;
  if (name === "flood") await flood(args.count, args.bytes);
  await send(answer(message.id, text(name === "count" ? String(lines) : args.text ?? "done")));
}

const buffer = new Uint8Array(262_144);
let held: Uint8Array[] = [];
for (;;) {
  const count = await Deno.stdin.read(buffer);
  if (count === null) break;
  const chunk = buffer.subarray(0, count);
  let start = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    const piece = chunk.subarray(start, end);
    await onLine(held.length > 0 ? concat([...held, piece]) : piece);
    held = [];
    start = end + 1;
  }
  if (start < count) held.push(chunk.slice(start));
}
