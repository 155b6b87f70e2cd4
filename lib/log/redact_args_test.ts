import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { redactArgs } from "./redact_args.ts";

/** Each row: arguments before, arguments after. */
const CASES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [["--api-key", "X1"], ["--api-key", "<redacted>"]],
  [["--token=X1"], ["--token=<redacted>"]],
  [["-token", "X1"], ["-token", "<redacted>"]],
  [["GITHUB_TOKEN=X1"], ["GITHUB_TOKEN=<redacted>"]],
  [["-e", "DB_PASSWORD=a&b c"], ["-e", "DB_PASSWORD=<redacted>"]],
  [["--header", "Authorization: Bearer X1"], ["--header", "Authorization: <redacted>"]],
  [["--header", "Authorization:X1"], ["--header", "Authorization:<redacted>"]],
  [["--header", "Authorization:", "Bearer", "X1"], [
    "--header",
    "Authorization:",
    "Bearer",
    "<redacted>",
  ]],
  [["x-api-key: X1"], ["x-api-key: <redacted>"]],
  [["Cookie: sid=X1; b=X2"], ["Cookie: <redacted>"]],
  [["https://user:X1@host/mcp?a=b"], ["https://<redacted>@host/mcp?a=b"]],
  [["https://X1@host/"], ["https://<redacted>@host/"]],
  [["https://host/mcp?api_key=X1&a=b#c"], ["https://host/mcp?api_key=<redacted>&a=b#c"]],
  [["https://host/mcp?a=b&session-id=X1"], ["https://host/mcp?a=b&session-id=<redacted>"]],
  [["--url=https://u:X1@host/"], ["--url=https://<redacted>@host/"]],
  [
    ["sh", "-c", "exec env MY_SECRET=X1 node s.js --token 'X2 X3' --port 80 --key=X4"],
    [
      "sh",
      "-c",
      "exec env MY_SECRET=<redacted> node s.js --token <redacted> --port 80 --key=<redacted>",
    ],
  ],
  [
    ["sh", "-c", 'curl -H "Authorization: Bearer X1" https://h/'],
    ["sh", "-c", 'curl -H "Authorization: Bearer <redacted>" https://h/'],
  ],
  [['{"apiKey":"X1","port":80}'], ['{"apiKey":"<redacted>","port":80}']],
  [["--config", '{"auth": {"password" : "X1"}}'], [
    "--config",
    '{"auth": {"password" : "<redacted>"}}',
  ]],
  [["ghp_X1234567890abcdefghij"], ["<redacted>"]],
  [["run", "sk-X1234567890abcdefghij"], ["run", "<redacted>"]],
  [["eyJhbGciOiJI.eyJzdWIiOiIx.X1_sig"], ["<redacted>"]],
  [["--pass", "X1", "--pat", "X2", "--passphrase=X3"], [
    "--pass",
    "<redacted>",
    "--pat",
    "<redacted>",
    "--passphrase=<redacted>",
  ]],
  [["env", "DB_PASS=X1"], ["env", "DB_PASS=<redacted>"]],
  [["curl", "-u", "bob:X1"], ["curl", "-u", "bob:<redacted>"]],
  [["--user", "bob:X1"], ["--user", "bob:<redacted>"]],
  [["https://h/b?sig=X1&se=2"], ["https://h/b?sig=<redacted>&se=2"]],
  // Where the value ends is not known: all of the rest is hidden.
  [["MY_SECRET=X1 node s.js"], ["MY_SECRET=<redacted>"]],
  // Plain arguments stay as they are.
  [["npx", "-y", "@scope/server@1.2.3", "/home/me/data dir"], [
    "npx",
    "-y",
    "@scope/server@1.2.3",
    "/home/me/data dir",
  ]],
  [["--port", "80", "", "--verbose", "a=b"], ["--port", "80", "", "--verbose", "a=b"]],
  [["--token", "--port", "80"], ["--token", "--port", "80"]],
  [["https://host/mcp?a=b"], ["https://host/mcp?a=b"]],
  [["--user", "bob"], ["--user", "bob"]],
  [["--pattern", "x", "--signal", "y", "--bypass", "z"], [
    "--pattern",
    "x",
    "--signal",
    "y",
    "--bypass",
    "z",
  ]],
  [["/etc/tokens/file.json"], ["/etc/tokens/file.json"]],
];

for (const [before, after] of CASES) {
  Deno.test(`redactArgs() turns ${JSON.stringify(before)} into what may be logged`, () => {
    assertEquals(redactArgs(before), [...after]);
    assert(!/X\d/.test(redactArgs(before).join(" ")));
  });
}

Deno.test("redactArgs() hides a value behind any such name, keeps the number of arguments", () => {
  const name = fc.constantFrom("api-key", "TOKEN", "client_secret", "password", "auth", "Cookie");
  const value = fc.stringMatching(/^[A-Za-z0-9+\/_.]{6,20}$/).map((v) => `QQ${v}`);
  fc.assert(
    fc.property(name, value, fc.nat(5), (n, v, form) => {
      const args = [
        [`--${n}`, v],
        [`--${n}=${v}`],
        [`${n}=${v}`],
        [`${n}: ${v}`],
        [`https://h.example/p?x=1&${n}=${v}`],
        ["sh", "-c", `run --${n} ${v} | ${n}=${v} tee`],
      ][form] ?? [];
      const out = redactArgs(args);
      return out.length === args.length && !out.join(" ").includes(v);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("redactArgs() takes any text without throwing, and changes nothing the second time", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (args) => {
      const once = redactArgs(args);
      assertEquals(redactArgs(once), once);
    }),
    { numRuns: 2000 },
  );
});
