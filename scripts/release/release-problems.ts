/** Everything that prevents a release, as a list. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { summarise } from '../checks/ci-summary.ts'
import { listTrackedFiles } from '../repository.ts'
import { changelogSection, manifestPaths } from './release-changes.ts'

export interface ReleasePlan {
  readonly root: string
  readonly version: string
  /** Folder for the files of the release. */
  readonly out: string
}

/** A dry run commits nothing, so that it can be made on any branch and before the tests. */
export function releaseProblems(plan: ReleasePlan, isDryRun = false): string[] {
  const always = [...versionProblems(plan), ...treeProblems(plan), ...changelogProblems(plan), ...outProblems(plan)]
  return isDryRun ? always : [...always, ...branchProblems(plan.root), ...testProblems(plan.root)]
}

function versionProblems({ root, version }: ReleasePlan): string[] {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`"${version}" is not a version. Use three numbers, such as 1.2.3.`]
  const versions = manifestPaths(root).map((path) => ({ path, found: JSON.parse(readFileSync(join(root, path), 'utf8')).version as string }))
  const current = versions[0]?.found as string
  return [
    ...(compareVersions(version, current) > 0 ? [] : [`Version ${version} is not greater than the present one, ${current}.`]),
    ...versions.filter(({ found }) => found !== current).map(({ path, found }) => `${path} has version ${found} instead of ${current}.`),
  ]
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)]
  return [0, 1, 2].map((part) => (left[part] ?? 0) - (right[part] ?? 0)).find((difference) => difference !== 0) ?? 0
}

function treeProblems({ root, version }: ReleasePlan): string[] {
  const changed = git(root, 'status', '--porcelain').split('\n').filter(Boolean)
  return [
    ...(changed.length === 0 ? [] : [`${changed.length} uncommitted changes, such as ${changed[0]?.slice(3)}. Commit or remove them.`]),
    ...(git(root, 'tag', '--list', `v${version}`) === '' ? [] : [`The tag v${version} exists already.`]),
  ]
}

function branchProblems(root: string): string[] {
  const branch = git(root, 'branch', '--show-current')
  return branch === 'main' ? [] : [`The branch is ${branch || 'none'}. Check out main.`]
}

function changelogProblems({ root, version }: ReleasePlan): string[] {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const unreleased = changelogSection(text, 'Unreleased')
  return [
    ...(unreleased !== undefined && /^- \S/m.test(unreleased) ? [] : ['CHANGELOG.md has no entries under "## Unreleased". Describe the changes.']),
    ...(changelogSection(text, version) === undefined ? [] : [`CHANGELOG.md has a section ${version} already.`]),
  ]
}

function outProblems({ out }: ReleasePlan): string[] {
  return existsSync(out) && readdirSync(out).length > 0 ? [`The folder ${out} is not empty. Remove it, or name another one with --out.`] : []
}

/** Results of all tests and checks have to exist, to be newer than the commit in the work tree, and to be without failures. */
function testProblems(root: string): string[] {
  const advice = 'Run .ci/run, or add --run-tests.'
  const since = checkedOutAtMs(root)
  const [tests, checks] = ['test-results.json', 'check-results.json'].map((name) => readFresh(join(root, '.cache', name), since))
  if (!tests || !checks) return [`The tests and checks of this commit have not run. ${advice}`]
  const ran = new Set<string>(tests.testResults.map(({ name }: { name: string }) => name))
  const missed = listTrackedFiles(root).filter((path) => path.endsWith('.test.ts') && !ran.has(join(root, path)))
  if (missed.length > 0) return [`${missed.length} test files have not run, such as ${missed[0]}. ${advice}`]
  const { failed } = summarise(tests, checks)
  return failed > 0 ? [`${failed} tests or checks failed. Correct them, and run .ci/run again.`] : []
}

// biome-ignore lint/suspicious/noExplicitAny: the results of two programs
function readFresh(path: string, sinceMs: number): any {
  if (!existsSync(path) || statSync(path).mtimeMs < sinceMs) return undefined
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** When the present commit was checked out or made. Later entries of the reflog that name the same commit are resets to it. */
function checkedOutAtMs(root: string): number {
  const moves = git(root, 'reflog', '--date=unix', '--format=%H %gd', 'HEAD').split('\n')
  const commit = moves[0]?.split(' ')[0] as string
  const others = moves.findIndex((move) => !move.startsWith(commit))
  const first = moves.at(others === -1 ? -1 : others - 1) ?? ''
  return Number(/@\{(\d+)\}/.exec(first)?.[1] ?? git(root, 'log', '-1', '--format=%ct')) * 1000
}

export const git = (root: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd()
