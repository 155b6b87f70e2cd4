import { assertEquals } from "@std/assert";
import { networkFault } from "./network_fault.ts";

/** Errors of `fetch`, and the reasons that are shown. */
const ROWS: readonly (readonly [unknown, string])[] = [
  [
    new TypeError(
      "error sending request for url (http://h/mcp?key=s3cret): client error (Connect): tcp connect error: refused",
    ),
    "tcp connect error: refused",
  ],
  [
    new TypeError("failed", {
      cause: new Error("error for url (http://u:p@h/mcp): client error (Connect): dns error"),
    }),
    "its name is not found (DNS) (dns error)",
  ],
  [
    new TypeError("failed", { cause: new Error("received fatal alert: CertificateRequired") }),
    "TLS: it demands a client certificate; see --upstream-cert (received fatal alert: CertificateRequired)",
  ],
  [
    new TypeError("failed", { cause: new Error("unexpected eof while tunneling") }),
    "the proxy ends the connection instead of opening a tunnel (unexpected eof while tunneling)",
  ],
  [
    new TypeError("failed", { cause: new Error("proxy authentication required") }),
    "the proxy demands another user and password in its URL (proxy authentication required)",
  ],
  [new TypeError("cannot load http://h/mcp?key=s3cret now"), "cannot load the upstream now"],
  ["odd", "odd"],
];

for (const [error, expected] of ROWS) {
  Deno.test(`networkFault() shows ${JSON.stringify(expected)} and no URL`, () => {
    assertEquals(networkFault(error), expected);
  });
}

Deno.test("networkFault() is short", () => {
  assertEquals(networkFault(new Error("x".repeat(1_000))).length, 300);
});
