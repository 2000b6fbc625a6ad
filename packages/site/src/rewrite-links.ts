import { posix } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { type FileKind, imagePath, type LinkTarget, resolveLink, siteLink } from './links.ts'
import type { SitePage } from './pages.ts'

/** Turns links between files of the repository into links of the site. VitePress adds the base and drops the ending `.md`. */
export function rewriteLinks(md: MarkdownRenderer, pages: readonly SitePage[], kindOf: (path: string) => FileKind): void {
  const sources = new Map(pages.map(({ path, source }) => [path, source]))
  md.core.ruler.push('rewrite-links', ({ tokens, env }) => {
    // Generated pages have no source. Their links are those of the site.
    const source = sources.get(env.relativePath)
    if (source === undefined) return
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const name = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : undefined
      if (name === undefined) continue
      const target: LinkTarget | undefined = resolveLink(source, token.attrGet(name) ?? '')
      if (!target || target.path === source) continue
      if (name === 'href') token.attrSet(name, siteLink(pages, target, kindOf))
      else token.attrSet(name, `./${posix.relative(posix.dirname(env.relativePath), imagePath(target.path))}`)
    }
  })
}
