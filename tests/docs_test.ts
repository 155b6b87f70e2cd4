/**
 * docs/ against the code: the command line reference is made from the flag
 * tables, links lead somewhere, and the README's commands are real tasks.
 *
 * `deno task golden` rewrites docs/cli.md.
 */

import { assert, assertEquals } from "@std/assert";
import { HOIST_FLAGS } from "../cmd/hoist.ts";
import denoJson from "../deno.json" with { type: "json" };
import { AUDIT_FLAGS } from "../lib/cli/audit_command.ts";
import { COMPILE_FLAGS } from "../lib/cli/compile_command.ts";
import { DRIFT_FLAGS } from "../lib/cli/drift_command.ts";
import { EVALUATE_FLAGS } from "../lib/cli/evaluate_command.ts";
import { FLOW_CHECK_FLAGS } from "../lib/cli/flow_check_command.ts";
import { FLOW_DIFF_FLAGS } from "../lib/cli/flow_diff_command.ts";
import { FLOW_SHOW_FLAGS } from "../lib/cli/flow_show_command.ts";
import {
  FLOW_COMMIT_FLAGS,
  FLOW_LOG_FLAGS,
  FLOW_ROLLBACK_FLAGS,
} from "../lib/cli/flow_version_commands.ts";
import { STAGE_FLAGS } from "../lib/cli/stage_command.ts";
import { LEARN_FLAGS } from "../lib/cli/learn_command.ts";
import { PROMOTE_FLAGS } from "../lib/cli/promote_command.ts";
import { REDACT_FLAGS } from "../lib/cli/redact_command.ts";
import { REPLAY_FLAGS } from "../lib/cli/replay_command.ts";
import { EPISODES_FLAGS } from "../lib/cli/episodes_flags.ts";
import { type FlagTable, usage } from "../lib/cli/flags.ts";
import {
  DOCTOR_FLAGS,
  LIMITS_FLAGS,
  OWNER_FLAGS,
  RECALL_FLAGS,
  REPAIR_FLAGS,
  SERVE_FLAGS,
} from "../lib/cli/hai_flags.ts";
import { CONTEXT_HOOK_FLAGS } from "../lib/cli/context_hook_command.ts";
import { CONFIRM_FLAGS } from "../lib/cli/confirm_command.ts";
import { GUARDS_FLAGS } from "../lib/cli/guards_command.ts";
import { PROCEDURE_CHECK_FLAGS } from "../lib/cli/procedure_check_command.ts";
import { PROCEDURE_COMPILE_FLAGS } from "../lib/cli/procedure_compile_command.ts";
import { PROCEDURE_FLAGS } from "../lib/cli/procedure_command.ts";
import { PROCEDURE_RUN_FLAGS } from "../lib/cli/procedure_flags.ts";
import { PROXY_FLAGS } from "../lib/cli/proxy_flags.ts";
import { DEMO_FLAGS } from "../lib/demo/demo_flags.ts";
import { procedureJsonSchema } from "../lib/procedure/procedure_schema.ts";
import { ROOT } from "./util/executables.ts";

const TABLES: readonly FlagTable[] = [
  PROXY_FLAGS,
  HOIST_FLAGS,
  EPISODES_FLAGS,
  LEARN_FLAGS,
  COMPILE_FLAGS,
  REPLAY_FLAGS,
  PROMOTE_FLAGS,
  AUDIT_FLAGS,
  DRIFT_FLAGS,
  EVALUATE_FLAGS,
  FLOW_CHECK_FLAGS,
  FLOW_SHOW_FLAGS,
  FLOW_DIFF_FLAGS,
  STAGE_FLAGS,
  FLOW_COMMIT_FLAGS,
  FLOW_ROLLBACK_FLAGS,
  FLOW_LOG_FLAGS,
  REDACT_FLAGS,
  GUARDS_FLAGS,
  CONFIRM_FLAGS,
  CONTEXT_HOOK_FLAGS,
  SERVE_FLAGS,
  OWNER_FLAGS,
  DOCTOR_FLAGS,
  REPAIR_FLAGS,
  RECALL_FLAGS,
  LIMITS_FLAGS,
  DEMO_FLAGS,
  PROCEDURE_RUN_FLAGS,
  PROCEDURE_FLAGS,
  PROCEDURE_COMPILE_FLAGS,
  PROCEDURE_CHECK_FLAGS,
];

const HEAD = `# Command line

Made from the flag tables by \`deno task golden\`; the same texts are what \`--help\` prints.

In every program: stdout carries the product alone, and everything else goes to stderr, each line
after the program's name. A wrong command line gets a message that names the flag, and status 2.
A leading \`~\` in a path is the home directory. \`--help\` and \`--version\` print on stdout.
`;

function reference(): string {
  return HEAD + TABLES.map((t) => `\n## ${t.program}\n\n\`\`\`\n${usage(t)}\n\`\`\`\n`).join("");
}

Deno.test("docs/cli.md says what --help says", async () => {
  const path = `${ROOT}/docs/cli.md`;
  if (Deno.env.get("HOIST_GOLDEN") === "write") await Deno.writeTextFile(path, reference());
  assertEquals(await Deno.readTextFile(path), reference());
});

Deno.test("docs/procedure.schema.json is what procedure files are checked by", async () => {
  const path = `${ROOT}/docs/procedure.schema.json`;
  const text = JSON.stringify(procedureJsonSchema(), null, 2) + "\n";
  if (Deno.env.get("HOIST_GOLDEN") === "write") await Deno.writeTextFile(path, text);
  assertEquals(await Deno.readTextFile(path), text);
});

async function pages(): Promise<string[]> {
  const found = ["README.md"];
  for (const folder of ["docs", "docs/decisions"]) {
    for (const { name } of Deno.readDirSync(`${ROOT}/${folder}`)) {
      if (name.endsWith(".md")) found.push(`${folder}/${name}`);
    }
  }
  assert(found.length > 5);
  return await Promise.resolve(found);
}

Deno.test("links between the pages lead somewhere", async () => {
  const faults = [];
  for (const page of await pages()) {
    const text = await Deno.readTextFile(`${ROOT}/${page}`);
    for (const [, target = ""] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const path = new URL(target, `file://${ROOT}/${page}`).pathname;
      if (await Deno.stat(path).then(() => false, () => true)) faults.push(`${page} -> ${target}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("every `deno task` that a page names is in deno.json", async () => {
  const faults = [];
  for (const page of await pages()) {
    const text = await Deno.readTextFile(`${ROOT}/${page}`);
    for (const [, task = ""] of text.matchAll(/(?:deno(?:@[\d.]+)?) task ([a-z:]+)/g)) {
      if (!Object.hasOwn(denoJson.tasks, task)) faults.push(`${page}: ${task}`);
    }
  }
  assertEquals(faults, []);
});

Deno.test("files and folders that a page names in code exist", async () => {
  const faults = [];
  for (const page of await pages()) {
    const text = await Deno.readTextFile(`${ROOT}/${page}`);
    for (const [, path = ""] of text.matchAll(/`((?:lib|cmd|tests|docs|testdata)\/[\w./-]+)`/g)) {
      if (await Deno.stat(`${ROOT}/${path}`).then(() => false, () => true)) {
        faults.push(`${page}: ${path}`);
      }
    }
  }
  assertEquals(faults, []);
});
