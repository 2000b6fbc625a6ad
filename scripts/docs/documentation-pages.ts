import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listTrackedFiles, repositoryRoot } from '../repository.ts'
import { type Page, parsePage } from './page-blocks.ts'

const documentation = /^(?:README|HACKING|ARCHITECTURE)\.md$|^docs\/(?!adr\/).*\.md$|^deploy\/.*\.md$|^packages\/millrace\/README\.md$/

/** The pages of the API reference as one, whose examples share a server. A response that is an error fails. */
export function joinApiPages(pages: readonly Page[]): Page[] {
  const isApi = ({ path }: Page) => path.startsWith('docs/api/')
  const blocks = pages.filter(isApi).flatMap((page) => page.blocks)
  const [first, ...others] = blocks
  if (first === undefined) return [...pages]
  const joined = {
    path: 'docs/api',
    blocks: [{ ...first, before: 'echo fail-with-body > ~/.curlrc' }, ...others],
    server: 'sqlite',
    needs: new Set<string>(),
    problems: [],
  } as const
  return [...pages.filter((page) => !isApi(page)), joined]
}

/** All pages of the documentation, with their code blocks. Architecture decisions are records, and their blocks show code of their time. */
export const readPages = (root = repositoryRoot): Page[] =>
  listTrackedFiles(root)
    .filter((path) => documentation.test(path))
    .sort()
    .map((path) => parsePage(path, readFileSync(join(root, path), 'utf8')))
