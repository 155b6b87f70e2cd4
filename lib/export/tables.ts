/**
 * The tables of `hoist export`: their columns, in order. docs/fleet.md lists them with their units.
 *
 * @module
 */

/** The type of a column: text, a whole number, a truth value, or a time in UTC. */
export type ColumnType = "text" | "integer" | "boolean" | "time";

/** The values of one column. */
export type Cell = string | number | boolean | null;

/** One row, by column; what is missing is null. */
export type TableRow = Readonly<Record<string, Cell>>;

/** Columns of every table: they find the session again. */
const PLACE = { session: "text", day: "text", domain: "text" } as const;

/** The tables. Times of rows are milliseconds since 1970 in `time` columns. */
export const TABLES = {
  sessions: {
    ...PLACE,
    file: "text",
    started: "time",
    agent_model: "text",
    host: "text",
    host_version: "text",
    server: "text",
    server_version: "text",
    protocol: "text",
    host_session: "text",
    duration_ms: "integer",
    turns: "integer",
    calls: "integer",
    lookups: "integer",
    errors: "integer",
    lines: "integer",
    raw_lines: "integer",
    tool_lists: "integer",
    tool_list_tokens: "integer",
  },
  calls: {
    ...PLACE,
    call: "text",
    number: "integer",
    turn: "integer",
    caller: "text",
    tool: "text",
    sent: "time",
    outcome: "text",
    duration_ms: "integer",
    arguments_chars: "integer",
    result_chars: "integer",
    arguments_hash: "text",
    result_hash: "text",
    arguments: "text",
    result: "text",
  },
  turns: {
    ...PLACE,
    turn: "integer",
    began: "time",
    calls: "integer",
    first_tool: "text",
  },
  lookups: {
    ...PLACE,
    call: "text",
    turn: "integer",
    tool: "text",
    sent: "time",
    outcome: "text",
    duration_ms: "integer",
    called_again: "boolean",
  },
  refusals: {
    ...PLACE,
    call: "text",
    turn: "integer",
    tool: "text",
    refused: "time",
    checks: "text",
    reason: "text",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnType>>>>;

/** The name of a table. */
export type TableName = keyof typeof TABLES;

/** The columns of a table, in order. */
export function columnsOf(table: TableName): readonly (readonly [string, ColumnType])[] {
  return Object.entries(TABLES[table]);
}
