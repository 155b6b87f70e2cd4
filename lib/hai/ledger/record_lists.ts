/**
 * Lists of what was captured, newest first, each record as it is stored.
 *
 * @module
 */

import type { z } from "zod";
import { listCheckpoints } from "../mission/checkpoints.ts";
import { type IdPrefix, isId } from "../state/ids.ts";
import { inboxNames } from "./inbox.ts";
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

/**
 * Lists records.
 *
 * @param tx Where they are read.
 * @param kind Which.
 * @param limit How many at most.
 * @returns The newest ones, and how many there are.
 */
export function listRecords(
  tx: Transaction,
  kind: RecordKind,
  limit: number,
): { readonly records: readonly ToolReply[]; readonly total: number } {
  if (kind === "inbox") {
    const dir = tx.at("inbox");
    // A link there would be read with our rights, not with those of who made it.
    const names = inboxNames(tx).filter((name) => tx.disk.kind(`${dir}/${name}`) === "file");
    return newest(
      names,
      limit,
      (name) => ({ path: `${dir}/${name}`, text: tx.text(`${dir}/${name}`) ?? "" }),
    );
  }
  if (kind === "checkpoint") {
    return newest(listCheckpoints(tx), limit, (id) => ({
      checkpoint_id: id,
      ...tx.record(tx.at("history", "checkpoints", id, "meta.json"), CHECKPOINT),
    }));
  }
  const { dir, prefix, shape } = STORES[kind];
  return newest(
    storeIds(tx, dir, prefix),
    limit,
    (id) => tx.record(tx.at(dir, `${id}.json`), shape) ?? {},
  );
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

function newest(names: readonly string[], limit: number, read: (name: string) => ToolReply) {
  return { records: [...names].reverse().slice(0, limit).map(read), total: names.length };
}
