import { execFileSync } from 'node:child_process'
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of this repository. */
export const repositoryRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

const skippedFolders = new Set(['node_modules', 'dist', 'coverage'])

/** Sorted paths, from the root, of all TypeScript files in `src` and `test` of the packages and in scripts. */
export function listSourceFiles(root: string): string[] {
  const packages = existsSync(join(root, 'packages')) ? readdirSync(join(root, 'packages')) : []
  const folders = [...packages.flatMap((name) => [`packages/${name}/src`, `packages/${name}/test`]), 'scripts']
  return folders.flatMap((folder) => listFilesBelow(root, folder)).filter((path) => /\.tsx?$/.test(path))
}

function listFilesBelow(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1)
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort(byName)
    .flatMap((entry) => {
      if (skippedFolders.has(entry.name) || entry.name.startsWith('.')) return []
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? listFilesBelow(root, path) : [path]
    })
}

export const readSource = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

/** Tests and test helpers. Most house rules hold for production code only. */
export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || /^packages\/[^/]+\/test\//.test(path)

/** Source files that git tracks and `listSourceFiles` does not find: a check would pass on a file that it never reads. */
export function listUnscannedFiles(root: string): string[] {
  const seen = new Set(listSourceFiles(root))
  return listTrackedFiles(root).filter((path) => /^(packages\/[^/]+\/(src|test)|scripts)\/.*\.tsx?$/.test(path) && !seen.has(path))
}

/** All files that git tracks or would add. */
export function listTrackedFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}
