import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type MarkdownRenderer, type UserConfig } from 'vitepress'
import { markedTheme, stylesToClasses } from './code-colors.ts'
import type { FileKind } from './links.ts'
import { slugify } from './markdown.ts'
import { listGroups, listPages, listSearchedPages } from './pages.ts'
import { rewriteLinks } from './rewrite-links.ts'
import { splitIntoSections } from './search-index.ts'
import { sidebars } from './sidebar.ts'

type Plugin = NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number]

/** The path of the site below the server. The server replaces it when a proxy adds another path (packages/server/src/http/help-site.ts). */
export const siteBase = '/help/'

/** The configuration of VitePress. `root` is the repository; the pages are those of `stagePages`. */
export function siteConfig(root: string): UserConfig {
  const pages = listPages(root)
  const searched = listSearchedPages(root)
  /** VitePress passes the path of the staged file. */
  const searchedSections = (file: string) => {
    const page = searched.find(({ path }) => file.endsWith(`/pages/${path}`))
    return page ? splitIntoSections(page.path, readFileSync(file, 'utf8')) : []
  }
  return defineConfig({
    base: siteBase,
    title: 'Millrace',
    description: 'Documentation of Millrace, a workflow-orchestration service',
    lang: 'en',
    cleanUrls: true,
    // Otherwise each page carries the list of all pages.
    metaChunk: true,
    // Inserting a style element, as the option does, breaks the content security policy.
    appearance: { disableTransition: false } as never,
    head: [['link', { rel: 'icon', href: `${siteBase}logo.svg`, type: 'image/svg+xml' }]],
    markdown: {
      theme: markedTheme,
      codeTransformers: [stylesToClasses],
      anchor: { slugify },
      headers: { slugify },
      toc: { slugify },
      config: (md) => {
        rewriteLinks(md, pages, (path) => kindOf(join(root, path)))
        escapeBraces(md)
        showFileNames(md)
        alignByClass(md)
        wrapTables(md)
      },
    },
    // Pages in one order, so that two builds of one commit give the same search index.
    buildConcurrency: 1,
    transformHtml: removeStyleAttributes,
    vite: {
      plugins: [useSiteSearch()],
      // Small pictures stay files, which browsers keep; inlined they would be in each page.
      build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4000, reportCompressedSize: false },
    },
    themeConfig: {
      logo: '/logo.svg',
      // From the site to the server: `withBase` of VitePress keeps these addresses. The router leaves links with a target alone.
      nav: [
        { text: 'Dashboard', link: '/../', target: '_self' },
        { text: 'API', link: '/../docs/', target: '_self' },
      ],
      notFound: { title: 'Page not found', quote: 'The page may have moved. Search for it, or start at the first page.', linkText: 'First page' },
      outline: { level: [2, 3], label: 'On this page' },
      docFooter: { prev: 'Previous', next: 'Next' },
      externalLinkIcon: false,
      search: {
        provider: 'local',
        options: {
          detailedView: true,
          // The index is made from the Markdown, as in the test. The HTML is not needed for it.
          _render: () => '',
          miniSearch: { _splitIntoSections: (path) => searchedSections(path) as never },
        },
      },
      sidebar: sidebars(listGroups(root)),
    },
  })
}

function kindOf(path: string): FileKind {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && (found.isDirectory() ? 'folder' : 'file')
}

/** Gives the search box of VitePress our order of results. */
const useSiteSearch = (): Plugin => ({
  name: 'use-site-search',
  enforce: 'pre',
  resolveId: (id, importer = '') =>
    id === 'minisearch' && importer.includes('VPLocalSearchBox') ? join(import.meta.dirname, 'search-client.ts') : null,
})

/** Removes two style attributes of VitePress, which the content security policy forbids. style.css has their effect. */
const removeStyleAttributes = (html: string): string => html.replaceAll(/ style="(?:position:relative|--vp-vh:0px);"/g, '')

/** Templates of automations contain `{{ … }}`, which Vue would evaluate. */
function escapeBraces({ renderer: { rules } }: MarkdownRenderer): void {
  for (const name of ['text', 'code_inline']) {
    const render = rules[name]
    rules[name] = (...given) => (render?.(...given) ?? '').replaceAll('{{', '&#123;&#123;')
  }
}

/** Shows the file name of a block such as ```` ```python file=hello.py ````. */
function showFileNames(md: MarkdownRenderer): void {
  const render = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const file = /\bfile=([\w./-]+)/.exec(tokens[index]?.info ?? '')?.[1]
    const html = render?.(tokens, index, ...rest) ?? ''
    return file === undefined ? html : html.replace(/<span class="lang">[^<]*</, `<span class="lang">${file}<`)
  }
}

/** Replaces the style attributes of aligned columns, which the content security policy forbids. */
function alignByClass(md: MarkdownRenderer): void {
  md.core.ruler.push('align-by-class', ({ tokens }) => {
    for (const token of tokens) {
      const alignment = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '')?.[1]
      if (alignment === undefined) continue
      token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null
      token.attrJoin('class', `align-${alignment}`)
    }
  })
}

/** A wide table scrolls on its own, not the page. */
function wrapTables(md: MarkdownRenderer): void {
  md.renderer.rules.table_open = () => '<div class="table-scroll" tabindex="0"><table>\n'
  md.renderer.rules.table_close = () => '</table></div>\n'
}
