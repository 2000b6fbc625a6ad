import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listTrackedFiles, repositoryRoot } from '../repository.ts'
import { type Page, parsePage } from './page-blocks.ts'

const documentation = /^(?:README|HACKING|ARCHITECTURE)\.md$|^docs\/(?!adr\/).*\.md$|^deploy\/.*\.md$|^packages\/millrace\/README\.md$/

/** All pages of the documentation, with their code blocks. Architecture decisions are records, and their blocks show code of their time. */
export const readPages = (root = repositoryRoot): Page[] =>
  listTrackedFiles(root)
    .filter((path) => documentation.test(path))
    .sort()
    .map((path) => parsePage(path, readFileSync(join(root, path), 'utf8')))
