import { join } from 'node:path'
import { stagePages, writeIfChanged } from './stage-pages.ts'

/** Writes the pages, and the two files that VitePress reads from their folder. */
export function stageSite(root: string, folder: string): void {
  stagePages(root, folder)
  const own = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  writeIfChanged(
    join(folder, '.vitepress/config.mjs'),
    `import { siteConfig } from ${own('site-config.ts')}
export default siteConfig(${JSON.stringify(root)})
`,
  )
  writeIfChanged(
    join(folder, '.vitepress/theme/index.mjs'),
    `import theme from 'vitepress/theme-without-fonts'
import ${own('style.css')}
export default theme
`,
  )
}
