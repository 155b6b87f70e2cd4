/**
 * Tables as Parquet files, a folder for each day and domain:
 * `calls/day=2026-11-12/domain=orders/part-0.parquet`.
 *
 * Rows are held until they are a megabyte or so, then the largest partition is written as a row
 * group. A file has its name only once it is whole.
 *
 * @module
 */

import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import {
  type Cell,
  columnsOf,
  type ColumnType,
  type TableName,
  type TableRow,
} from "../../export/tables.ts";

/** Rows and characters of text that are held at the most, over all partitions. */
const MAX_ROWS = 16_384;
const MAX_CHARACTERS = 4_194_304;

const TYPES: Readonly<Record<ColumnType, BasicType>> = {
  text: "STRING",
  integer: "INT64",
  boolean: "BOOLEAN",
  time: "TIMESTAMP",
};

/** The file of one partition of a table. */
interface Partition {
  readonly table: TableName;
  readonly path: string;
  readonly bytes: ByteWriter;
  readonly writer: ParquetWriter;
  rows: TableRow[];
  characters: number;
}

/** A folder of tables that is being written. */
export class ParquetFolder {
  readonly #dir: string;
  readonly #partitions = new Map<string, Partition>();
  #rows = 0;
  #characters = 0;

  /**
   * Makes the folder.
   *
   * @param dir The folder; it must not exist, or be empty.
   * @throws {Error} When it holds anything.
   */
  constructor(dir: string) {
    Deno.mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (!Deno.readDirSync(dir)[Symbol.iterator]().next().done) {
      throw new Error(`Cannot export to "${dir}": the folder is not empty`);
    }
    this.#dir = dir;
  }

  /** Takes a row. */
  readonly add = (table: TableName, row: TableRow): void => {
    const partition = this.#partition(table, row);
    partition.rows.push(row);
    const characters = Object.values(row).reduce<number>(
      (sum, cell) => sum + (typeof cell === "string" ? cell.length : 8),
      0,
    );
    partition.characters += characters;
    this.#rows++;
    this.#characters += characters;
    if (this.#rows < MAX_ROWS && this.#characters < MAX_CHARACTERS) return;
    const size = ({ characters, rows }: Partition) =>
      characters / MAX_CHARACTERS + rows.length / MAX_ROWS;
    const largest = [...this.#partitions.values()].reduce((a, b) => size(b) > size(a) ? b : a);
    this.#flush(largest);
  };

  /**
   * Writes what is left, and gives each file its name.
   *
   * @returns The number of files.
   */
  finish(): number {
    for (const partition of this.#partitions.values()) {
      this.#flush(partition);
      partition.writer.finish();
      append(partition);
      Deno.renameSync(`${partition.path}.tmp`, partition.path);
    }
    return this.#partitions.size;
  }

  #partition(table: TableName, { day, domain }: TableRow): Partition {
    const place = `${table}/day=${day}/domain=${folderName(domain)}`;
    const known = this.#partitions.get(place);
    if (known !== undefined) return known;
    Deno.mkdirSync(`${this.#dir}/${place}`, { recursive: true, mode: 0o700 });
    const path = `${this.#dir}/${place}/part-0.parquet`;
    const bytes = new ByteWriter();
    const columnData = columnsOf(table).map(([name, type]) => ({
      name,
      data: [],
      type: TYPES[type],
    }));
    const writer = new ParquetWriter({
      writer: bytes,
      schema: schemaFromColumnData({ columnData }),
    });
    const made: Partition = { table, path, bytes, writer, rows: [], characters: 0 };
    this.#partitions.set(place, made);
    Deno.openSync(`${path}.tmp`, { write: true, createNew: true, mode: 0o600 }).close();
    return made;
  }

  #flush(partition: Partition): void {
    const { rows } = partition;
    if (rows.length === 0) return;
    this.#rows -= rows.length;
    this.#characters -= partition.characters;
    partition.rows = [];
    partition.characters = 0;
    partition.writer.write({
      columnData: columnsOf(partition.table).map(([name, type]) => ({
        name,
        type: TYPES[type],
        data: rows.map((row) => stored(row[name] ?? null, type)),
      })),
      rowGroupSize: rows.length,
    });
    append(partition);
  }
}

/** Appends what the writer made, and empties its buffer; its offset in the file stays. */
function append({ path, bytes }: Partition): void {
  using file = Deno.openSync(`${path}.tmp`, { append: true });
  let rest = new Uint8Array(bytes.buffer, 0, bytes.index);
  while (rest.length > 0) rest = rest.subarray(file.writeSync(rest));
  bytes.index = 0;
}

function stored(cell: Cell, type: ColumnType): unknown {
  if (cell === null) return null;
  if (type === "integer") return BigInt(Math.round(Number(cell)));
  return type === "time" ? new Date(Number(cell)) : cell;
}

/** A domain as a part of a path, as engines read it back. */
function folderName(domain: Cell | undefined): string {
  const name = String(domain ?? "");
  return name === ""
    ? "__HIVE_DEFAULT_PARTITION__"
    : encodeURIComponent(name).replaceAll(".", "%2E");
}
