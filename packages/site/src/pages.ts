import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMarkdown } from './markdown.ts'
import { homePage, type SiteGroup, siteMap } from './site-map.ts'

export interface SitePage {
  /** Path of the Markdown file, from the root of the repository. */
  readonly source: string
  /** Path of the page in the site, with the ending `.md`. */
  readonly path: string
  /** The first heading. */
  readonly title: string
}

export interface PageGroup extends SiteGroup {
  readonly members: readonly SitePage[]
}

/** The groups of the sidebar with their pages. Groups whose folder is empty are left out. */
export const listGroups = (root: string): PageGroup[] =>
  siteMap
    .map((group) => ({ ...group, members: listGroupSources(root, group).map((source) => readPage(root, source)) }))
    .filter(({ members }) => members.length > 0)

/** All pages of the site. */
export function listPages(root: string): SitePage[] {
  const home = existsSync(join(root, homePage)) ? [readPage(root, homePage)] : []
  return [...home, ...listGroups(root).flatMap(({ members }) => members)]
}

/** The pages that the search finds. */
export function listSearchedPages(root: string): SitePage[] {
  const left = new Set(listGroups(root).flatMap(({ isUnsearched, members }) => (isUnsearched ? members.map(({ source }) => source) : [])))
  return listPages(root).filter(({ source }) => !left.has(source))
}

function listGroupSources(root: string, { folder, order = [], pages = [] }: SiteGroup): string[] {
  if (folder === undefined || !existsSync(join(root, folder))) return [...pages]
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  const names = readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
  return [...names.map((name) => `${folder}/${name}.md`), ...pages]
}

function readPage(root: string, source: string): SitePage {
  const { headings } = readMarkdown(readFileSync(join(root, source), 'utf8'))
  return { source, path: sitePath(source), title: headings[0]?.text ?? source }
}

/** `docs/x.md` is `x.md`, and `HACKING.md` is `hacking.md`. */
const sitePath = (source: string): string => (source.startsWith('docs/') ? source.slice('docs/'.length) : source.toLowerCase())
