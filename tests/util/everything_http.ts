/**
 * server-everything over Streamable HTTP, or with the argument `sse` over HTTP+SSE, on 127.0.0.1 and a free port, which it
 * cannot be told: it would listen on every address. Prints its URL.
 *
 * @module
 */

import { Server } from "node:net";

// deno-lint-ignore no-explicit-any
const prototype: any = Server.prototype;
const listen = prototype.listen;
const isSse = Deno.args[0] === "sse";
prototype.listen = function (this: Server, _port: unknown, ...rest: unknown[]) {
  const callback = rest.find((item) => typeof item === "function");
  return listen.call(this, { host: "127.0.0.1", port: 0 }, () => {
    const address = this.address();
    if (typeof address === "object" && address !== null) {
      console.log(`http://127.0.0.1:${address.port}/${isSse ? "sse" : "mcp"}`);
    }
    if (typeof callback === "function") callback();
  });
};
Deno.env.set("PORT", "1");
const transports = "npm:@modelcontextprotocol/server-everything@2026.8.31/dist/transports";
await import(`${transports}/${isSse ? "sse" : "streamableHttp"}.js`);
