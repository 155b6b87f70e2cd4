import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type FlagTable, parseFlags, usage } from "./flags.ts";

const TABLE: FlagTable = {
  program: "prog",
  summary: "Does things.",
  usage: ["[OPTIONS] -- COMMAND..."],
  flags: [
    { name: "record", value: "DIR", help: "Where to." },
    { name: "only", value: "T", repeat: true, help: "Which." },
    { name: "dry", help: "Nothing happens." },
  ],
  command: true,
};

function values(...args: string[]) {
  const parsed = parseFlags(TABLE, args, "1.2.3");
  assert(parsed.kind === "values", JSON.stringify(parsed));
  return parsed.values;
}

Deno.test("parseFlags() reads values, switches, repeats and the command", () => {
  const v = values("--record", "a b", "--only=x", "--only", "y", "--dry", "--", "npx", "--dry", "");
  assertEquals(v.get("record"), "a b");
  assertEquals(v.all("only"), ["x", "y"]);
  assertEquals([v.has("dry"), v.has("record"), v.has("only")], [true, true, true]);
  assertEquals(v.command, ["npx", "--dry", ""]);
});

Deno.test("parseFlags() leaves what was not given undefined", () => {
  const v = values();
  assertEquals([v.get("record"), v.has("dry"), v.command], [undefined, false, undefined]);
});

for (
  const [args, fault] of [
    [["--recrod", "x"], "Unknown flag --recrod"],
    [["--recrod=secret"], "Unknown flag --recrod"],
    [["-x"], "Unknown flag -x"],
    [["--record"], "--record needs a value: DIR"],
    [["--record="], "--record needs a value"],
    [["--record", "--dry"], "--record needs a value: DIR"],
    [
      ["--record", "-1"],
      "--record needs a value: DIR; one that begins with a dash is written --record=-1",
    ],
    [["--record", "a", "--record", "b"], "--record is given 2 times"],
    [["--dry=yes"], "--dry takes no value"],
    [["server.js"], 'Unexpected argument "server.js"; a server\'s command goes after --'],
    [["-"], 'Unexpected argument "-"'],
  ] as const
) {
  Deno.test(`parseFlags() refuses ${JSON.stringify(args)}`, () => {
    const parsed = parseFlags(TABLE, args, "1.2.3");
    assert(parsed.kind === "refused", JSON.stringify(parsed));
    assertStringIncludes(parsed.message, fault);
    assertStringIncludes(parsed.message, "See 'prog --help'");
    assert(!parsed.message.includes("secret"));
  });
}

Deno.test("parseFlags() takes what follows -- as positional where no command may follow", () => {
  const { command: _, ...table } = TABLE;
  const parsed = parseFlags({ ...table, positionals: ["FILE"] }, ["--dry", "--", "-x"], "1");
  assert(parsed.kind === "values");
  assertEquals([parsed.values.positionals, parsed.values.command], [["-x"], undefined]);
});

Deno.test("parseFlags() prints help and version even beside other flags", () => {
  assertEquals(parseFlags(TABLE, ["--dry", "-h"], "1"), { kind: "text", text: usage(TABLE) });
  assertEquals(parseFlags(TABLE, ["--version"], "1.2.3"), { kind: "text", text: "prog 1.2.3" });
  assertEquals(values("--", "--help").command, ["--help"]);
});

Deno.test("usage() lists every flag", () => {
  const text = usage(TABLE);
  for (const flag of ["--record DIR", "--only T", "--dry", "--help", "--version"]) {
    assertStringIncludes(text, flag);
  }
});

Deno.test("parseFlags() takes any number of arguments where the last name ends in …", () => {
  const many = { ...TABLE, command: undefined, positionals: ["ACTION", "ID…"] };
  const { command: _none, ...table } = many;
  const parsed = parseFlags(table, ["approve", "a", "b", "c"], "1");
  assert(parsed.kind === "values");
  assertEquals(parsed.values.positionals, ["approve", "a", "b", "c"]);
});
