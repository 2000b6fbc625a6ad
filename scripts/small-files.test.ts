import { expect, test } from 'vitest'
import { repositoryRoot } from './repository.ts'
import { smallFileViolations } from './small-files.ts'
import { createTemporaryTree } from './temporary-tree.ts'

const S = 'packages/server/src'
const longText = 'export {}\n'.repeat(30)

test('reports a small file without a reason, and no longer or explained one', () => {
  const root = createTemporaryTree({
    [`${S}/http/tiny.ts`]: 'export {}\n',
    [`${S}/http/tiny.test.ts`]: 'export {}\n',
    [`${S}/http/long.ts`]: longText,
    [`${S}/orchestration/rules/one.ts`]: 'export {}\n',
  })
  const found = smallFileViolations(root)
  expect(found.filter((line) => line.startsWith(S))).toEqual([expect.stringContaining(`${S}/http/tiny.ts: shorter than 30 lines`)])
})

test('reports a reason that no small file needs', () => {
  const root = createTemporaryTree({ [`${S}/version.ts`]: longText })
  expect(smallFileViolations(root)).toContainEqual(expect.stringContaining('no small file matches /^version'))
})

test('every small file of this repository has a reason', () => {
  expect(smallFileViolations(repositoryRoot)).toEqual([])
})
