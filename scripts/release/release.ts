/**
 * Makes a release: `npm run release -- X.Y.Z [--out DIR] [--run-tests] [--dry-run]`. Sets the version everywhere, dates the changelog, builds the
 * tarball, its SBOM and checksums, commits and tags. Pushes and publishes nothing. If a step fails, the tree is as before.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { repositoryRoot } from '../repository.ts'
import { type BuiltPackage, buildPackage } from './package.ts'
import { nodePackages } from './package-manifest.ts'
import { sbom } from './package-sbom.ts'
import { sbomProblems } from './package-sbom-check.ts'
import { releaseChanges } from './release-changes.ts'
import { git, type ReleasePlan, releaseProblems } from './release-problems.ts'

export interface ReleaseSteps {
  /** Updates generated files after the version changed. */
  generate(root: string): void
  build(out: string): Promise<BuiltPackage>
}

export interface ReleaseOptions extends ReleasePlan {
  /** `2026-01-31` */
  readonly date: string
  /** Writes the files and leaves the tree as it was. */
  readonly isDryRun: boolean
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal
}

export const releaseSteps: ReleaseSteps = {
  // In a process of its own: this one has loaded the old version.
  generate: (root) => void execFileSync(process.execPath, [join(root, 'scripts/generate.ts')], { stdio: 'inherit' }),
  build: buildPackage,
}

/** Returns the paths of the files of the release. */
export async function release({ root, version, out, date, isDryRun, signal }: ReleaseOptions, steps: ReleaseSteps = releaseSteps): Promise<string[]> {
  const before = git(root, 'rev-parse', 'HEAD')
  const workshop = mkdtempSync(join(tmpdir(), 'millrace-release-'))
  let changed: string[] = []
  let isDone = false
  try {
    const changes = releaseChanges(root, version, date)
    changed = Object.keys(changes)
    for (const [path, text] of Object.entries(changes)) writeFileSync(join(root, path), text)
    steps.generate(root)
    // The tree was clean before, so that these are the changes of the release.
    changed = git(root, 'diff', '--name-only').split('\n')
    const built = await steps.build(workshop)
    signal?.throwIfAborted()
    writeSbom(root, built, version, date)
    writeChecksums(workshop)
    // Before the commit: a folder that cannot be written must not leave a tag behind.
    mkdirSync(out, { recursive: true })
    cpSync(workshop, out, { recursive: true })
    if (!isDryRun) {
      git(root, 'commit', '--quiet', '--message', `release: ${version}`, '--', ...changed)
      git(root, 'tag', '--annotate', `v${version}`, '--message', `Millrace ${version}`)
      isDone = true
    }
    return readdirSync(out)
      .sort()
      .map((name) => join(out, name))
  } catch (error) {
    rmSync(out, { recursive: true, force: true })
    throw error
  } finally {
    if (!isDone) {
      if (git(root, 'rev-parse', 'HEAD') !== before) git(root, 'reset', '--soft', before)
      git(root, 'restore', `--source=${before}`, '--staged', '--worktree', '--', ...changed)
    }
    rmSync(workshop, { recursive: true, force: true })
  }
}

function writeSbom(root: string, { tarball, sha256, components }: BuiltPackage, version: string, date: string): void {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const integrities = Object.fromEntries(Object.entries<{ integrity?: string }>(lock.packages).map(([path, { integrity }]) => [path, integrity]))
  const content = sbom({ version, sha256, timestamp: `${date}T00:00:00Z`, components, optionalDependencies: nodePackages(root), integrities })
  const problems = sbomProblems(content)
  if (problems.length > 0) throw new Error(`The SBOM is not valid:\n${problems.join('\n')}`)
  writeFileSync(tarball.replace(/\.tgz$/, '.cdx.json'), `${JSON.stringify(content, null, 2)}\n`)
}

/** `sha256sum --check SHA256SUMS` verifies the files. */
function writeChecksums(folder: string): void {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''))
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { out: { type: 'string' }, 'dry-run': { type: 'boolean', default: false }, 'run-tests': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [version] = positionals
  if (version === undefined || positionals.length > 1) {
    console.error('Missing argument: VERSION. Usage: npm run release -- X.Y.Z [--out DIR] [--run-tests] [--dry-run]')
    process.exit(2)
  }
  const plan = { root: repositoryRoot, version, out: resolve(values.out ?? join(repositoryRoot, 'dist', version)) }
  if (values['run-tests']) execFileSync(join(repositoryRoot, '.ci/run'), { stdio: 'inherit' })
  const isDryRun = values['dry-run']
  const problems = releaseProblems(plan, isDryRun)
  if (problems.length > 0) {
    console.error(`Cannot release ${version}:\n${problems.map((problem) => `- ${problem}`).join('\n')}`)
    process.exit(1)
  }
  // Without a listener the signal would end this process before it has restored the tree.
  const interrupt = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => interrupt.abort(new Error(`Interrupted by ${name}. The tree is as before.`)))
  const files = await release({ ...plan, date: new Date().toISOString().slice(0, 10), isDryRun, signal: interrupt.signal }).catch(async (error) => {
    // The programs that the build starts fail on the same signal, which this process receives a moment later.
    await wait(50)
    console.error(interrupt.signal.aborted ? interrupt.signal.reason.message : error)
    process.exit(1)
  })
  console.log(files.map((file) => relative(process.cwd(), file)).join('\n'))
  if (isDryRun) console.log('Nothing was committed.')
  else console.log(`\nPublish with:\n  git push origin main v${version}\n  npm publish ${files.find((file) => basename(file).endsWith('.tgz'))}`)
}
