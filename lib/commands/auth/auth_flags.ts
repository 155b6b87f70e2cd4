/**
 * The command lines of `hoist auth`.
 *
 * @module
 */

import { CERTIFICATE_FLAGS } from "../../proxy_options/http_flags.ts";
import type { FlagTable } from "../../flags/flags.ts";

/** The table of `hoist auth` itself. */
export const AUTH_FLAGS: FlagTable = {
  program: "hoist auth",
  summary: "Signs in at MCP servers over HTTP that ask for it; hoist-mcp --upstream uses it.",
  examples: ["hoist auth login https://mcp.example.com/mcp"],
  usage: ["login URL [OPTIONS]", "status [URL]", "logout URL"],
  flags: [],
  notes: [
    "Commands:\n" +
    "  login   Sign in at a server, with a browser, a device code or a client secret.\n" +
    "  status  Show where you have signed in. No token is printed.\n" +
    "  logout  Forget a sign-in, and tell its authorization server.",
    "'hoist auth COMMAND --help' describes each.",
  ],
};

/** The table of `hoist auth login`. */
export const AUTH_LOGIN_FLAGS: FlagTable = {
  program: "hoist auth login",
  summary: "Signs in at an MCP server over HTTP, and keeps the tokens in ~/.hoist/auth (0600).",
  examples: [
    "hoist auth login https://mcp.example.com/mcp",
    "hoist auth login https://mcp.example.com/mcp --device",
  ],
  usage: ["URL [OPTIONS]"],
  positionals: ["URL"],
  flags: [
    {
      name: "scope",
      value: "SCOPES",
      help: "Ask for these scopes, separated by spaces. Default: what the server asks for.",
    },
    {
      name: "device",
      help: "Print a code to type in a browser on another machine.",
    },
    {
      name: "client-credentials",
      help: "Sign in as the client itself, without a person; needs --oauth-client-id and a secret.",
    },
    {
      name: "oauth-client-id",
      value: "ID",
      help:
        "The client to sign in as: an id the authorization server has given you, or the https " +
        "URL of a client metadata document. Default: one is registered.",
    },
    {
      name: "oauth-client-secret-env",
      value: "VAR",
      help: "The client's secret is in this environment variable.",
    },
    {
      name: "oauth-client-secret-file",
      value: "FILE",
      help: "The client's secret is in this file.",
    },
    {
      name: "redirect-port",
      value: "PORT",
      help: "Port on 127.0.0.1 that the browser is sent back to, where the client is registered " +
        "with one. Default: any.",
    },
    { name: "no-browser", help: "Print the URL only, and start no browser." },
    ...CERTIFICATE_FLAGS,
  ],
  notes: [
    "A client metadata document lists the redirect URI http://127.0.0.1/callback.",
    "Exit status: 0 signed in; 1 not; 2 wrong usage.",
  ],
};

/** The table of `hoist auth status`. */
export const AUTH_STATUS_FLAGS: FlagTable = {
  program: "hoist auth status",
  summary: "Shows where you have signed in, with which scopes, and for how long.",
  examples: ["hoist auth status"],
  usage: ["[URL]"],
  positionals: ["URL"],
  flags: [{ name: "json", help: "Print JSON." }],
  notes: [
    "No token is printed, and nothing is asked of a server.",
    "Exit status: 0; 1 when there is no sign-in, or one that has ended; 2 wrong usage.",
  ],
};

/** The table of `hoist auth logout`. */
export const AUTH_LOGOUT_FLAGS: FlagTable = {
  program: "hoist auth logout",
  summary: "Forgets a sign-in, and asks its authorization server to revoke the tokens.",
  examples: ["hoist auth logout https://mcp.example.com/mcp"],
  usage: ["URL"],
  positionals: ["URL"],
  flags: [],
  notes: ["Exit status: 0; 1 when there is no sign-in; 2 wrong usage."],
};
