/**
 * The documentation site, for `npm run docs`: builds it when a source changed. `npm run docs -- --dev` serves it at port 4400 instead, and shows
 * each change at once.
 */
import { watch } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serveSite } from '../../packages/site/src/run-vitepress.ts'
import { stageSite } from '../../packages/site/src/stage-site.ts'
import { builtSite } from '../build-site.ts'
import { repositoryRoot as root } from '../repository.ts'

const devPort = 4400

async function serveForWriters(): Promise<void> {
  const folder = join(root, '.cache/site-dev/pages')
  const stage = () => stageSite(root, folder)
  for (const path of ['docs', 'deploy']) watch(join(root, path), { recursive: true }, stage)
  for (const path of ['ARCHITECTURE.md', 'HACKING.md', 'CHANGELOG.md']) watch(join(root, path), stage)
  await serveSite(root, folder, devPort)
}

const { values } = parseArgs({ options: { dev: { type: 'boolean', default: false } } })
if (values.dev) await serveForWriters()
else {
  try {
    console.log(builtSite())
  } catch {
    // The build has printed its error.
    process.exitCode = 1
  }
}
