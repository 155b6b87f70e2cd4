/**
 * What `tools/list` costs a model, in tokens of o200k.
 */

import { assert } from "@std/assert";
import { countTokens } from "gpt-tokenizer";
import { CORE_TOOLS, listedTool } from "./tool_listing.ts";
import { TOOLS } from "./tools.ts";

for (
  const [name, most, isListed] of [
    ["all tools", 9000, () => true],
    ["HAI_TOOLS=core", 5000, (tool: string) => CORE_TOOLS.has(tool)],
  ] as const
) {
  Deno.test(`tools/list of ${name} costs a model ${most} tokens at most`, () => {
    const tools = [...TOOLS.values()].filter((tool) => isListed(tool.name)).map(listedTool);
    const tokens = countTokens(JSON.stringify({ tools }));
    assert(tokens <= most, `${tokens} tokens`);
  });
}
