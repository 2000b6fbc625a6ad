/** The folder, home directory and programs of a page that runs, as on the machine of a reader. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { repositoryRoot } from '../repository.ts'
import { quote } from './page-script.ts'

export interface PageEnvironment {
  /** Holds everything else. */
  readonly root: string
  readonly home: string
  /** Where the commands run. */
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
  /** The user who runs the page, if not this one. */
  readonly uid?: number
  /** The port that the page means by 4200 (default: a free one). */
  readonly port?: number
  /** Ends all processes that the page left behind. */
  endProcesses(): Promise<void>
  /** Removes the folder. */
  remove(): void
}

/** Variables that programs need to download packages on this machine. */
const networkVariables = /^(?:(?:https?|no|all)_proxy|npm_config_registry|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|REQUESTS_CA_BUNDLE|PIP_\w+|UV_\w+)$/i

export const networkEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => networkVariables.test(name))) as Record<string, string>

/** `python` is the folder of `python`, `pip` and `prefect`. */
export function createPageEnvironment(python?: string): PageEnvironment {
  const root = mkdtempSync(join(tmpdir(), 'millrace-page-'))
  const [home, folder, bin, temporary] = ['home', 'folder', 'bin', 'tmp'].map((name) => join(root, name)) as [string, string, string, string]
  for (const path of [home, folder, bin, temporary]) mkdirSync(path)
  writePrograms(bin)
  // Beside the folder, which is empty as a reader's.
  writeClientPackage(join(root, 'node_modules', 'millrace'))
  const variables = {
    PATH: [bin, ...(python === undefined ? [] : [python]), '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(':'),
    HOME: home,
    LANG: 'C.UTF-8',
    TMPDIR: temporary,
    ...(python !== undefined && networkEnvironment()),
  }
  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  return { root, home, folder, variables, endProcesses: () => endProcessesOf(home), remove }
}

/** `npx millrace` and `millrace` run the command line of this repository. */
function writePrograms(bin: string): void {
  const node = quote(process.execPath)
  const millrace = join(repositoryRoot, 'packages/millrace/bin/millrace.mjs')
  // Compiled once for all pages.
  const cache = join(repositoryRoot, 'node_modules/.cache/millrace-docs')
  const programs = {
    node: `exec ${node} "$@"`,
    millrace: `NODE_COMPILE_CACHE=${quote(cache)} exec ${node} ${quote(millrace)} "$@"`,
    npx: `case "$1" in millrace|millrace@*) shift; exec millrace "$@";; esac; echo "npx $1: the documentation runs npx millrace only" >&2; exit 1`,
  }
  for (const [name, line] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`)
    chmodSync(join(bin, name), 0o755)
  }
}

/** What `import … from 'millrace/client'` finds after `npm install millrace`. */
function writeClientPackage(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'millrace', type: 'module', exports: { './client': './client.js' } }))
  for (const dialect of ['sqlite', 'postgres']) {
    mkdirSync(join(folder, 'dist', dialect), { recursive: true })
    symlinkSync(join(repositoryRoot, 'packages/server/src/storage', dialect, 'migrations'), join(folder, 'dist', dialect, 'migrations'))
  }
  writeFileSync(
    join(folder, 'client.js'),
    `export * from ${JSON.stringify(pathToFileURL(join(repositoryRoot, 'packages/client/src/index.ts')).href)}\n`,
  )
}

/** Servers in the background have left the process group; the home directory in their environment tells whose they are. */
export async function endProcessesOf(home: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const pids = processesOf(home)
    if (pids.length === 0) return
    for (const pid of pids) {
      try {
        process.kill(pid, attempt === 0 ? 'SIGTERM' : attempt > 50 ? 'SIGKILL' : 0)
      } catch {
        // It has ended meanwhile.
      }
    }
    await wait(50)
  }
}

function processesOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
      } catch {
        return false
      }
    })
    .map(Number)
}
