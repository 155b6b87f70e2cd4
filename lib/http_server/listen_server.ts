/**
 * The HTTP listener: who may come in, how much they may send, and to whom it
 * goes. What a request means is the backend's business.
 *
 * @module
 */

import {
  type Admission,
  admit,
  type HeaderReader,
  type HttpRefusal,
  isJsonType,
  loopback,
} from "../mcp/http_rules.ts";
import { INTERNAL_ERROR } from "../wire/rpc_error.ts";
import { listenUrls, type MachineAddress } from "../session/listen/listen_urls.ts";
import { methodNotAllowed, refusal, type RefuseOptions } from "../session/listen/reply_wire.ts";
import { bodyWithin, refusedAndCut } from "./request_body.ts";
import { responseOf } from "./response_wire.ts";
import { reasonOf } from "../text/reason.ts";

/** What serves the requests that are let in. */
export interface ListenBackend {
  /** A POST with its body. */
  post(body: Uint8Array, request: Request, header: HeaderReader): Promise<Response>;
  /** A GET. */
  get(request: Request, header: HeaderReader): Promise<Response>;
  /** A DELETE. */
  delete(request: Request, header: HeaderReader): Promise<Response>;
  /** Ends all sessions; settles when they are over. */
  stop(): Promise<void>;
}

/** A running listener. */
export interface Listener {
  /** The endpoint's URLs. */
  readonly urls: readonly string[];
  /** Lets requests in, to this backend, from now on. */
  serve(backend: ListenBackend): void;
}

/** The endpoint's path. */
const PATH = "/mcp";
/** The longest message. */
const MAX_BODY_BYTES = 4 * 1_048_576;

/** Different refusals that are said on stderr, each once. */
const MAX_SAID = 20;

/** Options for {@linkcode listen}. */
export interface ListenServerOptions {
  /** The token every request needs; undefined on a loopback address. */
  readonly token: string | undefined;
  /** Tells the user. */
  readonly say: (line: string) => void;
  /**
   * The machine's addresses, which the URLs of a wildcard address name.
   *
   * @default {[]}
   */
  readonly machine?: readonly MachineAddress[];
}

/**
 * Binds the address. Requests wait until there is a backend.
 *
 * @param address Where to listen.
 * @param options Who may connect, and how the URLs are named.
 * @returns The listener.
 * @throws {Error} When the address cannot be bound; the message names it.
 */
export function listen(
  address: { readonly hostname: string; readonly port: number },
  options: ListenServerOptions,
): Listener {
  const { hostname } = address;
  const { token, say } = options;
  const refusals = new Set<string>();
  const backend = Promise.withResolvers<ListenBackend>();
  let admission: Admission = { kind: "token", token: token ?? "" };
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({ ...address, onListen() {}, onError: failed }, async (request) => {
      try {
        return await answer(request, {
          admission,
          backend: await backend.promise,
          onForbidden: (message) => {
            if (!refusals.has(message) && refusals.size < MAX_SAID) {
              say(`refused a request: ${message}`);
            }
            refusals.add(message);
          },
        });
      } catch (error) {
        say(`internal error: ${error}`);
        return failed();
      }
    });
  } catch (error) {
    const why = reasonOf(error);
    throw new Error(`cannot listen on ${hostname}:${address.port}: ${why}`, { cause: error });
  }
  const { port } = server.addr;
  if (token === undefined) admission = loopback([hostname, server.addr.hostname], port);
  const urls = listenUrls({ hostname, port }, PATH, options.machine ?? []);
  return { urls, serve: backend.resolve };
}

/**
 * What the runtime asks for when a handler throws, which ours does not, and when the stream of a
 * response breaks, where it is too late: the connection is cut. Its own way prints a stack.
 */
function failed(): Response {
  return refuse({ status: 500, code: INTERNAL_ERROR, message: "Internal error" });
}

async function answer(
  request: Request,
  { admission, backend, onForbidden }: {
    readonly admission: Admission;
    readonly backend: ListenBackend;
    readonly onForbidden: (message: string) => void;
  },
): Promise<Response> {
  const header: HeaderReader = (name) => request.headers.get(name) ?? undefined;
  const refused = admit(header, admission);
  if (refused !== undefined) {
    if (refused.status === 403) onForbidden(refused.message);
    const headers = refused.status === 401 ? { "www-authenticate": "Bearer" } : undefined;
    return refuse(refused, headers === undefined ? {} : { headers });
  }
  if (!isEndpoint(request.url)) {
    return refuse({ status: 404, code: -32000, message: `Not Found: the endpoint is ${PATH}` });
  }
  switch (request.method) {
    case "POST":
      return await post(request, header, backend);
    case "GET":
      return await backend.get(request, header);
    case "DELETE":
      return await backend.delete(request, header);
    default:
      return responseOf(methodNotAllowed());
  }
}

function refuse(why: HttpRefusal, options: RefuseOptions = {}): Response {
  return responseOf(refusal(why, options));
}

async function post(
  request: Request,
  header: HeaderReader,
  backend: ListenBackend,
): Promise<Response> {
  if (!isJsonType(header("content-type"))) {
    const message = "Unsupported Media Type: the body must be application/json";
    return refuse({ status: 415, code: -32000, message });
  }
  let body: Awaited<ReturnType<typeof bodyWithin>>;
  try {
    body = await bodyWithin(request, MAX_BODY_BYTES);
  } catch {
    return refuse({ status: 400, code: -32700, message: "Parse error: the body is cut" });
  }
  if (typeof body === "string") {
    const message = `Content Too Large: a message may have ${MAX_BODY_BYTES} bytes`;
    const why = { status: 413, code: -32000, message };
    return body === "endless" ? refusedAndCut(why) : refuse(why);
  }
  return await backend.post(body, request, header);
}

/** Whether a URL's path is the endpoint's; parsing each whole would cost more than the rest. */
function isEndpoint(url: string): boolean {
  const at = url.indexOf("/", url.indexOf("://") + 3);
  const path = url.slice(at).split("?", 1)[0];
  return path === PATH || path === `${PATH}/`;
}
