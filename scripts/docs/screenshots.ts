/**
 * Takes a screenshot of each dashboard page, light and dark, wide and phone: `node scripts/docs/screenshots.ts [--into FOLDER] [PAGE…]`. The folder is
 * `.cache/screenshots` by default; the pictures of the documentation are committed in docs/images.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { closePage, newPage, viewports, visitAndSettle } from '../../packages/dashboard/test/browser.ts'
import { openSeededServer } from '../../packages/dashboard/test/open-server.ts'
import { listPages } from '../../packages/dashboard/test/pages.ts'
import { repositoryRoot } from '../repository.ts'

const { values: options, positionals: wanted } = parseArgs({ options: { into: { type: 'string' } }, allowPositionals: true })
const target = options.into ?? join(repositoryRoot, '.cache/screenshots')
const { browser, address, seed, close } = await openSeededServer()

mkdirSync(target, { recursive: true })
try {
  for (const size of Object.keys(viewports) as (keyof typeof viewports)[]) {
    for (const theme of ['light', 'dark'] as const) {
      const page = await newPage(browser, address, { theme, size })
      for (const [name, { path }] of Object.entries(listPages(seed))) {
        if (wanted.length > 0 && !wanted.includes(name)) continue
        await visitAndSettle(page, path)
        await page.screenshot({ path: join(target, `${name}-${size}-${theme}.png`) })
      }
      for (const error of page.consoleErrors) console.error(error)
      await closePage(page)
    }
  }
} finally {
  await close()
}
