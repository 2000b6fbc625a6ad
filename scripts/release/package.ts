/** Builds the npm package: `npm run package -- --out DIR` writes `millrace-X.Y.Z.tgz` into DIR. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { stop } from 'esbuild'
import { buildClient } from '../build-client.ts'
import { builtDashboard, dashboardFiles } from '../build-dashboard.ts'
import { buildPrograms } from '../build-programs.ts'
import { builtSite, siteFiles } from '../build-site.ts'
import { repositoryRoot as root } from '../repository.ts'
import { type Component, findComponents, noticesPage } from './package-components.ts'
import { packageManifest } from './package-manifest.ts'
import { writeClientTypes } from './package-types.ts'

export interface BuiltPackage {
  /** Path of the tarball. */
  readonly tarball: string
  readonly sha256: string
  readonly tarballBytes: number
  readonly unpackedBytes: number
  readonly fileCount: number
  readonly components: readonly Component[]
}

export interface PackageOptions {
  /** Folder of a documentation site, instead of the built one. The tests take a small one, because the build takes 20 seconds. */
  readonly site?: string
}

/** Writes the tarball into a folder. Two builds of one commit give the same bytes. */
export async function buildPackage(out: string, options: PackageOptions = {}): Promise<BuiltPackage> {
  const staging = mkdtempSync(join(tmpdir(), 'millrace-package-'))
  try {
    const files = await writeFiles(staging, options)
    const components = findComponents(root, files)
    writeFileSync(join(staging, 'THIRD-PARTY-LICENSES.md'), noticesPage(components))
    setModes(staging)
    mkdirSync(out, { recursive: true })
    return { ...pack(staging, out), components }
  } finally {
    rmSync(staging, { recursive: true, force: true })
    // esbuild's service process would otherwise stay as long as this one.
    await stop()
  }
}

/** Returns the source files of all bundles, from the root. */
async function writeFiles(staging: string, { site }: PackageOptions): Promise<string[]> {
  const dist = join(staging, 'dist')
  const programs = await buildPrograms(dist)
  // The server looks for the dashboard and the documentation beside its bundle.
  const dashboard = builtDashboard()
  cpSync(dashboard, join(dist, 'dashboard'), { recursive: true, filter: (path) => !path.endsWith('.list') })
  cpSync(site ?? builtSite(), join(dist, 'help'), { recursive: true, filter: (path) => !path.endsWith('.list') })
  const client = await buildClient(join(staging, 'client', 'index.js'))
  await writeClientTypes(join(staging, 'client'))
  cpSync(join(root, 'packages/millrace/bin'), join(staging, 'bin'), { recursive: true })
  cpSync(join(root, 'packages/millrace/README.md'), join(staging, 'README.md'))
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(staging, name))
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(packageManifest(root), null, 2)}\n`)
  return [...programs, ...dashboardFiles(), ...(site === undefined ? siteFiles() : []), ...client]
}

/** The tarball keeps modes, which otherwise depend on the umask. */
function setModes(staging: string): void {
  for (const entry of readdirSync(staging, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() || entry.name === 'millrace.mjs' ? 0o755 : 0o644)
  }
}

function pack(staging: string, out: string): Omit<BuiltPackage, 'components'> {
  const [report] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(out)], staging))
  const tarball = join(resolve(out), report.filename)
  return {
    tarball,
    sha256: createHash('sha256').update(readFileSync(tarball)).digest('hex'),
    tarballBytes: statSync(tarball).size,
    unpackedBytes: report.unpackedSize,
    fileCount: report.entryCount,
  }
}

function npm(args: readonly string[], cwd: string): string {
  const script = process.env.npm_execpath
  const [program, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []]
  return execFileSync(program, [...first, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string' } } })
  if (values.out === undefined) {
    console.error('Missing option: --out DIR. Usage: npm run package -- --out DIR')
    process.exit(2)
  }
  const built = await buildPackage(values.out)
  console.log(built.tarball)
  console.log(
    `${megabytes(built.tarballBytes)}, unpacked ${megabytes(built.unpackedBytes)}, ${built.fileCount} files, ${built.components.length} packages inside`,
  )
  console.log(`sha256 ${built.sha256}  ${basename(built.tarball)}`)
}
