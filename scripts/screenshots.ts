/** Pictures of every page, light and dark, wide and on a phone, into docs/images. `node scripts/screenshots.ts [PAGE…]` makes only some. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { closePage, newPage, viewports, visitAndSettle } from '../packages/dashboard/test/browser.ts'
import { openSeededServer } from '../packages/dashboard/test/open-server.ts'
import { listPages } from '../packages/dashboard/test/pages.ts'
import { repositoryRoot } from './repository.ts'

const wanted = process.argv.slice(2)
const target = join(repositoryRoot, 'docs/images')
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
      for (const complaint of page.consoleErrors) console.error(complaint)
      await closePage(page)
    }
  }
} finally {
  await close()
}
