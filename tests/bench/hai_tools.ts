/**
 * What `tools/list` of hai-mcp costs a model, in tokens of o200k: all tools, and HAI_TOOLS=core.
 */

import { countTokens } from "gpt-tokenizer";
import { CORE_TOOLS, listedTool } from "../../lib/hai/tools/tool_listing.ts";
import { TOOLS } from "../../lib/hai/tools/tools.ts";

/** Most tokens of each list. */
const BUDGETS = { all: 9000, core: 5000 };

const all = [...TOOLS.values()];
const lists = { all, core: all.filter(({ name }) => CORE_TOOLS.has(name)) };
let isOver = false;
for (const [name, tools] of Object.entries(lists)) {
  const tokens = countTokens(JSON.stringify({ tools: tools.map(listedTool) }));
  const budget = name === "core" ? BUDGETS.core : BUDGETS.all;
  console.log(`${name}: ${tools.length} tools, ${tokens} tokens of ${budget}`);
  isOver ||= tokens > budget;
}
if (isOver) Deno.exit(1);
