import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { newestMtimeMs } from './newest-mtime.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dashboard = join(root, 'packages/dashboard')
const dist = join(dashboard, 'dist')
const inputs = ['packages/contracts/src', 'package-lock.json', 'scripts/build-dashboard.ts'].map((path) => join(root, path))
const dashboardInputs = ['src', 'public', 'index.html', 'vite.config.ts'].map((path) => join(dashboard, path))

/** The dashboard as files for a browser, built when they are missing or older than their sources; the folder they are in. */
export function builtDashboard(): string {
  const index = join(dist, 'index.html')
  if (!existsSync(index) || newestMtimeMs([...inputs, ...dashboardInputs]) > statSync(index).mtimeMs) {
    // In a process of its own: the server that starts next would keep half a gigabyte of the builder's memory.
    execFileSync(process.execPath, [import.meta.filename, '--build'], { stdio: ['ignore', 'inherit', 'inherit'] })
  }
  return dist
}

/** Elsewhere first: a server that runs meanwhile never meets half of it. Of two that build at once, the last to be ready is kept. */
async function buildDashboard(): Promise<void> {
  // Whoever asks: under the word that tests run by, React would be the one for developing, which draws everything twice.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const workshop = mkdtempSync(join(cache, 'dashboard-'))
  try {
    const made = join(workshop, 'dist')
    await build({ configFile: join(dashboard, 'vite.config.ts'), logLevel: 'error', build: { outDir: made, emptyOutDir: true } })
    compress(made)
    if (existsSync(dist)) renameSync(dist, join(workshop, 'old'))
    renameSync(made, dist)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

const compressBytesMin = 1024

/** Once here, at the highest level, so that the server has nothing to compress. */
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
