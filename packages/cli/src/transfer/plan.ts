import { closestMatch } from '@millrace/server/config/closest-match.ts'
import { type KindKey, kindKeys } from './all-kinds.ts'
import type { ImportContent } from './check-files.ts'
import { type Change, describeFields, diffValues } from './diff.ts'
import { type Item, isEqual } from './json-value.ts'
import type { ExistingItem, FileItem, Kind } from './kind.ts'
import type { ReferenceKind } from './placeholders.ts'
import { placeholderNames } from './secrets.ts'
import type { ServerState } from './server-state.ts'

export type StepStatus = 'planned' | 'done' | 'failed' | 'skipped'

interface StepState {
  readonly kind: Kind
  readonly name: string
  readonly changes: readonly Change[]
  status: StepStatus
  /** Why it failed. */
  error?: string
}

export interface CreateStep extends StepState {
  readonly action: 'create'
  readonly item: Item
}
export interface UpdateStep extends StepState {
  readonly action: 'update'
  readonly item: Item
  readonly existing: ExistingItem
}
export interface DeleteStep extends StepState {
  readonly action: 'delete'
  readonly existing: ExistingItem
}
export type Step = CreateStep | UpdateStep | DeleteStep

/** What an import would do. */
export interface Plan {
  /** In the order in which they are applied. */
  readonly steps: readonly Step[]
  /** All items of the files by kind, complete. */
  readonly wanted: ReadonlyMap<Kind, readonly Item[]>
  readonly unchangedCount: number
  /** Secrets without a value, with the documents that need them. */
  readonly missingSecrets: readonly { readonly name: string; readonly wanted: FileItem }[]
}

/** The kinds of items that have names for references. */
const referenceKeys: Readonly<Record<ReferenceKind, KindKey>> = {
  flow: 'flows',
  deployment: 'deployments',
  'work-pool': 'work_pools',
  'work-queue': 'work_queues',
  'block-document': 'block_documents',
  automation: 'automations',
  'concurrency-limit': 'concurrency_limits',
  variable: 'variables',
}

/** Compares the files with the server. Problems are added to the content. */
export async function planImport(
  server: ServerState,
  kinds: Readonly<Record<KindKey, Kind>>,
  content: ImportContent,
  { prune }: { readonly prune: boolean },
): Promise<Plan> {
  const written: Step[] = []
  const deleted: Step[] = []
  const wanted = new Map<Kind, Item[]>()
  const missingSecrets: { name: string; wanted: FileItem }[] = []
  const removed = new Map<KindKey, Set<string>>()
  let unchangedCount = 0
  await server.loadNames(namedKinds(content))
  for (const key of kindKeys) {
    const items = content.items.get(key)
    if (!items) continue
    const kind = kinds[key]
    const { pairs, rest } = matchItems(items, await kind.read(server, items))
    const complete: Item[] = []
    for (const { file, existing } of pairs) {
      const item = compact(kind.prepare?.(server, file, existing) ?? file.item)
      complete.push(item)
      for (const name of placeholderNames(item)) missingSecrets.push({ name, wanted: file })
      const changes = existing ? diffValues(existing.item, item) : describeFields(item, kind.nameKeys)
      if (existing && changes.length === 0) unchangedCount += 1
      else if (existing) written.push({ action: 'update', kind, name: file.name, item, existing, changes, status: 'planned' })
      else written.push({ action: 'create', kind, name: file.name, item, changes, status: 'planned' })
    }
    wanted.set(kind, complete)
    if (!prune || !kind.remove) continue
    const unwanted = rest.filter(({ isKept }) => !isKept)
    removed.set(key, new Set(unwanted.map(({ name }) => name)))
    deleted.unshift(...unwanted.map((existing): Step => ({ action: 'delete', kind, name: existing.name, existing, changes: [], status: 'planned' })))
  }
  checkReferences(server, content, removed)
  return { steps: [...written, ...withoutQueuesOfPools(deleted)], wanted, unchangedCount, missingSecrets }
}

function namedKinds({ items, references }: ImportContent): Set<ReferenceKind> {
  const own = (Object.entries(referenceKeys) as [ReferenceKind, KindKey][]).flatMap(([kind, key]) => (items.has(key) ? [kind] : []))
  return new Set([...own, ...references.map(({ kind }) => kind)])
}

interface Pair {
  readonly file: FileItem
  readonly existing: ExistingItem | undefined
}

/** Finds the existing item of each item of the file. Of several with the same name, equal ones belong together. */
function matchItems(items: readonly FileItem[], found: readonly ExistingItem[]): { pairs: Pair[]; rest: ExistingItem[] } {
  const byName = Map.groupBy(found, ({ name }) => name)
  const take = (name: string, matches: (existing: ExistingItem) => boolean): ExistingItem | undefined => {
    const candidates = byName.get(name) ?? []
    const index = candidates.findIndex(matches)
    return index < 0 ? undefined : candidates.splice(index, 1)[0]
  }
  const equal = new Map(
    items.map((file) => [file, (byName.get(file.name)?.length ?? 0) > 1 ? take(file.name, ({ item }) => isEqual(item, file.item)) : undefined]),
  )
  const pairs = items.map((file) => ({ file, existing: equal.get(file) ?? take(file.name, () => true) }))
  return { pairs, rest: [...byName.values()].flat() }
}

const compact = (item: Item): Item => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined))

/** A deleted pool takes its queues along. */
function withoutQueuesOfPools(steps: readonly Step[]): Step[] {
  const pools = new Set(steps.flatMap(({ kind, name }) => (kind.key === 'work_pools' ? [name] : [])))
  return steps.filter((step) => step.action !== 'delete' || step.kind.key !== 'work_queues' || !pools.has(step.existing.item.work_pool as string))
}

/** Every name must be in the files, or stay on the server. */
function checkReferences(server: ServerState, { items, references }: ImportContent, removed: ReadonlyMap<KindKey, ReadonlySet<string>>): void {
  const inFiles = new Map(kindKeys.map((key) => [key, new Set(items.get(key)?.map(({ name }) => name))]))
  // Deployments bring their flows.
  for (const { item } of items.get('deployments') ?? []) inFiles.get('flows')?.add(item.flow as string)
  for (const { kind, name, problem } of references) {
    const key = referenceKeys[kind]
    if (inFiles.get(key)?.has(name)) continue
    const noun = kind.replaceAll('-', ' ')
    if (removed.get(key)?.has(name)) problem(`The ${noun} "${name}" is not in the file, so --prune would delete it.`)
    else if (!server.has(kind, name)) {
      const meant = closestMatch(name, [...(inFiles.get(key) ?? []), ...server.names(kind)])
      problem(`The ${noun} "${name}" is neither in the file nor on the server.${meant ? ` Did you mean "${meant}"?` : ''}`)
    }
  }
}
