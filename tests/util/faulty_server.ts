/**
 * An MCP server that does with each call what a plan says, for tests of clients.
 *
 * Usage: `deno run -A faulty_server.ts DIR`, with the plan in `DIR/plan.json`:
 * `{tools, calls}`, a fault for each call in order; where there is none left, a
 * call is answered. Each call is appended to `DIR/calls` before anything is done
 * with it, so that a call made twice is seen. An answer's text is the tool's name.
 *
 * @module
 */

import { at, textAt } from "../../lib/json/json.ts";

/** What is done with a call. */
export type Fault =
  | { readonly do: "answer"; readonly text?: string; readonly afterMs?: number }
  /** An error result. */
  | { readonly do: "fail" }
  /** An error response. */
  | { readonly do: "refuse" }
  | { readonly do: "hang" }
  | { readonly do: "die" }
  /** Bytes that are no message, then silence. */
  | { readonly do: "babble" };

/** A plan. */
export interface FaultPlan {
  readonly tools: readonly { readonly name: string; readonly inputSchema: unknown }[];
  readonly calls: readonly Fault[];
}

async function main(dir: string): Promise<void> {
  const { tools, calls }: FaultPlan = JSON.parse(await Deno.readTextFile(`${dir}/plan.json`));
  const faults = [...calls];
  const say = (message: unknown) => {
    const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    Deno.stdout.writeSync(bytes);
  };
  let rest = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message: unknown = JSON.parse(line);
      const [id, method] = [at(message, "id"), at(message, "method")];
      const answer = (result: unknown) => say({ jsonrpc: "2.0", id, result });
      const error = (code: number, text: string) =>
        say({ jsonrpc: "2.0", id, error: { code, message: text } });
      if (id === undefined) continue;
      if (method === "initialize") {
        answer({
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "faulty", version: "1" },
        });
      } else if (method === "tools/list") answer({ tools });
      else if (method === "tools/call") {
        const name = textAt(message, "params", "name") ?? "";
        await Deno.writeTextFile(`${dir}/calls`, `${name}\n`, { append: true });
        const fault = faults.shift() ?? { do: "answer" };
        const text = fault.do === "answer" ? fault.text ?? name : "it cannot be done";
        const result = { content: [{ type: "text", text }], isError: fault.do === "fail" };
        if (fault.do === "answer" && fault.afterMs !== undefined) {
          await new Promise((done) => setTimeout(done, fault.afterMs));
        }
        if (fault.do === "answer" || fault.do === "fail") answer(result);
        else if (fault.do === "refuse") error(-32602, "no such order");
        else if (fault.do === "die") Deno.kill(Deno.pid, "SIGKILL");
        else if (fault.do === "babble") {
          Deno.stdout.writeSync(new TextEncoder().encode("not a message\n"));
        }
      } else error(-32601, "Method not found");
    }
  }
}

if (import.meta.main) await main(Deno.args[0] ?? ".");
