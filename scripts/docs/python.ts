import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { repositoryRoot } from '../repository.ts'

const run = promisify(execFile)

/** The folder of a Python with the client: that of `given`, or an environment in the cache, made as the documentation tells readers to. */
export async function findPython(given: string | undefined): Promise<string> {
  if (given !== undefined) {
    const python = resolve(given)
    await run(python, ['-c', 'import prefect'])
    return dirname(python)
  }
  const folder = join(repositoryRoot, '.cache', 'docs', 'python')
  const bin = join(folder, 'bin')
  const stamp = join(folder, 'installed')
  if (existsSync(stamp)) return bin
  rmSync(folder, { recursive: true, force: true })
  await run('python3', ['-m', 'venv', folder])
  await run(join(bin, 'pip'), ['install', '--quiet', 'prefect>=3'])
  writeFileSync(stamp, '')
  return bin
}
