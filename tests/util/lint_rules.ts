/**
 * Lint rules of this repository; `deno lint` runs them after its own.
 *
 * A rule that a line must break is switched off there, with the reason:
 * `// deno-lint-ignore hoist/function-length -- one case a line`.
 */

/** The longest function, comments included. */
const MAX_FUNCTION_LINES = 60;

/** Files that broke a rule when it was made: entries only leave (tests/lint_rules_test.ts). */
export const KNOWN: Readonly<Record<string, readonly string[]>> = {
  "function-length": [
    "lib/replay/replay_html.ts",
    "lib/replay/replay_report.ts",
  ],
  "message-of": [],
};

type LongFunction =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

/** The rules without their list of known files. */
export const rules: Readonly<Record<string, Deno.lint.Rule>> = {
  "function-length": {
    create(context) {
      const check = (node: LongFunction) => {
        const text = context.sourceCode.getText(node);
        const lines = text.split("\n").length;
        if (lines <= MAX_FUNCTION_LINES) return;
        context.report({
          range: [node.range[0], node.range[0] + text.indexOf("\n")],
          message: `This function has ${lines} lines, more than ${MAX_FUNCTION_LINES}`,
          hint: "Split it.",
        });
      };
      return {
        FunctionDeclaration: check,
        FunctionExpression: check,
        ArrowFunctionExpression: check,
      };
    },
  },
  "message-of": {
    create(context) {
      return {
        ConditionalExpression(node) {
          const { test, consequent, alternate } = node;
          if (test.type !== "BinaryExpression" || test.operator !== "instanceof") return;
          const text = (part: Deno.lint.Node) => context.sourceCode.getText(part);
          const error = text(test.left);
          if (text(test.right) !== "Error" || text(consequent) !== `${error}.message`) return;
          if (text(alternate) !== error && text(alternate) !== `String(${error})`) return;
          context.report({
            node,
            message: "This is a copy of messageOf()",
            hint: "Call messageOf() or reasonOf() of lib/text/reason.ts.",
          });
        },
      };
    },
  },
  "named-exports": {
    create(context) {
      return {
        ExportAllDeclaration(node) {
          context.report({
            node,
            message: "This exports every name of a file",
            hint: "List them.",
          });
        },
        ExportDefaultDeclaration(node) {
          context.report({ node, message: "This export has no name", hint: "Name it." });
        },
      };
    },
  },
};

/** What `deno lint` loads. */
const plugin: Deno.lint.Plugin = {
  name: "hoist",
  rules: Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, {
      create(context: Deno.lint.RuleContext) {
        const isKnown = KNOWN[name]?.some((path) => context.filename.endsWith(`/${path}`));
        return isKnown === true ? {} : rule.create(context);
      },
    }]),
  ),
};

// deno-lint-ignore hoist/named-exports -- the form that `deno lint` loads
export default plugin;
