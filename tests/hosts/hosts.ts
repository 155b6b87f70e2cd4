/**
 * The hosts of the lab: the npm package of each, and how it is pointed at a model and a server.
 *
 * @module
 */

import { dirname, join } from "node:path";

/** A server that a host starts, or one that it reaches by URL. */
export interface LabServer {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** What a host is started with. */
export interface HostStart {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files of its configuration, by path inside its home. */
  readonly files: Readonly<Record<string, string>>;
}

/** One host. */
export interface LabHost {
  readonly name: string;
  readonly title: string;
  readonly package: string;
  readonly version: string;
  readonly bin: string;
  start(model: string, server: LabServer, prompt: string, home: string): HostStart;
}

const stdio = ({ command: [command, ...args], env }: LabServer) => ({ command, args, env });
const json = (value: unknown) => JSON.stringify(value, null, 1);

const CLAUDE: LabHost = {
  name: "claude",
  title: "Claude Code",
  package: "@anthropic-ai/claude-code",
  version: "2.1.197",
  bin: "claude",
  start: (model, server, prompt, home) => ({
    args: [
      "-p",
      prompt,
      "--mcp-config",
      join(home, "mcp.json"),
      "--strict-mcp-config",
      "--allowedTools",
      `mcp__${server.name}`,
    ],
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // It asks the model only when the server is there.
      MCP_CONNECTION_NONBLOCKING: "0",
      MCP_CONNECT_TIMEOUT_MS: "30000",
    },
    files: { "mcp.json": json({ mcpServers: { [server.name]: stdio(server) } }) },
  }),
};

const CODEX: LabHost = {
  name: "codex",
  title: "Codex",
  package: "@openai/codex",
  version: "0.171.0",
  bin: "codex",
  start: (model, { name, command: [command, ...args], env }, prompt) => {
    const pairs = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    const provider =
      `{ name = "lab", base_url = "${model}/v1", wire_api = "responses", env_key = "LAB_KEY" }`;
    return {
      args: [
        "exec",
        "--skip-git-repo-check",
        "--sandbox",
        "danger-full-access",
        ...['approval_policy="never"', 'model="lab-model"', 'model_provider="lab"']
          .flatMap((setting) => ["-c", setting]),
        "-c",
        `model_providers.lab=${provider}`,
        prompt,
      ],
      env: { LAB_KEY: "none" },
      files: {
        // It asks the model only when a required server is there.
        ".codex/config.toml": `[mcp_servers.${name}]\nrequired = true\ncommand = ${
          JSON.stringify(command)
        }\nargs = ${JSON.stringify(args)}\nenv = { ${pairs.join(", ")} }\n`,
      },
    };
  },
};

const GEMINI: LabHost = {
  name: "gemini",
  title: "Gemini CLI",
  package: "@google/gemini-cli",
  version: "0.61.0",
  bin: "gemini",
  start: (model, server, prompt) => ({
    args: ["-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", prompt],
    env: {
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: "none",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    files: {
      ".gemini/settings.json": json({
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
        telemetry: { enabled: false },
        usageStatisticsEnabled: false,
        mcpServers: { [server.name]: { ...stdio(server), trust: true } },
      }),
    },
  }),
};

const OPENCODE: LabHost = {
  name: "opencode",
  title: "OpenCode",
  package: "opencode-ai",
  version: "1.18.33",
  bin: "opencode",
  start: (model, { name, command, env }, prompt) => ({
    args: ["run", prompt],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: {
      ".config/opencode/opencode.json": json({
        model: "lab/lab-model",
        small_model: "lab/lab-model",
        autoupdate: false,
        share: "disabled",
        provider: {
          lab: {
            npm: "@ai-sdk/openai-compatible",
            name: "lab",
            models: { "lab-model": { name: "lab" } },
            options: { baseURL: `${model}/v1`, apiKey: "none" },
          },
        },
        mcp: { [name]: { type: "local", command, enabled: true, environment: env } },
      }),
    },
  }),
};

const COPILOT: LabHost = {
  name: "copilot",
  title: "Copilot CLI",
  package: "@github/copilot",
  version: "1.0.102",
  bin: "copilot",
  start: (model, server, prompt) => ({
    args: ["--allow-all-tools", "--disable-builtin-mcps", "-p", prompt],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: "none",
      COPILOT_MODEL: "lab-model",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    },
    files: {
      ".copilot/mcp-config.json": json({
        mcpServers: { [server.name]: { type: "local", ...stdio(server), tools: ["*"] } },
      }),
    },
  }),
};

/** The hosts, in the order of docs/hosts.md. */
export const LAB_HOSTS: readonly LabHost[] = [CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT];

/** Where the hosts are installed: a folder of the user's cache, kept between runs. */
export function labFolder(): string {
  const home = Deno.env.get("HOME") ?? ".";
  const mac = Deno.build.os === "darwin" ? "Library/Caches" : ".cache";
  return join(Deno.env.get("XDG_CACHE_HOME") ?? join(home, mac), "hoist-hosts");
}

/**
 * Installs a host from npm unless its version is there.
 *
 * @param host Which one.
 * @returns The path of its executable; undefined when npm could not install it.
 */
export async function installHost(host: LabHost): Promise<string | undefined> {
  const folder = join(labFolder(), host.name);
  const binary = join(folder, "node_modules", ".bin", host.bin);
  const manifest = join(folder, "node_modules", host.package, "package.json");
  const version = () =>
    Deno.readTextFile(manifest).then((text) => JSON.parse(text).version, () => undefined);
  if (await version() === host.version) return binary;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "package.json"), '{"private":true}');
  const { success } = await new Deno.Command("npm", {
    args: ["install", "--no-audit", "--no-fund", `${host.package}@${host.version}`],
    cwd: folder,
    stdout: "null",
    stderr: "null",
  }).output();
  return success && await version() === host.version ? binary : undefined;
}

/** Writes the files of a host's configuration. */
export async function writeFiles(home: string, files: HostStart["files"]): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(home, path)), { recursive: true });
    await Deno.writeTextFile(join(home, path), text);
  }
}
