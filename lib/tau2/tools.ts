/**
 * Executes the benchmark's retail and airline tools over a private copy of its
 * database, with the benchmark's answers and errors.
 *
 * The long texts of its schema library are not reproduced: an argument of the wrong
 * shape is refused with their first lines.
 *
 * @module
 */

import type { JsonObject } from "../json/json.ts";
import { AIRLINE_WRITES } from "./airline_writes.ts";
import { calculate } from "./calculate.ts";
import { callRead } from "./reads.ts";
import { ToolRefusal } from "./refusal.ts";
import { RETAIL_WRITES, type Tau2Write } from "./retail_writes.ts";
import { checkNames, textArg } from "./tool_args.ts";
import { World, type WorldData } from "./world.ts";

/** The benchmark's domains whose tools can be executed. */
export type Tau2Domain = "retail" | "airline";

/** The answer of a tool. */
export interface ToolAnswer {
  /** Its text: JSON, or plain text. */
  readonly text: string;
  /** Whether the call failed; the text then begins with `Error: `. */
  readonly isError: boolean;
}

interface Domain {
  /** The class that the benchmark's own messages name. */
  readonly className: string;
  readonly reads: Readonly<Record<string, readonly string[]>>;
  readonly writes: Readonly<Record<string, Tau2Write>>;
}

const GENERIC: Readonly<Record<string, readonly string[]>> = {
  calculate: ["expression"],
  think: ["thought"],
  transfer_to_human_agents: ["summary"],
};

const DOMAINS: Readonly<Record<Tau2Domain, Domain>> = {
  retail: {
    className: "RetailTools",
    reads: {
      find_user_id_by_email: ["email"],
      find_user_id_by_name_zip: ["first_name", "last_name", "zip"],
      get_item_details: ["item_id"],
      get_order_details: ["order_id"],
      get_product_details: ["product_id"],
      get_user_details: ["user_id"],
      list_all_product_types: [],
    },
    writes: RETAIL_WRITES,
  },
  airline: {
    className: "AirlineTools",
    reads: {
      get_flight_status: ["flight_number", "date"],
      get_reservation_details: ["reservation_id"],
      get_user_details: ["user_id"],
      list_all_airports: [],
      search_direct_flight: ["origin", "destination", "date"],
      search_onestop_flight: ["origin", "destination", "date"],
    },
    writes: AIRLINE_WRITES,
  },
};

/** The tools of a domain over one session's view of the database. */
export class Tau2Tools {
  readonly #domain: Domain;
  readonly #world: World;

  /**
   * Makes the tools.
   *
   * @param domain The domain.
   * @param data The starting database; it is shared and never changed.
   */
  constructor(domain: Tau2Domain, data: WorldData) {
    this.#domain = DOMAINS[domain];
    this.#world = new World(data);
  }

  /**
   * Calls a tool.
   *
   * @param name The tool.
   * @param args Its arguments.
   * @returns The answer; a failed call changes nothing.
   */
  callTool(name: string, args: JsonObject): ToolAnswer {
    try {
      return this.#call(name, args);
    } catch (error) {
      if (!(error instanceof ToolRefusal)) throw error;
      return { text: `Error: ${error.message}`, isError: true };
    }
  }

  /**
   * The changes so far: the records that differ from the starting database, as canonical
   * JSON. Equal texts mean equal databases.
   *
   * @returns `{table: {id: record}}`, `{}` when nothing differs.
   */
  databaseState(): string {
    return this.#world.state();
  }

  #call(name: string, args: JsonObject): ToolAnswer {
    const { reads, writes, className } = this.#domain;
    const own = <T>(tools: Readonly<Record<string, T>>): T | undefined =>
      Object.hasOwn(tools, name) ? tools[name] : undefined;
    const write = own(writes);
    const names = own(reads) ?? own(GENERIC) ?? write?.names;
    if (names === undefined) return { text: `Error: Tool '${name}' not found.`, isError: true };
    checkNames(`${className}.${name}`, names, args);
    if (name === "calculate") return text(calculate(textArg(args, "expression")));
    if (name === "think") return text("");
    if (name === "transfer_to_human_agents") return text("Transfer successful");
    if (write !== undefined) {
      const done = write.run(this.#world, args);
      return text(typeof done === "string" ? done : JSON.stringify(done));
    }
    return callRead(this.#world, name, args);
  }
}

function text(text: string): ToolAnswer {
  return { text, isError: false };
}
