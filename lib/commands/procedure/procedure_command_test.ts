import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Runtime } from "../../ports/runtime.ts";
import type { ServerTool } from "../../procedure/run/verify_tools.ts";
import { procedureCommand } from "./procedure_command.ts";
import type { FileStore } from "../../ports/files.ts";

const read = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const move = {
  type: "object",
  properties: { source: { type: "string" }, destination: { type: "string" } },
  required: ["source", "destination"],
};
const TOOLS: readonly ServerTool[] = [
  { name: "get_file_info", inputSchema: read },
  { name: "read_text_file", inputSchema: read, annotations: { readOnlyHint: true } },
  { name: "move_file", inputSchema: move },
];
const FILE = "testdata/procedures/archive_note.procedure.json";

async function run(args: readonly string[], tools: readonly ServerTool[] = TOOLS) {
  let [out, err] = ["", ""];
  const runtime: Runtime = {
    say: (line) => err += `${line}\n`,
    print: (text) => out += `${text}\n`,
    env: () => undefined,
    unixMs: () => 0,
    monotonicMs: () => 0,
    stdoutIsTerminal: false,
    pid: 1,
    parentPid: 1,
  };
  const files: FileStore = {
    readText: Deno.readTextFile,
    replace: () => Promise.reject(new Error("nothing is written")),
    listLogs: () => Promise.resolve([]),
    readLog: () => Promise.reject(new Error("no log")),
  };
  const listTools = () => Promise.resolve(tools);
  return { code: await procedureCommand(args, runtime, { files, listTools }), out, err };
}

Deno.test("hoist procedure check explains every site, input and check", async () => {
  const { code, out } = await run(["check", FILE]);
  assertEquals(code, 0);
  for (
    const words of [
      "Reads: get_file_info, read_text_file. Writes: move_file.",
      "Input note (string): Path of the note.",
      'At the start:\n  if the ticket says "archive":',
      "After get_file_info failed:\n  hand back: there is no such note",
      "if status of read_text_file is done:",
      "WRITE move_file with destination = the input archive, source = the input note",
      'the ticket is resolved if the answer has "isFile: true".',
    ]
  ) assertStringIncludes(out, words);
});

const SERVERS: readonly (readonly [string, readonly ServerTool[], string | undefined])[] = [
  ["fits", TOOLS, undefined],
  ["lacks a tool", TOOLS.slice(1), 'the server lists no tool "get_file_info"'],
  [
    "has another contract",
    [...TOOLS.slice(0, 2), { name: "move_file", inputSchema: read }],
    'it was "destination:string!, source:string!", the server has "path:string!"',
  ],
  [
    "calls a read a write",
    [
      { name: "get_file_info", inputSchema: read, annotations: { readOnlyHint: false } },
      ...TOOLS.slice(1),
    ],
    '"get_file_info" is a read in the procedure, and the server marks it as a write',
  ],
  [
    "wants more arguments",
    [TOOLS[0] ?? { name: "" }, {
      name: "read_text_file",
      inputSchema: { ...read, required: ["path", "head"] },
    }, ...TOOLS.slice(2)],
    'leaves out "head", which is required',
  ],
];
for (const [what, tools, fault] of SERVERS) {
  Deno.test(`hoist procedure check says that a server ${what}`, async () => {
    const { code, err } = await run(["check", FILE, "--", "server"], tools);
    assertEquals(code, fault === undefined ? 0 : 1);
    assertStringIncludes(err, fault ?? "the server has every tool it calls");
  });
}

Deno.test("hoist procedure refuses wrong usage with 2 and a wrong file with 1", async () => {
  const cases: readonly (readonly [readonly string[], number, string])[] = [
    [[], 2, "Missing command"],
    [["run"], 2, 'Unknown command "run"'],
    [["check"], 2, "The procedure's FILE is missing"],
    [["check", FILE, "--"], 2, "The server's command after -- is empty"],
    [["check", FILE, "--upstream", "http://x/mcp", "--", "y"], 2, "exclude each other"],
    [["check", "testdata/flows/version1.flow.json"], 1, "it is not a procedure"],
    [["compile", "--out", "x"], 2, "Missing input: --sessions DIR, --results FILE or --tau2 DIR"],
    [["compile", "--sessions", "x", "--out", "y", "--identity"], 2, "--identity needs --tasks"],
    [["compile", "--sessions", "x"], 2, "Missing --out"],
    [["compile", "--sessions", "none", "--out", "y"], 1, 'No sessions in "none"'],
  ];
  for (const [args, status, message] of cases) {
    const { code, err } = await run(args);
    assertEquals([args, code], [args, status]);
    assertStringIncludes(err, message);
  }
  assertEquals((await run(["--help"])).code, 0);
});
