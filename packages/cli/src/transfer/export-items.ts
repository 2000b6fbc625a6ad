import { createKinds, type KindKey, kindKeys } from './all-kinds.ts'
import { formatVersion } from './check-files.ts'
import { compareTexts, type Item, isObject } from './json-value.ts'
import type { ExistingItem } from './kind.ts'
import { Reference } from './placeholders.ts'
import type { ServerState } from './server-state.ts'
import { writeYaml } from './yaml-writer.ts'

/** The values of an export by kind: a list of items, or the value of a setting. */
export type ExportContent = ReadonlyMap<KindKey, unknown>

interface ExportOptions {
  /** Undefined exports everything. */
  readonly keys: readonly KindKey[] | undefined
  readonly includeSecrets: boolean
}

/** Kinds that come along: a deployment needs its flow, a document its type. */
const companions: Partial<Readonly<Record<KindKey, KindKey>>> = { deployments: 'flows', automations: 'flows', block_documents: 'block_types' }

/** Reads what the server has, in the form of the files. */
export async function exportItems(server: ServerState, { keys, includeSecrets }: ExportOptions): Promise<ExportContent> {
  const kinds = createKinds({ isIncluded: includeSecrets, values: new Map() })
  const wanted = new Set((keys ?? kindKeys).flatMap((key) => [key, companions[key] ?? key]))
  const found = new Map<KindKey, ExistingItem[]>()
  for (const key of kindKeys) if (wanted.has(key)) found.set(key, await kinds[key].read(server))
  // Other flows belong to code that registers them when it runs.
  if (!keys?.includes('flows')) found.set('flows', usedFlows(found))
  const content = new Map<KindKey, unknown>()
  for (const key of kindKeys) {
    const items = found.get(key)
    if (!items || !wanted.has(key) || (items.length === 0 && isCompanionOnly(key, keys))) continue
    content.set(key, kinds[key].isSingle ? (items[0]?.item.value ?? null) : items.sort(byName).map(({ item }) => item))
  }
  return content
}

const isCompanionOnly = (key: KindKey, keys: readonly KindKey[] | undefined): boolean => keys !== undefined && !keys.includes(key)

/** Items of the same name are sorted by content. */
const byName = (a: ExistingItem, b: ExistingItem): number =>
  compareTexts(a.name, b.name) || compareTexts(JSON.stringify(a.item), JSON.stringify(b.item))

function usedFlows(found: ReadonlyMap<KindKey, readonly ExistingItem[]>): ExistingItem[] {
  const names = new Set(found.get('deployments')?.map(({ item }) => item.flow))
  for (const { item } of found.get('automations') ?? []) for (const name of flowReferences(item)) names.add(name)
  return found.get('flows')?.filter(({ name }) => names.has(name)) ?? []
}

function flowReferences(value: unknown): string[] {
  if (value instanceof Reference) return value.kind === 'flow' ? [value.name] : []
  if (Array.isArray(value)) return value.flatMap(flowReferences)
  return isObject(value) ? Object.values(value as Item).flatMap(flowReferences) : []
}

const header = '# Written by `millrace export`. Apply with `millrace import`.\n'

/** One file with these kinds. */
export const exportText = (content: ExportContent): string =>
  [`${header}version: ${formatVersion}\n`, ...[...content].map(([key, value]) => writeYaml({ [key]: value }))].join('\n')
