import { closestMatch } from '@millrace/server/config/closest-match.ts'
import { type KindKey, kindKeys } from './all-kinds.ts'
import type { Checker } from './field-spec.ts'
import { describeType, type Item, isObject, toNumber } from './json-value.ts'
import type { FileItem, Kind } from './kind.ts'
import type { ReferenceKind } from './placeholders.ts'
import type { Path, Problem } from './problems.ts'
import type { YamlFile } from './yaml-reader.ts'

export const formatVersion = 1

/** A name of something else in a file. */
export interface FileReference {
  readonly kind: ReferenceKind
  readonly name: string
  problem(message: string): void
}

/** The checked content of all files of an import. */
export interface ImportContent {
  /** The items of each kind that the files have, also if the list is empty. */
  readonly items: ReadonlyMap<KindKey, readonly FileItem[]>
  readonly references: readonly FileReference[]
  readonly problems: Problem[]
  readonly notes: string[]
}

/** Checks everything that can be checked without a server. */
export function checkFiles(files: readonly YamlFile[], kinds: Readonly<Record<KindKey, Kind>>): ImportContent {
  const content = { items: new Map<KindKey, FileItem[]>(), references: [] as FileReference[], problems: [] as Problem[], notes: [] as string[] }
  for (const file of files) {
    content.problems.push(...file.problems)
    if (file.problems.length === 0) checkFile(file, kinds, content)
  }
  for (const [key, items] of content.items) checkDuplicates(kinds[key], items)
  checkPriorities(content.items.get('work_queues') ?? [])
  return content
}

type Collected = { items: Map<KindKey, FileItem[]>; references: FileReference[]; problems: Problem[]; notes: string[] }

function checkFile(file: YamlFile, kinds: Readonly<Record<KindKey, Kind>>, { items, references, problems, notes }: Collected): void {
  const problem = (path: Path, message: string) => problems.push({ file: file.name, line: file.lineOf(path), path, message })
  const checker: Checker = {
    problem,
    reference: (kind, name, path) => references.push({ kind, name, problem: (message) => problem(path, message) }),
  }
  if (!isObject(file.value)) {
    problem([], `Must be a mapping with the key "version", not ${describeType(file.value)}.`)
    return
  }
  const { version, ...others } = file.value
  if (version === undefined) problem([], `Missing key "version". Write "version: ${formatVersion}" at the top.`)
  else if (toNumber(version) !== formatVersion) problem(['version'], `This version of Millrace reads files of version ${formatVersion} only.`)
  for (const [key, value] of Object.entries(others)) {
    if (!isKindKey(key)) {
      const meant = closestMatch(key, kindKeys)
      problem([key], `Unknown key "${key}".${meant ? ` Did you mean "${meant}"?` : ` The keys are version, ${kindKeys.join(', ')}.`}`)
      continue
    }
    const kind = kinds[key]
    const found = items.get(key) ?? []
    items.set(key, found)
    const entries = kind.isSingle ? (value === null ? [] : [{ value, path: [key] }]) : listEntries(key, value, problem)
    for (const { value: entry, path } of entries) {
      const before = problems.length
      const item = kind.spec(entry, path, checker)
      if (problems.length > before) continue
      const at = (below: Path) => [...path, ...below]
      found.push({
        name: kind.nameOf(item as Item),
        item: item as Item,
        problem: (below, message) => problem(at(below), message),
        note: (message) => notes.push(message),
      })
    }
  }
}

const isKindKey = (key: string): key is KindKey => (kindKeys as readonly string[]).includes(key)

/** An empty value is an empty list. */
function listEntries(key: string, value: unknown, problem: (path: Path, message: string) => void): { value: unknown; path: Path }[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.map((entry, index) => ({ value: entry, path: [key, index] }))
  problem([key], `Must be a list, not ${describeType(value)}.`)
  return []
}

function checkDuplicates(kind: Kind, items: readonly FileItem[]): void {
  if (kind.allowsDuplicates) return
  const seen = new Set<string>()
  for (const { name, problem } of items) {
    if (seen.has(name)) problem([], `The ${kind.noun} "${name}" appears twice.`)
    seen.add(name)
  }
}

/** Two queues of a pool cannot have the same priority. */
function checkPriorities(queues: readonly FileItem[]): void {
  const seen = new Set<string>()
  for (const { item, problem } of queues) {
    if (item.priority === undefined) continue
    const place = JSON.stringify([item.work_pool, item.priority])
    if (seen.has(place)) problem(['priority'], `Another queue of the work pool "${item.work_pool}" has the priority ${item.priority}.`)
    seen.add(place)
  }
}
