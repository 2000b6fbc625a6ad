import { execFileSync } from 'node:child_process'
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository that these scripts belong to. */
export const repositoryRoot = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

const skippedFolders = new Set(['node_modules', 'dist', 'coverage'])

/** Every TypeScript file in the src and test folders of the packages and below scripts, by its path from the root, in order. */
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

/** Tests, and what only tests use: most house rules are about what ships. */
export const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path) || /^packages\/[^/]+\/test\//.test(path)

/** Source files that git knows of and `sourceFiles` did not find: a check that does not see a file finds it clean. */
export function listUnscannedFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  const seen = new Set(listSourceFiles(root))
  return listed
    .split('\0')
    .filter((path) => /^(packages\/[^/]+\/(src|test)|scripts)\/.*\.tsx?$/.test(path) && existsSync(join(root, path)) && !seen.has(path))
}
