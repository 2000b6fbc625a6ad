import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { buildSite } from '../packages/site/src/run-vitepress.ts'
import { BundledFiles, bundledFilesList, readBundledFiles } from './bundled-files.ts'
import { newestMtimeMs } from './newest-mtime.ts'
import { repositoryRoot as root } from './repository.ts'

const dist = join(root, 'packages/site/dist')
const inputs = [
  'docs',
  'deploy',
  'ARCHITECTURE.md',
  'HACKING.md',
  'CHANGELOG.md',
  'package-lock.json',
  'packages/site/src',
  'scripts/build-site.ts',
  'scripts/bundled-files.ts',
].map((path) => join(root, path))

/** Its date is the start of the build, so that a page that is saved during the build counts as changed. */
const builtMark = join(dist, bundledFilesList)

const isUpToDate = (): boolean => existsSync(builtMark) && newestMtimeMs(inputs) <= statSync(builtMark).mtimeMs

/** Builds the documentation site when it is missing or older than a source. Returns the folder of the files. */
export function builtSite(): string {
  // In a child process, because VitePress needs half a gigabyte.
  if (!isUpToDate()) execFileSync(process.execPath, [import.meta.filename, '--build'], { stdio: ['ignore', 'inherit', 'inherit'] })
  return dist
}

/** Builds the site beside a server that has started. The build ends with the server. */
export function buildSiteInBackground(): void {
  if (isUpToDate()) return
  const child = spawn(process.execPath, [import.meta.filename, '--build', '--background'], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  child.unref()
  child.channel?.unref()
  child.on('exit', (code) => {
    if (code) console.error('Cannot build the documentation; the server runs without it. `npm run docs` shows the error.')
  })
}

/** The source files, from the root, of which a built site contains something. */
export const siteFiles = (): string[] => readBundledFiles(builtSite())

/** Builds into a temporary folder first, so that a running server never serves half a build. Of two builds at once the last one stays. */
async function replaceSite(): Promise<void> {
  process.env.NODE_ENV = 'production'
  const startedAt = new Date()
  const cache = join(root, '.cache')
  mkdirSync(cache, { recursive: true })
  const workshop = mkdtempSync(join(cache, 'site-'))
  process.on('exit', () => rmSync(workshop, { recursive: true, force: true }))
  const pages = join(workshop, 'pages')
  const made = join(workshop, 'dist')
  const files = new BundledFiles()
  await buildSite(root, pages, made, files.plugin)
  // The pages are in the temporary folder.
  files.write(made, (path) => path.startsWith('node_modules/'))
  utimesSync(join(made, bundledFilesList), startedAt, startedAt)
  if (existsSync(dist)) renameSync(dist, join(workshop, 'old'))
  renameSync(made, dist)
}

/** Lets the server go first, and ends when the process that started the build has ended. */
function yieldToServer(): void {
  setPriority(constants.priority.PRIORITY_LOW)
  for (const end of ['disconnect', 'SIGINT', 'SIGTERM']) process.on(end, () => process.exit(0))
  // The channel would keep this process after the build.
  process.channel?.unref()
}

if (import.meta.main && process.argv.includes('--build')) {
  if (process.argv.includes('--background')) yieldToServer()
  await replaceSite()
}
