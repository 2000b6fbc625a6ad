import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, isAbsolute, join } from 'node:path'

/** The server needs the SQLite of Node 24. */
export const nodeMajorMin = 24

const fileEnding = process.platform === 'win32' ? '.exe' : ''

/** The path of a Node that is new enough: the one that the package brings, or one on the PATH. */
export function findNode() {
  const packaged = packagedNode()
  // Not asked for its version, which takes as long as a short command.
  if (packaged !== undefined && hasLoader()) return packaged
  return nodesOnPath().find((path) => {
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10000 })
    return stdout && isNewEnough(stdout.trim().slice(1))
  })
}

/** Whether the packaged Node can start: on Linux it needs glibc, which some systems do not have. */
function hasLoader() {
  if (process.platform !== 'linux') return true
  return ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1'].some((path) => existsSync(path))
}

export const isNewEnough = (version) => Number(version.split('.')[0]) >= nodeMajorMin

function nodesOnPath() {
  const folders = (process.env.PATH || '').split(delimiter).filter(isAbsolute)
  const paths = folders.flatMap((folder) => ['node24', 'node'].map((name) => join(folder, name + fileEnding)))
  return paths.filter((path) => existsSync(path) && realpathSync(path) !== process.execPath)
}

/** The optional dependency for this system. */
function packagedNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  try {
    return createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/bin/node${fileEnding}`)
  } catch {
    return undefined
  }
}
