import { posix } from 'node:path'
import { slugify } from './markdown.ts'
import type { SitePage } from './pages.ts'

export interface LinkTarget {
  /** Path from the root of the repository, of a file or a folder. */
  readonly path: string
  readonly anchor: string
}

/** Where a link of a Markdown file leads to. Undefined for links to other sites. */
export function resolveLink(source: string, href: string): LinkTarget | undefined {
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(href)) return undefined
  const [path = '', anchor = ''] = href.split('#')
  return { path: path === '' ? source : posix.join(posix.dirname(source), decodeURI(path)).replace(/\/$/, ''), anchor: decodeURIComponent(anchor) }
}

/** Pages that the build writes, because links of the repository lead to folders. */
export const filesPage = 'files.md'
export const decisionsPage = 'adr/index.md'

/** All files of these folders are in the site, because pages link to the folders. */
export const copiedFolders = ['deploy']

export type FileKind = 'file' | 'folder' | undefined

/** The address in the site of a link, as VitePress wants it: from the root of the site, pages with the ending `.md`. */
export function siteLink(pages: readonly SitePage[], { path, anchor }: LinkTarget, kindOf: (path: string) => FileKind): string {
  const page = pages.find(({ source }) => source === path || source === `${path}/index.md`)
  if (page) return `/${page.path}${anchor && `#${anchor}`}`
  if (path === 'docs/adr') return `/${decisionsPage}`
  if (path === 'README.md') return '/'
  const kind = kindOf(path)
  if (kind === undefined) throw new Error(`A page links to ${path}, which does not exist`)
  if (kind === 'file') return `/${copyPath(path)}`
  if (!copiedFolders.some((name) => `${path}/`.startsWith(`${name}/`)))
    throw new Error(`A page links to the folder ${path}, which is not in the site`)
  return `/${filesPage}#${slugify(path)}`
}

/** Where the site has its copy of a file that is no page. The ending lets browsers show it. */
export const copyPath = (path: string): string => `files/${path}.txt`

/** Where the site has its copy of an image. */
export const imagePath = (path: string): string => (path.startsWith('docs/') ? path.slice('docs/'.length) : `files/${path}`)
