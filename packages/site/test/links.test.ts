import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listTrackedFiles, repositoryRoot } from '../../../scripts/repository.ts'
import { resolveLink } from '../src/links.ts'
import { readMarkdown } from '../src/markdown.ts'

const sources = listTrackedFiles(repositoryRoot).filter((path) => path.endsWith('.md'))
const files = new Map(sources.map((path) => [path, readMarkdown(readFileSync(join(repositoryRoot, path), 'utf8'))]))

/** What is wrong with a link of a file, or undefined. */
function problem(source: string, href: string, isImage: boolean): string | undefined {
  const target = resolveLink(source, href)
  if (!target) return isImage ? 'an image of another site' : undefined
  if (href.startsWith('/')) return 'not relative'
  if (target.path.startsWith('..') || !existsSync(join(repositoryRoot, target.path))) return 'no such file'
  if (isImage && !statSync(join(repositoryRoot, target.path)).isFile()) return 'no image'
  if (target.anchor === '') return undefined
  return files.get(target.path)?.headings.some(({ anchor }) => anchor === target.anchor) ? undefined : 'no such heading'
}

test.each(sources)('%s has links to files, headings and images that exist', (source) => {
  const links = files.get(source)?.links ?? []
  const found = links.map(({ href, line, isImage }) => ({ place: `${source}:${line}: ${href}`, problem: problem(source, href, isImage) }))
  expect(found.filter(({ problem }) => problem !== undefined)).toEqual([])
})

test('reads links and headings, not code and comments', () => {
  const { links, headings } = readMarkdown(
    [
      '# A `b` and [c](d.md)',
      '[text](a.md#x "title") ![image](i.png) [![both](j.png)](k.md) `[code](no.md)`',
      '<!-- [comment](no.md) -->',
      '```sh',
      '# no heading [no](no.md)',
      '```',
      '## Twice',
      '## Twice',
    ].join('\n'),
  )
  expect(links.filter(({ isImage }) => !isImage).map(({ href }) => href)).toEqual(['d.md', 'a.md#x', 'k.md'])
  expect(links.filter(({ isImage }) => isImage).map(({ href, line }) => [href, line])).toEqual([
    ['i.png', 2],
    ['j.png', 2],
  ])
  expect(headings.map(({ text, anchor }) => [text, anchor])).toEqual([
    ['A b and c', 'a-b-and-c'],
    ['Twice', 'twice'],
    ['Twice', 'twice-1'],
  ])
})
