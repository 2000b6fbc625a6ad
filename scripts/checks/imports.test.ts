import { describe, expect, test } from 'vitest'
import { listImports } from './imports.ts'

const specifiers = (text: string) => listImports(text, 'x.ts').map(({ specifier }) => specifier)

describe('finds', () => {
  test.each([
    ["import a from './a.ts'", ['./a.ts']],
    ["import type { A } from './a.ts'", ['./a.ts']],
    ["import a, { type B, c as d } from './a.ts'", ['./a.ts']],
    ["import * as a from './a.ts'", ['./a.ts']],
    ["import './a.ts'", ['./a.ts']],
    ['import "./a.ts"', ['./a.ts']],
    ["import {\n  a,\n  b,\n} from './a.ts'\nimport c from './c.ts'", ['./a.ts', './c.ts']],
    ["import data from './a.json' with { type: 'json' }", ['./a.json']],
    ["export { a } from './a.ts'", ['./a.ts']],
    ["export * from './a.ts'", ['./a.ts']],
    ["export type { A } from './a.ts'", ['./a.ts']],
    ["const a = await import('./a.ts')", ['./a.ts']],
    ["type A = typeof import('./a.ts')", ['./a.ts']],
    ["import a from './a.ts' // import b from './b.ts'", ['./a.ts']],
    ["export const from = 'x'\nexport function f() {}\nimport a from './a.ts'", ['./a.ts']],
    ["export const a = import.meta.url\nexport { b }\nimport c from './c.ts'", ['./c.ts']],
  ])('%s', (text, found) => {
    expect(specifiers(text)).toEqual(found)
  })
})

test('marks dynamic imports and gives their line', () => {
  expect(listImports("\nconst a = () => import('./a.ts')\ntype B = typeof import('./b.ts')", 'x.ts')).toEqual([
    { specifier: './a.ts', line: 2, isLazy: true },
    { specifier: './b.ts', line: 3, isLazy: false },
  ])
})

test('ignores comments, strings and templates', () => {
  expect(
    specifiers(
      "// import a from './a.ts'\n/*\nimport b from './b.ts'\n*/\nconst text = `\nimport c from './c.ts'\n`\nconst d = \"import('./d.ts')\"",
    ),
  ).toEqual([])
})

test('throws when a specifier cannot be read', () => {
  expect(() => listImports('await import(name)', 'x.ts')).toThrow('x.ts:1: import(…) without a literal specifier')
  expect(() => listImports("import a = require('a')", 'x.ts')).toThrow('1 import statements, but only 0 could be parsed')
})
