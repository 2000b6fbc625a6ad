import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { listTrackedFiles, repositoryRoot } from '../repository.ts'
import { sbomProblems } from './package-sbom-check.ts'
import { type ReleaseSteps, release } from './release.ts'
import { changelogSection, manifestPaths, releaseChangelog } from './release-changes.ts'
import { compareVersions, git, releaseProblems } from './release-problems.ts'

/** A copy of this repository with one commit on main. */
const folder = mkdtempSync(join(tmpdir(), 'millrace-release-'))
const root = join(folder, 'repository')
const out = join(folder, 'out')

for (const path of listTrackedFiles(repositoryRoot)) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  cpSync(join(repositoryRoot, path), join(root, path))
}
execFileSync('git', ['init', '--quiet', '--initial-branch=main', root])
for (const [key, value] of [
  ['user.name', 'Tester'],
  ['user.email', 'tester@example.com'],
  ['commit.gpgsign', 'false'],
]) {
  git(root, 'config', key as string, value as string)
}
writeFileSync(join(root, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n### Added\n\n- One thing.\n\n## 0.1.0 - 2026-01-01\n\n- First.\n')
git(root, 'add', '--all')
git(root, 'commit', '--quiet', '--message', 'first')
const first = git(root, 'rev-parse', 'HEAD')
const current = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version as string
const next = `${Number(current.split('.')[0]) + 1}.0.0`
const testFiles = listTrackedFiles(root).filter((path) => path.endsWith('.test.ts'))

afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(() => {
  git(root, 'reset', '--hard', '--quiet', first)
  git(root, 'clean', '-fdq')
  git(root, 'checkout', '--quiet', 'main')
  if (git(root, 'tag') !== '') git(root, 'tag', '--delete', ...git(root, 'tag').split('\n'))
  rmSync(out, { recursive: true, force: true })
  writeResults()
})

function writeResults({ files = testFiles, failed = 0, checksPass = true } = {}): void {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const testResults = files.map((name) => ({ name: join(root, name), status: 'passed', assertionResults: [{}] }))
  const results = { success: failed === 0, numPassedTests: files.length, numFailedTests: failed, testResults }
  writeFileSync(join(root, '.cache/test-results.json'), JSON.stringify(results))
  writeFileSync(join(root, '.cache/check-results.json'), JSON.stringify([{ name: 'style', passed: checksPass }]))
}

const component = { name: '@scope/part', version: '1.2.3', license: 'MIT', folder: 'node_modules/typebox', texts: ['MIT'] }

/** Writes a file in place of the tarball, with the version that the sources have at that moment. */
const steps: ReleaseSteps = {
  generate: (folder) => writeFileSync(join(folder, 'docs/errors.md'), 'generated\n'),
  build: async (folder) => {
    const version = /version = '([^']+)'/.exec(readFileSync(join(root, 'packages/server/src/version.ts'), 'utf8'))?.[1]
    const tarball = join(folder, `millrace-${version}.tgz`)
    writeFileSync(tarball, 'tarball')
    const sha256 = createHash('sha256').update('tarball').digest('hex')
    return { tarball, sha256, tarballBytes: 7, unpackedBytes: 7, fileCount: 1, components: [component] }
  },
}

const options = { root, version: next, out, date: '2026-02-03', isDryRun: false }

const state = () => ({ head: git(root, 'rev-parse', 'HEAD'), status: git(root, 'status', '--porcelain'), tags: git(root, 'tag') })
const untouched = { head: first, status: '', tags: '' }

test('sets all versions, dates the changelog, commits and tags', async () => {
  await release(options, steps)
  expect(state()).toEqual({ head: expect.not.stringMatching(first), status: '', tags: `v${next}` })
  expect(git(root, 'log', '-1', '--format=%s')).toBe(`release: ${next}`)
  expect(git(root, 'rev-parse', `v${next}^{commit}`)).toBe(git(root, 'rev-parse', 'HEAD'))
  for (const path of manifestPaths(root)) {
    const { version, dependencies = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'))
    const own = Object.entries(dependencies).filter(([name]) => name.startsWith('@millrace/'))
    expect({ path, version, own: own.filter(([, wanted]) => wanted !== next) }).toEqual({ path, version: next, own: [] })
  }
  expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(new RegExp(`"@millrace/\\w+": "(?!${next})\\d`))
  expect(readFileSync(join(root, 'packages/server/src/version.ts'), 'utf8')).toContain(`export const version = '${next}'`)
  expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`## Unreleased\n\n## ${next} - 2026-02-03\n\n### Added\n\n- One thing.\n`)
  expect(readFileSync(join(root, 'docs/errors.md'), 'utf8')).toBe('generated\n')
})

test('writes the tarball, its SBOM and checksums', async () => {
  const files = await release(options, steps)
  expect(files.map((file) => file.slice(out.length + 1))).toEqual(['SHA256SUMS', `millrace-${next}.cdx.json`, `millrace-${next}.tgz`])
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8').split('\n')
  const sumOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex')
  expect(sums).toEqual([...[`millrace-${next}.cdx.json`, `millrace-${next}.tgz`].map((name) => `${sumOf(name)}  ${name}`), ''])
  const bom = JSON.parse(readFileSync(join(out, `millrace-${next}.cdx.json`), 'utf8'))
  expect(sbomProblems(bom)).toEqual([])
  expect(bom.metadata.component).toMatchObject({ name: 'millrace', version: next, purl: `pkg:npm/millrace@${next}` })
  expect(bom.components[0]).toMatchObject({ group: '@scope', name: 'part', purl: 'pkg:npm/%40scope/part@1.2.3', hashes: [{ alg: 'SHA-512' }] })
})

test('leaves the tree as it was after a dry run', async () => {
  await release({ ...options, isDryRun: true }, steps)
  expect(state()).toEqual(untouched)
  expect(readdirSync(out)).toContain(`millrace-${next}.tgz`)
})

test('leaves the tree as it was when a step fails', async () => {
  const failure = new Error('no')
  const failing: [string, ReleaseSteps][] = [
    ['generate', { ...steps, generate: () => throwing(failure) }],
    ['build', { ...steps, build: async () => throwing(failure) }],
  ]
  for (const [, broken] of failing) {
    await expect(release(options, broken)).rejects.toBe(failure)
    expect(state()).toEqual(untouched)
  }
  expect(readdirSync(folder)).toEqual(['repository'])
})

test('leaves the tree as it was when the tag or the folder cannot be written', async () => {
  git(root, 'tag', `v${next}`)
  await expect(release(options, steps)).rejects.toThrow('already exists')
  expect(state()).toEqual({ ...untouched, tags: `v${next}` })
  git(root, 'tag', '--delete', `v${next}`)
  await expect(release({ ...options, out: join(root, 'LICENSE', 'out') }, steps)).rejects.toThrow('ENOTDIR')
  expect(state()).toEqual(untouched)
})

test('leaves the tree as it was when it is interrupted', async () => {
  const interrupt = new AbortController()
  const build: ReleaseSteps['build'] = (folder) => {
    interrupt.abort(new Error('Interrupted'))
    return steps.build(folder)
  }
  await expect(release({ ...options, signal: interrupt.signal }, { ...steps, build })).rejects.toThrow('Interrupted')
  expect(state()).toEqual(untouched)
})

function throwing(error: Error): never {
  throw error
}

test('finds no problem in a clean tree with results of all tests', () => {
  expect(releaseProblems({ root, version: next, out })).toEqual([])
})

test('lists everything that is missing at once', () => {
  git(root, 'checkout', '--quiet', '-b', 'side')
  git(root, 'tag', 'v0.0.1')
  writeFileSync(join(root, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 0.0.1 - 2025-01-01\n')
  rmSync(join(root, '.cache/check-results.json'))
  mkdirSync(out)
  writeFileSync(join(out, 'file'), '')
  expect(releaseProblems({ root, version: '0.0.1', out })).toEqual([
    expect.stringMatching(/^Version 0\.0\.1 is not greater than the present one/),
    expect.stringMatching(/^1 uncommitted changes, such as CHANGELOG\.md/),
    'The tag v0.0.1 exists already.',
    'CHANGELOG.md has no entries under "## Unreleased". Describe the changes.',
    'CHANGELOG.md has a section 0.0.1 already.',
    expect.stringContaining(`The folder ${out} is not empty.`),
    'The branch is side. Check out main.',
    expect.stringMatching(/^The tests and checks of this commit have not run\./),
  ])
  git(root, 'checkout', '--quiet', '--force', 'main')
  git(root, 'branch', '--quiet', '--delete', '--force', 'side')
})

test('rejects a version that is not three numbers', () => {
  for (const version of ['1.2', 'v1.2.3', '1.2.3-rc.1', '']) {
    expect(releaseProblems({ root, version, out }, true)).toEqual([`"${version}" is not a version. Use three numbers, such as 1.2.3.`])
  }
})

test('asks for results of all tests of this commit', () => {
  const problems = () => releaseProblems({ root, version: next, out })
  writeResults({ files: testFiles.slice(1) })
  expect(problems()).toEqual([expect.stringMatching(/^1 test files have not run, such as /)])
  writeResults({ failed: 2 })
  expect(problems()).toEqual([expect.stringMatching(/^2 tests or checks failed/)])
  writeResults({ checksPass: false })
  expect(problems()).toEqual([expect.stringMatching(/^1 tests or checks failed/)])
  writeResults()
  utimesSync(join(root, '.cache/test-results.json'), 1, 1)
  expect(problems()).toEqual([expect.stringMatching(/^The tests and checks of this commit have not run/)])
  // A reset to the same commit changes nothing.
  writeResults()
  execFileSync('git', ['reset', '--soft', 'HEAD'], { cwd: root, env: { ...process.env, GIT_COMMITTER_DATE: '2090-01-01T00:00:00Z' } })
  expect(problems()).toEqual([])
  utimesSync(join(root, '.cache/test-results.json'), 1, 1)
  // A dry run needs no tests.
  expect(releaseProblems({ root, version: next, out }, true)).toEqual([])
})

test('reports workspaces with another version', () => {
  const path = join(root, 'packages/cli/package.json')
  writeFileSync(path, readFileSync(path, 'utf8').replace(`"version": "${current}"`, '"version": "0.0.7"'))
  expect(releaseProblems({ root, version: next, out })).toContain(`packages/cli/package.json has version 0.0.7 instead of ${current}.`)
})

test('orders versions by number', () => {
  expect(['1.10.0', '1.9.9', '0.2.0', '10.0.0'].sort(compareVersions)).toEqual(['0.2.0', '1.9.9', '1.10.0', '10.0.0'])
})

test('opens a new section above the released one', () => {
  const text = releaseChangelog('# Changelog\n\n## Unreleased\n\n- a\n', '1.0.0', '2026-02-03')
  expect(text).toBe('# Changelog\n\n## Unreleased\n\n## 1.0.0 - 2026-02-03\n\n- a\n')
  expect(changelogSection(text, 'Unreleased')).toBe('\n')
  expect(changelogSection(text, '1.0.0')).toBe('\n- a\n')
  expect(changelogSection(text, '2.0.0')).toBeUndefined()
})
