/**
 * The known hosts: where each keeps its servers, and how it writes one.
 *
 * From their documentation, as of autumn 2026. A new host needs one row.
 *
 * @module
 */

/** One host. */
export interface HostKind {
  /** Its name for `--host`. */
  readonly id: string;
  /** Its name for people. */
  readonly title: string;
  /** Format of its file. */
  readonly format: "json" | "toml";
  /** Paths of keys that hold servers, the usual one first; `*` is any key. */
  readonly servers: readonly (readonly string[])[];
  /** Whether `command` is one list of program and arguments, or a string beside `args`. */
  readonly isCommandList: boolean;
  /** Further members of a server that is started by a command. */
  readonly commandExtra: Readonly<Record<string, unknown>>;
  /** Value of `type` for a server that is started by a command, where there is one. */
  readonly commandType: string | undefined;
  /** How a server with a URL is written; undefined where the host supports none. */
  readonly url: UrlSpelling | undefined;
  /** Its own files, by system; `~` is the home directory, `%APPDATA%` Windows' folder of that name. */
  readonly files: Readonly<Record<"linux" | "macos" | "windows", string>>;
  /** A file of a project's, from the project's folder. */
  readonly projectFile: string | undefined;
  /** Whether programs need a full path, since it does not use the user's PATH. */
  readonly needsFullPath: boolean;
  /** Member that lists the variables passed to a server, for a host that passes few. */
  readonly variablesKey?: string;
  /** Variables of its own environment that reach a server by themselves; all where it is unset. */
  readonly inherits?: readonly string[];
}

/** How a host writes a server over Streamable HTTP. */
export interface UrlSpelling {
  /** Members that hold a URL, the one to write first. */
  readonly keys: readonly string[];
  /** Value of `type` to write, where one is needed. */
  readonly type: string | undefined;
  /** Whether a URL without a `type` is Streamable HTTP; false: it is the older SSE transport. */
  readonly isUntypedHttp: (key: string) => boolean;
  /** Members that make it send a variable as its bearer token; undefined where there are none. */
  readonly bearer: ((variable: string) => Readonly<Record<string, unknown>>) | undefined;
}

const header = (before: string, after: string) => (variable: string) => ({
  headers: { Authorization: `Bearer ${before}${variable}${after}` },
});
const BRACES = header("${", "}");
const ENV_BRACES = header("${env:", "}");
const always = () => true;
const never = () => false;

const everywhere = (path: string) => ({ linux: path, macos: path, windows: path });

/** What most hosts have in common. */
const USUAL = {
  format: "json",
  servers: [["mcpServers"]],
  isCommandList: false,
  commandExtra: {},
  commandType: undefined,
  projectFile: undefined,
  needsFullPath: false,
} as const;

/** What Codex passes on: its lists for POSIX systems and for Windows together. */
const CODEX_INHERITS = (
  "HOME LOGNAME PATH SHELL USER __CF_USER_TEXT_ENCODING LANG LC_ALL TERM TMPDIR TZ " +
  "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT POWERSHELL PROGRAMDATA PROGRAMFILES " +
  "PROGRAMFILES(X86) PROGRAMW6432 PWSH SYSTEMDRIVE SYSTEMROOT TEMP TMP USERDOMAIN USERNAME USERPROFILE"
).split(" ");

/** Every host, by the name `--host` takes. */
export const HOSTS: readonly HostKind[] = [
  {
    ...USUAL,
    id: "claude-code",
    title: "Claude Code",
    servers: [["mcpServers"], ["projects", "*", "mcpServers"]],
    commandType: "stdio",
    url: { keys: ["url"], type: "http", isUntypedHttp: never, bearer: BRACES },
    files: everywhere("~/.claude.json"),
    projectFile: ".mcp.json",
  },
  {
    ...USUAL,
    id: "claude-desktop",
    title: "Claude Desktop",
    url: undefined,
    files: {
      linux: "~/.config/Claude/claude_desktop_config.json",
      macos: "~/Library/Application Support/Claude/claude_desktop_config.json",
      windows: "%APPDATA%/Claude/claude_desktop_config.json",
    },
    needsFullPath: true,
  },
  {
    ...USUAL,
    id: "cursor",
    title: "Cursor",
    commandType: "stdio",
    url: { keys: ["url"], type: undefined, isUntypedHttp: always, bearer: ENV_BRACES },
    files: everywhere("~/.cursor/mcp.json"),
    projectFile: ".cursor/mcp.json",
  },
  {
    ...USUAL,
    id: "vscode",
    title: "VS Code",
    servers: [["servers"]],
    commandExtra: { type: "stdio" },
    commandType: "stdio",
    url: { keys: ["url"], type: "http", isUntypedHttp: always, bearer: ENV_BRACES },
    files: {
      linux: "~/.config/Code/User/mcp.json",
      macos: "~/Library/Application Support/Code/User/mcp.json",
      windows: "%APPDATA%/Code/User/mcp.json",
    },
    projectFile: ".vscode/mcp.json",
  },
  {
    ...USUAL,
    id: "codex",
    title: "Codex",
    format: "toml",
    servers: [["mcp_servers"]],
    url: {
      keys: ["url"],
      type: undefined,
      isUntypedHttp: always,
      bearer: (variable) => ({ bearer_token_env_var: variable }),
    },
    files: everywhere("~/.codex/config.toml"),
    projectFile: ".codex/config.toml",
    variablesKey: "env_vars",
    inherits: CODEX_INHERITS,
  },
  {
    ...USUAL,
    id: "gemini-cli",
    title: "Gemini CLI",
    commandType: "stdio",
    url: {
      keys: ["httpUrl", "url"],
      type: undefined,
      isUntypedHttp: (key) => key === "httpUrl",
      bearer: BRACES,
    },
    files: everywhere("~/.gemini/settings.json"),
    projectFile: ".gemini/settings.json",
  },
  {
    ...USUAL,
    id: "opencode",
    title: "OpenCode",
    servers: [["mcp"]],
    isCommandList: true,
    commandExtra: { type: "local" },
    commandType: "local",
    url: {
      keys: ["url"],
      type: "remote",
      isUntypedHttp: never,
      bearer: header("{env:", "}"),
    },
    files: everywhere("~/.config/opencode/opencode.json"),
    projectFile: "opencode.json",
  },
  {
    ...USUAL,
    id: "windsurf",
    title: "Windsurf",
    url: {
      keys: ["serverUrl", "url"],
      type: undefined,
      isUntypedHttp: always,
      bearer: ENV_BRACES,
    },
    files: everywhere("~/.codeium/windsurf/mcp_config.json"),
  },
  {
    ...USUAL,
    id: "zed",
    title: "Zed",
    servers: [["context_servers"]],
    commandExtra: { source: "custom" },
    url: { keys: ["url"], type: undefined, isUntypedHttp: always, bearer: undefined },
    files: {
      ...everywhere("~/.config/zed/settings.json"),
      windows: "%APPDATA%/Zed/settings.json",
    },
    projectFile: ".zed/settings.json",
  },
];

/** The host of a name; undefined where there is none. */
export function hostOf(id: string): HostKind | undefined {
  return HOSTS.find((host) => host.id === id);
}
