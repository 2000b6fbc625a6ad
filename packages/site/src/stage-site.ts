import { join } from 'node:path'
import { stagePages, writeIfChanged } from './stage-pages.ts'

/** The source files of the build, one per line. The server serves no file with this ending. */
export const bundledFilesList = 'bundled-files.list'

/** Writes the pages, and the two files that VitePress reads from their folder. */
export function stageSite(root: string, folder: string): void {
  stagePages(root, folder)
  const own = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  writeIfChanged(
    join(folder, '.vitepress/config.mjs'),
    `import { collectFiles } from ${own('collect-files.ts')}
import { siteConfig } from ${own('site-config.ts')}
export default siteConfig(${JSON.stringify(root)}, [collectFiles(${JSON.stringify(root)}, ${JSON.stringify(join(folder, bundledFilesList))})])
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
