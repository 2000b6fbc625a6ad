import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { constants, homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** V8 flags of the server (ADR 0059). The script "start" of the repository has the same ones. */
export const serverFlags = ['--max-semi-space-size=8', '--heap-growing-percent=50']

/**
 * Settings of the allocator of glibc, which reads them when a process starts (ADR 0059). The command line (server-process.ts) and the script "start" have the
 * same ones.
 */
const allocatorSettings = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' }

/** The environment of a server. The settings of its user win. */
export const serverEnvironment = () => ({ ...allocatorSettings, ...process.env })

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Replaces this process by Node with other arguments. Never returns. */
export async function runNode(node, args, env = process.env) {
  // The process id, open files and signals stay, and the exit code is that of the new program.
  if (process.platform !== 'win32' && process.execve) process.execve(node, [node, ...args], env)
  process.exit(await runChild(node, args, env))
}

/**
 * Calls back when the parent of this process ends, if npx started it. npx passes SIGTERM to a shell, and some shells end without passing it on: the
 * server would stay, with its port and its database.
 */
export function onEndOfNpx(end) {
  if (process.env.npm_command !== 'exec') return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    end()
  }, 500)
  timer.unref()
}

/** Halves the load time of later starts. Node ignores a folder that it cannot write. */
export function enableCompileCache() {
  try {
    const folder = cacheFolder()
    // Node does not return if it cannot create the parents, as below /proc.
    if (isAbsolute(folder) && existsSync(dirname(folder))) module.enableCompileCache(join(folder, 'millrace'))
  } catch {
    // A user without a home directory.
  }
}

function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME
  if (process.platform === 'win32' && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache')
}

/** Windows, and Node before 22.15, cannot replace the program of a process. */
function runChild(node, args, env) {
  const child = spawn(node, args, { stdio: 'inherit', env })
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  onEndOfNpx(() => child.kill('SIGTERM'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code === null ? 128 + constants.signals[signal] : code))
  })
}
