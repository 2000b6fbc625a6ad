import { expect, test } from 'vitest'
import { readSource, repositoryRoot } from '../repository.ts'
import { createTemporaryTree } from '../temporary-tree.ts'
import { mapViolations } from './architecture-map.ts'

const S = 'packages/server/src'

const walk = (title: string, ...steps: string[]) => `### ${title}\n\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}\n`
const otherWalks = ['A worker polls', 'An event fires an automation', 'A page lists runs']
  .map((title) => walk(title, '`http/a.ts` starts it'))
  .join('\n')
const page = (map: string, ...steps: string[]) => `\`\`\`\n${S}/\n${map}\`\`\`\n${walk('A client proposes a state', ...steps)}\n${otherWalks}`

const createTree = () =>
  createTemporaryTree({
    [`${S}/http/a.ts`]: `import { b } from '../lib/b.ts'`,
    [`${S}/lib/b.ts`]: '',
    [`${S}/lib/c.ts`]: '',
  })
const map = '  http/  requests\n  lib/  helpers\n'

test('accepts a page that matches the source', () => {
  expect(mapViolations(createTree(), page(map, '`http/a.ts` reads the request', '`lib/b.ts` answers it'))).toEqual([])
})

test('reports a room that the map leaves out, and one that does not exist', () => {
  expect(mapViolations(createTree(), page('  http/  requests\n  gone/  nothing\n', '`http/a.ts` reads the request'))).toEqual([
    `${S}/lib is missing from the map`,
    `the map lists gone, which does not exist in ${S}`,
  ])
})

test('reports a file of a walk that does not exist or that no earlier file imports', () => {
  expect(mapViolations(createTree(), page(map, '`http/a.ts` reads', '`lib/gone.ts` is gone'))).toEqual([
    `A client proposes a state: there is no ${S}/lib/gone.ts`,
  ])
  expect(mapViolations(createTree(), page(map, '`http/a.ts` reads', '`lib/c.ts` answers'))).toEqual([
    `A client proposes a state: no earlier file imports ${S}/lib/c.ts`,
  ])
})

test('accepts a file that takes over through the event log', () => {
  expect(mapViolations(createTree(), page(map, '`http/a.ts` reads', '`lib/c.ts` reads the event log'))).toEqual([])
})

test('reports a walk that is too long, empty or missing', () => {
  const steps = ['`http/a.ts` starts', ...Array.from({ length: 10 }, () => '`lib/b.ts` again')]
  expect(mapViolations(createTree(), page(map, ...steps))).toEqual(['A client proposes a state: 11 files, at most 10 are allowed'])
  expect(mapViolations(createTree(), page(map))).toEqual(['A client proposes a state: no files are listed'])
  expect(mapViolations(createTree(), page(map, '`http/a.ts` reads').replace('### A worker polls', '### Something else'))).toEqual([
    'the walk "A worker polls" is missing',
  ])
})

test('ARCHITECTURE.md matches the source', () => {
  expect(mapViolations(repositoryRoot, readSource(repositoryRoot, 'ARCHITECTURE.md'))).toEqual([])
})
