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

/** The address in the site of a link, as VitePress wants it: from the root of the site, pages with the ending `.md`. */
export function siteLink(pages: readonly SitePage[], { path, anchor }: LinkTarget, isFolder: (path: string) => boolean): string {
  const page = pages.find(({ source }) => source === path)
  if (page) return `/${page.path}${anchor && `#${anchor}`}`
  if (path === 'docs/adr') return `/${decisionsPage}`
  if (path === 'docs' || path === 'README.md') return '/'
  if (isFolder(path)) return `/${filesPage}#${slugify(path)}`
  return `/${copyPath(path)}`
}

/** Where the site has its copy of a file that is no page. The ending lets browsers show it. */
export const copyPath = (path: string): string => `files/${path}.txt`

/** Where the site has its copy of an image. */
export const imagePath = (path: string): string => (path.startsWith('docs/') ? path.slice('docs/'.length) : `files/${path}`)
