import { type Spec, valueOr } from './field-spec.ts'
import type { Item } from './json-value.ts'
import type { Path } from './problems.ts'
import type { ServerState } from './server-state.ts'

/** An item that the server has. */
export interface ExistingItem {
  readonly id: string
  readonly name: string
  /** In the canonical form of the file. */
  readonly item: Item
  /** Set for an item that `--prune` never deletes, such as the default queue of a pool. */
  readonly isKept?: boolean
}

/** An item of a file. */
export interface FileItem {
  readonly name: string
  readonly item: Item
  /** Reports a problem at a path below the item. */
  problem(path: Path, message: string): void
  /** Tells the user something that does not prevent the import. */
  note(message: string): void
}

/** Work that must wait until all other items exist, such as a reference to an item of a later kind. */
export type FollowUp = () => Promise<void>

/** A kind of items in the files: their shape, and how to read and write them on a server. */
export interface Kind {
  /** The key of the files. */
  readonly key: string
  /** In messages, such as `work pool`. */
  readonly noun: string
  readonly spec: Spec
  /** Whether the file has one value instead of a list of items. */
  readonly isSingle?: boolean
  /** Whether two items may have the same name. */
  readonly allowsDuplicates?: boolean
  /** Whether items must be written one after the other. */
  readonly isSequential?: boolean
  /** The keys that make up the name. */
  readonly nameKeys: readonly string[]
  nameOf(item: Item): string
  /** Reads the items of the server. `wanted` are those of the file, or undefined for an export. */
  read(server: ServerState, wanted?: readonly FileItem[]): Promise<ExistingItem[]>
  /** Completes an item of the file with what the server knows, and reports what the server cannot do. */
  prepare?(server: ServerState, wanted: FileItem, existing: ExistingItem | undefined): Item
  /** Sorts new and changed items into groups that depend on earlier groups only. */
  groupByDependency?(items: readonly Item[]): Item[][]
  create(server: ServerState, item: Item): Promise<FollowUp | undefined>
  /** `changed` are the top-level keys that differ. */
  update(server: ServerState, existing: ExistingItem, item: Item, changed: ReadonlySet<string>): Promise<FollowUp | undefined>
  /** Runs after the items of the kind were written, with all items of the file. */
  finish?(server: ServerState, wanted: readonly Item[], written: readonly Item[]): Promise<void>
  /** Without it, `--prune` deletes no items of this kind. */
  remove?(server: ServerState, existing: ExistingItem): Promise<void>
}

/** The fields of an item, with defaults for those that were left out. */
export function pick(item: Item, defaults: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(defaults).flatMap(([key, fallback]) => (keys.has(key) ? [[key, valueOr(item, key, fallback)]] : [])))
}
