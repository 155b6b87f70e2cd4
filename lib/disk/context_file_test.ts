import { assertEquals, assertMatch } from "@std/assert";
import { contextFault, ContextFile } from "./context_file.ts";
import { appendContext, emptyContext } from "./context_writer.ts";

const ASK = '{"role":"assistant","content":"Hold P-7?"}\n';
const YES = '{"role":"user","content":"Yes"}\n';
const NO = '{"role":"user","content":"No!"}\n'; // As long as YES.

function following(name: string, run: (at: ReturnType<typeof follow>) => void): void {
  Deno.test(name, () => {
    const dir = Deno.makeTempDirSync({ prefix: "hoist-context-" });
    try {
      run(follow(`${dir}/context.jsonl`));
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  });
}

function follow(path: string) {
  const said: string[] = [];
  const file = new ContextFile(path, { say: (line) => said.push(line) });
  return {
    path,
    said,
    poll: () => file.poll().map(({ content }) => content),
    write: (text: string) => Deno.writeTextFileSync(path, text),
    append: (text: string) => Deno.writeTextFileSync(path, text, { append: true }),
  };
}

following("ContextFile reads a file that is made later, as it grows", ({ poll, append, said }) => {
  assertEquals(poll(), []);
  append(ASK);
  assertEquals([poll(), poll()], [["Hold P-7?"], []]);
  append(YES.slice(0, 10));
  assertEquals(poll(), []);
  append(YES.slice(10));
  assertEquals([poll(), said], [["Yes"], []]);
});

following("ContextFile begins anew with a file that was emptied", ({ poll, write, append }) => {
  append(ASK + YES);
  poll();
  write("");
  assertEquals(poll(), []);
  append(YES);
  assertEquals(poll(), ["Yes"]);
});

following("ContextFile begins anew with a file that was replaced", ({ poll, path, append }) => {
  append(ASK);
  poll();
  Deno.renameSync(path, `${path}.1`);
  assertEquals(poll(), []);
  append(ASK + YES);
  assertEquals(poll(), ["Yes"]);
  Deno.writeTextFileSync(`${path}.new`, NO + ASK + YES);
  Deno.renameSync(`${path}.new`, path);
  assertEquals(poll(), ["No!", "Hold P-7?", "Yes"]);
});

following("ContextFile sees that a file was written anew at the same length", (at) => {
  at.write(ASK + YES);
  at.poll();
  at.write(ASK + NO);
  Deno.utimeSync(at.path, 1, 1);
  assertEquals(at.poll(), ["No!"]);
});

following("ContextFile sees that a file was written anew and is longer", ({ poll, write }) => {
  write(YES);
  poll();
  write(NO + ASK);
  assertEquals(poll(), ["No!", "Hold P-7?"]);
});

following("ContextFile reads more than one chunk", ({ poll, append }) => {
  const long = "x".repeat(100_000);
  append(`{"role":"user","content":"${long}"}\n${YES}`);
  assertEquals(poll(), [long, "Yes"]);
});

following("ContextFile says once that a line is bad", ({ poll, append, path, said }) => {
  append(`${ASK}oops\n\noops\n`);
  poll();
  append(`oops\n${YES}`);
  assertEquals(poll(), ["Yes"]);
  assertEquals(said, [
    `--context "${path}" line 2 is skipped: it is not JSON; such lines are not mentioned again`,
  ]);
});

following("ContextFile says once that it cannot read", ({ poll, path, said }) => {
  Deno.mkdirSync(path);
  assertEquals([poll(), poll()], [[], []]);
  assertEquals(said.length, 1);
  assertMatch(said[0] ?? "", /cannot be read, the conversation stays as it is: .*directory/i);
});

following("contextFault() refuses what can never be a file", ({ path, append }) => {
  assertEquals(contextFault(path), undefined);
  assertEquals(contextFault(`${path}/in/a/folder/to/come`), undefined);
  append(ASK);
  assertEquals(contextFault(path), undefined);
  assertMatch(contextFault(`${path}/x`) ?? "", /not a directory/i);
  Deno.removeSync(path);
  Deno.mkdirSync(path);
  assertEquals(contextFault(path), "it is a folder");
});

Deno.test("appendContext() and emptyContext() make the folder, for its owner alone", async () => {
  const dir = await Deno.makeTempDir();
  try {
    for (
      const [name, write] of [
        ["a", (path: string) => appendContext(path, [{ role: "user", content: "Yes" }])],
        ["b", emptyContext],
      ] as const
    ) {
      write(`${dir}/${name}/in/c.jsonl`);
      assertEquals((Deno.statSync(`${dir}/${name}`).mode ?? 0) & 0o777, 0o700);
      assertEquals((Deno.statSync(`${dir}/${name}/in/c.jsonl`).mode ?? 0) & 0o777, 0o600);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
