/**
 * An MCP server that answers every request with an empty result, over TLS: as one of our name, as
 * one of another, and as one that demands a client certificate; and a proxy for CONNECT, which
 * says on stdout where it was asked to connect. Prints their ports. Runs in Node, whose servers can
 * demand a certificate. Its argument is the folder of the certificates.
 */

import { readFileSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { connect } from "node:net";

const folder = process.argv[2];
const read = (name) => readFileSync(`${folder}/${name}`);

function answer(request, response) {
  let body = "";
  request.on("data", (chunk) => body += chunk).on("end", () => {
    const { id } = body === "" ? {} : JSON.parse(body);
    response.setHeader("content-type", "application/json");
    response.statusCode = id === undefined ? 202 : 200;
    const result = {
      protocolVersion: "2025-06-18",
      name: request.socket.getPeerCertificate?.().subject?.CN,
    };
    response.end(id === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
}

function listening(server) {
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server.address().port)));
}

function secure(name, more = {}) {
  return listening(
    createServer({ cert: read(`${name}.pem`), key: read(`${name}.key`), ...more }, answer),
  );
}

const proxy = createProxy().on("connect", (request, socket) => {
  console.log(`CONNECT ${request.url}`);
  const [host, port] = request.url.split(":");
  const server = connect(Number(port), host, () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    server.pipe(socket).pipe(server);
  });
  for (const end of [socket, server]) {
    end.on("error", () => [socket, server].forEach((s) => s.destroy()));
  }
});

const strict = { requestCert: true, rejectUnauthorized: true, ca: [read("ca.pem")] };
const ports = [secure("server"), secure("other"), secure("server", strict), listening(proxy)];
console.log(JSON.stringify(await Promise.all(ports)));
