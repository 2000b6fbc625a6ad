import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { repositoryRoot } from '../repository.ts'
import { contractTypes, exportedTypes, readContracts } from './contract-types.ts'
import { readDeclarations } from './type-declarations.ts'

/** `extends` alone is blind to optional fields and to `any`. */
const equality = `
type Equal<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? ([A, B] extends [B, A] ? true : false) : false
/** Merges intersections, which are otherwise not equal to the same fields in one object. */
type Flat<T> = T extends object ? { [K in keyof T]: T[K] } : T
type Assignable<A, B> = [A, B] extends [B, A] ? true : false
`

/** The contracts write these with an intersection inside, which is not identical to the same fields in one object. */
const withIntersection = ['AutomationCreate', 'AutomationUpdate', 'TriggerSent']

test('generates types that equal those of the contracts', async () => {
  const modules = readContracts()
  const cache = join(repositoryRoot, '.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'contract-types-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // Not as a declaration file: those of TypeBox take long to check.
  writeFileSync(join(folder, 'generated.ts'), contractTypes(modules))
  const lines = modules.flatMap((module, index) => [
    `import type * as from${index} from '@millrace/contracts/${module.file}'`,
    ...exportedTypes(module).map((name) => {
      const relation = withIntersection.includes(name) ? 'Assignable' : 'Equal'
      return `export const ${name}${index}: ${relation}<generated.${name}, from${index}.${name}> extends true ? true : '${name} differs' = true`
    }),
  ])
  expect(lines.length).toBeGreaterThan(200)
  writeFileSync(join(folder, 'equal.ts'), `import type * as generated from './generated.ts'\n${equality}${lines.join('\n')}\n`)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions: { types: [] }, files: ['equal.ts'], include: [] }),
  )
  expect(await typeErrors(folder)).toBe('')
})

function typeErrors(folder: string): Promise<string> {
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc')
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', folder], (error, stdout) => resolve(error ? stdout || error.message : ''))
  })
}

test('reads declarations with their comments', () => {
  const source = `import Type from 'typebox'

/** Not a comment of a declaration. */

/** One thing. */
export const One = response('One', {
  /** First field. */
  first: Text,
  second: Text,
})
export type One = Static<typeof One>

type Pair<T> = [T, T] &
  { length: 2 }
`
  const found = readDeclarations(source).map(({ fieldComments, ...rest }) => ({ ...rest, fieldComments: Object.fromEntries(fieldComments) }))
  expect(found).toEqual([
    {
      kind: 'value',
      name: 'One',
      isExported: true,
      isGeneric: false,
      text: expect.stringContaining("const One = response('One', {"),
      comment: '/** One thing. */\n',
      fieldComments: { first: '/** First field. */' },
    },
    { kind: 'type', name: 'One', isExported: true, isGeneric: false, text: 'type One = Static<typeof One>', comment: '', fieldComments: {} },
    {
      kind: 'type',
      name: 'Pair',
      isExported: false,
      isGeneric: true,
      text: 'type Pair<T> = [T, T] &\n  { length: 2 }',
      comment: '',
      fieldComments: {},
    },
  ])
})

test('writes optional fields, references and comments', () => {
  const text = contractTypes(readContracts())
  expect(text).toContain(`/** The stored and the removed rows of one kind. */
export interface KeptKind {
  kind: string;
  /** Null disables retention. */
  retention_days: number | null;
`)
  expect(text).toContain('\n  kinds: KeptKind[];\n')
  expect(text).toContain("export type StateType = 'SCHEDULED' | ")
  expect(text).toContain('export type CountsById = Record<string, number>')
  expect(text).not.toMatch(/typebox|Static<|Received<|typeof /)
})
