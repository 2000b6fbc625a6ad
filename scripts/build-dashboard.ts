import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { BundledFiles, bundledFilesList, readBundledFiles } from './bundled-files.ts'
import { newestMtimeMs } from './newest-mtime.ts'
import { repositoryRoot } from './repository.ts'

const dashboard = join(repositoryRoot, 'packages/dashboard')
const dist = join(dashboard, 'dist')
const inputs = ['packages/client/src', 'packages/contracts/src', 'package-lock.json', 'scripts/build-dashboard.ts', 'scripts/bundled-files.ts'].map(
  (path) => join(repositoryRoot, path),
)
const dashboardInputs = ['src', 'public', 'index.html', 'vite.config.ts'].map((path) => join(dashboard, path))

/** Builds the dashboard when its files are missing or older than the sources. Returns the folder of the files. */
export function builtDashboard(): string {
  const index = join(dist, 'index.html')
  if (!existsSync(join(dist, bundledFilesList)) || newestMtimeMs([...inputs, ...dashboardInputs]) > statSync(index).mtimeMs) {
    // In a child process: the server that starts next would keep half a gigabyte of the builder's memory.
    execFileSync(process.execPath, [import.meta.filename, '--build'], { stdio: ['ignore', 'inherit', 'inherit'] })
  }
  return dist
}

/** Builds into a temporary folder first, so that a running server never serves half a build. Of two builds at once the last one stays. */
async function buildDashboard(): Promise<void> {
  // NODE_ENV=test would select React's development build, which renders everything twice.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const cache = join(repositoryRoot, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const workshop = mkdtempSync(join(cache, 'dashboard-'))
  try {
    const made = join(workshop, 'dist')
    const files = new BundledFiles()
    await build({
      configFile: join(dashboard, 'vite.config.ts'),
      logLevel: 'error',
      build: { outDir: made, emptyOutDir: true },
      plugins: [files.plugin],
    })
    compress(made)
    files.write(made)
    if (existsSync(dist)) renameSync(dist, join(workshop, 'old'))
    renameSync(made, dist)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

/** The source files, from the root, of which a built dashboard contains something. */
export const dashboardFiles = (): string[] => [
  ...readBundledFiles(builtDashboard()),
  // Style sheets are not modules of the build.
  'node_modules/tailwindcss/preflight.css',
]

const compressBytesMin = 1024

/** Compresses at the highest level once, so that the server never compresses these files. */
function compress(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (!/\.(?:js|css|svg)$/.test(name) || statSync(path).size < compressBytesMin) continue
    const content = readFileSync(path)
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
  }
}

if (import.meta.main) {
  if (process.argv.includes('--build')) await buildDashboard()
  else console.log(builtDashboard())
}
