/**
 * The documentation site, for `npm run docs`: builds it when a source changed. `npm run docs -- --dev` serves it at port 4400 instead, and shows
 * each change at once.
 */
import { watch } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer } from 'vitepress'
import { stageSite } from '../packages/site/src/stage-site.ts'
import { builtSite } from './build-site.ts'
import { repositoryRoot as root } from './repository.ts'

const devPort = 4400

async function serveForWriters(): Promise<void> {
  const folder = join(root, '.cache/site-dev')
  const stage = () => stageSite(root, folder)
  stage()
  for (const path of ['docs', 'deploy']) watch(join(root, path), { recursive: true }, stage)
  for (const path of ['ARCHITECTURE.md', 'HACKING.md', 'CHANGELOG.md']) watch(join(root, path), stage)
  const server = await createServer(folder, { host: '127.0.0.1', port: devPort })
  await server.listen()
  server.printUrls()
}

const { values } = parseArgs({ options: { dev: { type: 'boolean', default: false } } })
if (values.dev) await serveForWriters()
else console.log(builtSite())
