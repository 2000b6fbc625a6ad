import { expect, test } from 'vitest'
import { createTemporaryTree } from '../../../scripts/temporary-tree.ts'
import { buildProblems } from '../src/check-build.ts'

test('accepts files of the site and links to other sites', () => {
  const folder = createTemporaryTree({
    'index.html': '<script src="/help/a.js"></script><img src="/help/a.png"><a href="https://example.com">link</a>',
    'a.css': 'a { background: url(/help/a.svg) }',
    'a.js': 'fetch("/help/x")',
  })
  expect(buildProblems(folder)).toEqual([])
})

test('reports files of other sites, and what the content security policy forbids', () => {
  const folder = createTemporaryTree({
    'index.html': '<script src="https://cdn.example/a.js"></script><p style="color:red"><style>a {}</style>',
    'deep/a.css': '@import "//fonts.example/a.css"; b { background: url("https://example.com/b.png") }',
  })
  expect(buildProblems(folder)).toEqual([
    'index.html loads a file of another site: <script src="https://cdn.example/a.js"',
    'index.html has a style attribute: <p style="color:red"',
    'index.html has a style element: <style',
    'deep/a.css loads a file of another site: @import "//fonts.example/a.css',
    'deep/a.css loads a file of another site: url("https://example.com/b.png',
  ])
})
