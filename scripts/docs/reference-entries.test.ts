import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../repository.ts'
import { type ReferenceKind, referenceKinds } from './reference-entries.ts'

const kinds = await referenceKinds()
const read = (page: string): string => readFileSync(join(repositoryRoot, page), 'utf8')

/** Things of the code that the reference lacks, and the reverse. */
function differences({ entries, describedBy }: ReferenceKind, readPage: (page: string) => string): string[] {
  const described = new Set(
    [...new Set(entries.map(({ page }) => page))].flatMap((page) => describedBy(readPage(page)).map((name) => `${page}: ${name}`)),
  )
  const wanted = new Set(entries.map(({ name, page }) => `${page}: ${name}`))
  return [
    ...[...wanted.difference(described)].map((each) => `${each} is not described`),
    ...[...described.difference(wanted)].map((each) => `${each} does not exist`),
  ]
}

test.each(kinds.map((kind) => [kind.kind, kind] as const))('every %s has an entry in the reference, and every entry exists', (_, kind) => {
  expect(kind.entries.length).toBeGreaterThan(4)
  expect(differences(kind, read)).toEqual([])
})

test.each(kinds.map((kind) => [kind.kind, kind] as const))('reports each %s without an entry', (_, kind) => {
  for (const { name, page } of kind.entries) {
    const withoutEntry = { ...kind, describedBy: (text: string) => kind.describedBy(text).filter((each) => each !== name) }
    expect(differences(withoutEntry, read)).toEqual([`${page}: ${name} is not described`])
  }
})
