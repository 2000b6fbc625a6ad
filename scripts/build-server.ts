import { cpSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, stop } from 'esbuild'
import { swaggerUiFiles } from '../packages/server/src/http/api-reference.ts'
import { newestMtimeMs } from './newest-mtime.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'packages/server/dist')
const bundle = join(dist, 'server.mjs')
const source = join(root, 'packages/server/src')
const inputs = ['packages/server/src', 'packages/contracts/src', 'package-lock.json', 'scripts/build-server.ts'].map((path) => join(root, path))

/**
 * The server as one file, which starts in less than half the time of its sources and takes a quarter less memory (ADR 0004). Built when it is
 * missing or older than any of them; the address to import it from.
 */
export async function builtServer(): Promise<string> {
  if (!existsSync(bundle) || newestMtimeMs(inputs) > statSync(bundle).mtimeMs) await buildServer()
  return pathToFileURL(bundle).href
}

async function buildServer(): Promise<void> {
  mkdirSync(dist, { recursive: true })
  // Read when the server runs, from beside the bundle.
  for (const dialect of ['sqlite', 'postgres']) copyFolder(join('storage', dialect, 'migrations'), join(dialect, 'migrations'))
  copyApiReference()
  // The thread that checks schemas has an entry of its own beside the bundle: see schemas/schema-thread.ts. The bundle itself comes last, since its
  // date says whether all is up to date.
  await buildEntry(join(source, 'schemas', 'schema-worker.ts'), join(dist, 'schema-worker.mjs'))
  await buildEntry(join(source, 'main.ts'), bundle)
  // It would live on beside the server otherwise.
  await stop()
}

async function buildEntry(entry: string, outfile: string): Promise<void> {
  // Under another name first: of two that start at once, one would load what the other is writing.
  const made = `${outfile}.${process.pid}`
  await build({
    entryPoints: [entry],
    outfile: made,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Names stay, so that stack traces and profiles can be read.
    minifySyntax: true,
    legalComments: 'none',
    // An optional native driver of pg that we do not use.
    external: ['pg-native'],
    // Packages written for CommonJS ask for modules of Node by `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  })
  renameSync(made, outfile)
}

/** The page of `/docs` with the files of Swagger UI that it loads, and their licence. */
function copyApiReference(): void {
  copyFolder(join('http', 'api-reference'), 'api-reference')
  for (const name of [...swaggerUiFiles, 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE']) {
    cpSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), join(dist, 'api-reference', name))
  }
}

const copyFolder = (from: string, to: string): void => cpSync(join(source, from), join(dist, to), { recursive: true })

if (import.meta.main) console.log(await builtServer())
