/**
 * The network toward an upstream, with real TLS: private authorities, client certificates, a proxy
 * for CONNECT, and what the host is told when it fails.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { executable, ROOT } from "../util/executables.ts";
import { denoDir } from "../util/scratch_home.ts";

const decoder = new TextDecoder();

async function run(program: string, args: readonly string[]): Promise<boolean> {
  const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;
  const run = () => new Deno.Command(program, { args: [...args], ...quiet }).output();
  return (await run().catch(() => undefined))?.success ?? false;
}

const isThere = await run("openssl", ["version"]) && await run("node", ["--version"]);
if (!isThere) console.log("skipped: tests of TLS need openssl and node");

/** An authority, and certificates of a server here, of one elsewhere, and of a client. */
async function makeCertificates(dir: string): Promise<void> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const at = (name: string) => `${dir}/${name}`;
  assert(
    await run("openssl", [
      ...["req", "-x509", ...key, "-keyout", at("ca.key"), "-out", at("ca.pem")],
      ...["-days", "2", "-subj", "/CN=an authority"],
    ]),
  );
  const names = [
    ["server", "DNS:localhost,IP:127.0.0.1"],
    ["other", "DNS:other.example"],
    ["client", "DNS:a-client"],
  ] as const;
  for (const [name, subject] of names) {
    await Deno.writeTextFile(at("ext"), `subjectAltName=${subject}\nbasicConstraints=CA:FALSE\n`);
    const request = ["-keyout", at(`${name}.key`), "-out", at("csr"), "-subj", `/CN=${name}`];
    const sign = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-days", "2"];
    const made = ["-in", at("csr"), "-out", at(`${name}.pem`), "-extfile", at("ext")];
    assert(await run("openssl", ["req", ...key, ...request]));
    assert(await run("openssl", ["x509", "-req", ...sign, ...made]));
  }
  await Deno.chmod(at("client.key"), 0o600);
}

/** The servers, and what the proxy was asked for. */
async function startServers(dir: string) {
  const args = [`${ROOT}/tests/util/tls_servers.mjs`, dir];
  const child = new Deno.Command("node", { args, stdin: "null", stdout: "piped" }).spawn();
  let said = "";
  const first = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      said += chunk;
      if (said.includes("\n")) first.resolve();
    }
  })();
  await first.promise;
  return {
    ports: JSON.parse(said.split("\n")[0] ?? "") as [number, number, number, number],
    connects: () => said.split("\n").filter((line) => line.startsWith("CONNECT")),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await reading;
    },
  };
}

/** What a host's `initialize` is answered with, and what stderr says. */
async function hello(
  url: string,
  { flags = [], env = {} }: {
    readonly flags?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<{ readonly result?: { readonly name?: string }; why: string; said: string }> {
  const [program = "", ...first] = executable("hoist-mcp");
  const child = new Deno.Command(program, {
    args: [...first, "--upstream", url, "--upstream-transport", "http", ...flags],
    // The runtime's own look for a newer version goes through a proxy too, and is none of ours.
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const line = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n';
  await writer.write(new TextEncoder().encode(line)).catch(() => {});
  await writer.close().catch(() => {});
  const { stdout, stderr } = await child.output();
  const answer = JSON.parse(decoder.decode(stdout) || "{}");
  return { ...answer, why: answer.error?.message ?? "", said: decoder.decode(stderr) };
}

Deno.test({
  name: "an upstream behind TLS: authorities, client certificates, a proxy, and what fails by name",
  ignore: !isThere,
  async fn() {
    const dir = await Deno.makeTempDir({ prefix: "hoist-tls-" });
    await makeCertificates(dir);
    await using servers = await startServers(dir);
    const [server, other, strict, proxy] = servers.ports.map((port) => `localhost:${port}`);
    const gone = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const closed = `127.0.0.1:${gone.addr.port}`;
    gone.close();
    const env = { SSL_CERT_FILE: `${dir}/ca.pem` };

    for (const variable of ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "DENO_CERT"]) {
      const found = await hello(`https://${server}/`, { env: { [variable]: `${dir}/ca.pem` } });
      assert(found.result !== undefined, `${variable}: ${found.why}`);
    }

    const shown = {
      flags: [`--upstream-cert=${dir}/client.pem`, `--upstream-key=${dir}/client.key`],
    };
    const known = await hello(`https://${strict}/`, { ...shown, env });
    assertEquals([known.result?.name, known.said], ["client", ""]);

    const login = async (...flags: readonly string[]) => {
      const [program = "", ...first] = executable("hoist");
      const { code, stderr } = await new Deno.Command(program, {
        args: [...first, "auth", "login", `https://${strict}/`, "--no-browser", ...flags],
        env: { ...env, HOME: dir, DENO_DIR: await denoDir() },
      }).output();
      assertEquals(code, 1);
      return decoder.decode(stderr);
    };
    assertStringIncludes(await login(), "demands a client certificate");
    // It is let in, and finds no authorization server: the server is not one that needs a sign-in.
    const letIn = await login(...shown.flags);
    assert(!letIn.includes("TLS"), letIn);

    const faults = [
      [`https://${server}/`, {}, "issuer of its certificate is not trusted"],
      [`https://${other}/`, { env }, "certificate is for another name"],
      [`https://${strict}/`, { env }, "demands a client certificate"],
      ["https://nosuch.invalid/", {}, "name is not found (DNS)"],
      [`http://${closed}/`, {}, "connection is refused"],
    ] as const;
    for (const [url, how, why] of faults) assertStringIncludes((await hello(url, how)).why, why);

    const through = { ...env, HTTPS_PROXY: `http://${proxy}` };
    assert((await hello(`https://${server}/`, { env: through })).result !== undefined);
    assertEquals(servers.connects(), [`CONNECT ${server}`]);
    await hello(`https://${server}/`, { env: { ...through, NO_PROXY: "localhost" } });
    assertEquals(servers.connects().length, 1);
    const dead = { ...env, HTTPS_PROXY: `http://${closed}` };
    assertStringIncludes((await hello(`https://${server}/`, { env: dead })).why, "HTTPS_PROXY");

    const swapped = [`--upstream-cert=${dir}/client.key`, `--upstream-key=${dir}/client.pem`];
    const refused = await hello(`https://${strict}/`, { flags: swapped, env });
    assertStringIncludes(refused.said, "no certificate and its key in PEM");
    assert(!refused.said.includes("PRIVATE"));
    await Deno.remove(dir, { recursive: true });
  },
});
