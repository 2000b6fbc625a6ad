/** Texts of the files that carry the version, for a new version. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const versionFile = 'packages/server/src/version.ts'
const changelogFile = 'CHANGELOG.md'
const lockFile = 'package-lock.json'

/** New texts by path. Generated files follow from them. */
export function releaseChanges(root: string, version: string, date: string): Record<string, string> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const manifests = manifestPaths(root).map((path) => [path, stringify(withVersion(JSON.parse(read(path)), version))])
  const lock = JSON.parse(read(lockFile))
  lock.version = version
  for (const path of ['', ...Object.keys(lock.packages)]) {
    if (path === '' || path.startsWith('packages/')) withVersion(lock.packages[path], version)
  }
  return {
    ...Object.fromEntries(manifests),
    [lockFile]: stringify(lock),
    [versionFile]: replaceOnce(read(versionFile), /(?<=export const version = ')[^']+/, version, versionFile),
    [changelogFile]: releaseChangelog(read(changelogFile), version, date),
  }
}

export const manifestPaths = (root: string): string[] => [
  'package.json',
  ...readdirSync(join(root, 'packages'))
    .sort()
    .map((name) => `packages/${name}/package.json`),
]

interface Manifest {
  version: string
  dependencies?: Record<string, string>
}

/** Sets the version of a workspace and of the workspaces that it depends on. */
function withVersion(manifest: Manifest, version: string): Manifest {
  manifest.version = version
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (name.startsWith('@millrace/')) (manifest.dependencies as Record<string, string>)[name] = version
  }
  return manifest
}

const stringify = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

function replaceOnce(text: string, pattern: RegExp, replacement: string, path: string): string {
  if (!pattern.test(text)) throw new Error(`${path} does not match ${pattern}`)
  return text.replace(pattern, replacement)
}

/** Turns the section "Unreleased" into that of the version, below a new empty one. */
export const releaseChangelog = (text: string, version: string, date: string): string =>
  replaceOnce(text, /^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${date}`, changelogFile)

/** The text between the heading of a section and the next one, or undefined if the section does not exist. */
export function changelogSection(text: string, heading: string): string | undefined {
  const sections = text.split(/^## /m).slice(1)
  return sections.find((section) => section.split('\n')[0]?.split(' - ')[0] === heading)?.replace(/^.*\n/, '')
}
