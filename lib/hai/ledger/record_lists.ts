/**
 * Lists of what was captured, newest first, each record as it is stored.
 *
 * @module
 */

import type { z } from "zod";
import { listCheckpoints } from "../mission/checkpoints.ts";
import { type IdPrefix, isId } from "../state/ids.ts";
import { inboxNames } from "./inbox.ts";
import { pageOf } from "./reply_budget.ts";
import { CHECKPOINT, DAY_STOP, DISTILLATION, INTAKE, PARKED } from "../state/records.ts";
import type { ToolReply } from "../state/refusal.ts";
import type { Transaction } from "../state/transaction.ts";

/** Kinds of records that can be listed. */
export const RECORD_KINDS = [
  "parked",
  "inbox",
  "intake",
  "distillation",
  "stop",
  "checkpoint",
] as const;

/** One of {@linkcode RECORD_KINDS}. */
type RecordKind = typeof RECORD_KINDS[number];

interface Store {
  readonly dir: string;
  readonly prefix: IdPrefix;
  readonly shape: z.ZodType<Record<string, unknown>>;
}

const STORES: Readonly<Record<Exclude<RecordKind, "inbox" | "checkpoint">, Store>> = {
  parked: { dir: "parking", prefix: "P", shape: PARKED },
  intake: { dir: "intake", prefix: "I", shape: INTAKE },
  distillation: { dir: "distillations", prefix: "A", shape: DISTILLATION },
  stop: { dir: "stops", prefix: "A", shape: DAY_STOP },
};

/** A page of records. */
interface RecordPage {
  /** The newest ones, as far as they fit. */
  readonly records: readonly ToolReply[];
  /** How many there are. */
  readonly total: number;
  /** Name to go on before; null when nothing is left. */
  readonly next_cursor: string | null;
}

/** Which records are wanted. */
interface RecordWish {
  readonly kind: RecordKind;
  /** How many at most. */
  readonly limit: number;
  /** `next_cursor` of the page before; undefined for the first. */
  readonly cursor: string | undefined;
}

/**
 * Lists records, newest first, a page at a time.
 *
 * @param tx Where they are read.
 * @param wish Which records.
 * @returns The page.
 */
export function listRecords(tx: Transaction, { kind, limit, cursor }: RecordWish): RecordPage {
  const { names, read } = storeOf(tx, kind);
  const all = [...names].reverse();
  const wanted = cursor === undefined ? all : all.slice(all.indexOf(cursor) + 1);
  const { items, isCut } = pageOf(readEach(wanted, read), limit);
  return {
    records: items,
    total: names.length,
    next_cursor: isCut ? wanted[items.length - 1] ?? null : null,
  };
}

function* readEach(
  names: readonly string[],
  read: (name: string) => ToolReply,
): Generator<ToolReply> {
  for (const name of names) yield read(name);
}

/** Names of a kind's records, oldest first, and how one is read. */
function storeOf(tx: Transaction, kind: RecordKind) {
  if (kind === "inbox") {
    const dir = tx.at("inbox");
    // A link there would be read with our rights, not with those of who made it.
    const names = inboxNames(tx).filter((name) => tx.disk.kind(`${dir}/${name}`) === "file");
    const read = (name: string): ToolReply => ({
      path: `${dir}/${name}`,
      text: tx.text(`${dir}/${name}`) ?? "",
    });
    return { names, read };
  }
  if (kind === "checkpoint") {
    const read = (id: string): ToolReply => ({
      checkpoint_id: id,
      ...tx.record(tx.at("history", "checkpoints", id, "meta.json"), CHECKPOINT),
    });
    return { names: listCheckpoints(tx), read };
  }
  const { dir, prefix, shape } = STORES[kind];
  const read = (id: string): ToolReply => tx.record(tx.at(dir, `${id}.json`), shape) ?? {};
  return { names: storeIds(tx, dir, prefix), read };
}

/** Every record of a store, oldest first. */
export function allRecords<S extends z.ZodType>(
  tx: Transaction,
  store: { readonly dir: string; readonly prefix: IdPrefix; readonly shape: S },
): z.output<S>[] {
  return storeIds(tx, store.dir, store.prefix).flatMap((id) => {
    const record = tx.record(tx.at(store.dir, `${id}.json`), store.shape);
    return record === undefined ? [] : [record];
  });
}

function storeIds(tx: Transaction, dir: string, prefix: IdPrefix): string[] {
  return tx.list(tx.at(dir))
    .map((name) => name.replace(/\.json$/, ""))
    .filter((id) => isId(prefix, id));
}
