import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { isTest, listSourceFiles, listUnscannedFiles, repositoryRoot } from './repository.ts'
import { createTemporaryTree } from './temporary-tree.ts'

test('lists the TypeScript files of packages and scripts in order', () => {
  const root = createTemporaryTree({
    'packages/a/src/deep/z.ts': '',
    'packages/a/src/b.ts': '',
    'packages/a/src/page.tsx': '',
    'packages/a/src/notes.md': '',
    'packages/a/test/setup.ts': '',
    'packages/a/vite.config.ts': '',
    'packages/a/src/node_modules/x/x.ts': '',
    'scripts/tool.ts': '',
    'scripts/start.mjs': '',
    'elsewhere.ts': '',
  })
  expect(listSourceFiles(root)).toEqual([
    'packages/a/src/b.ts',
    'packages/a/src/deep/z.ts',
    'packages/a/src/page.tsx',
    'packages/a/test/setup.ts',
    'scripts/tool.ts',
  ])
})

test('reports tracked files that the walk does not find', () => {
  const root = createTemporaryTree({
    '.gitignore': 'generated/\n',
    'packages/a/src/a.ts': '',
    'packages/a/src/dist/b.ts': '',
    'packages/a/src/generated/c.ts': '',
  })
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  expect(listUnscannedFiles(root)).toEqual(['packages/a/src/dist/b.ts'])
})

test('finds sources and tests of this repository', () => {
  const files = listSourceFiles(repositoryRoot)
  expect(files).toContain('scripts/repository.ts')
  expect(files.filter(isTest)).toContain('scripts/repository.test.ts')
  expect(files.filter((path) => !isTest(path))).toContain('packages/server/src/config.ts')
})
