import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { errorCode } from './startup-error.ts'

/** A running server of this user. `millrace server status` and `server stop` find servers by these files. */
export interface RunFile {
  readonly pid: number
  /** When the operating system started the process, in its own unit; null where it does not tell. A later process can have the same pid. */
  readonly process_start: string | null
  /** Name of the machine: a home folder can be shared. */
  readonly machine: string
  /** Address with the base path; null if the server has no API. */
  readonly url: string | null
  readonly version: string
  readonly started: string
  readonly database: 'sqlite' | 'postgres'
}

const runFolder = (home: string): string => join(home, '.millrace', 'run')

/** Describes this process. Returns the path of the file, or undefined if the home folder cannot be written, as in a container. */
export function writeRunFile(home: string, server: Pick<RunFile, 'url' | 'version' | 'started' | 'database'>): string | undefined {
  const { pid } = process
  const name = server.url === null ? `services-${pid}` : new URL(server.url).port || String(pid)
  const path = join(runFolder(home), `${name}.json`)
  const entry: RunFile = { pid, process_start: readProcessStart(pid), machine: hostname(), ...server }
  try {
    mkdirSync(runFolder(home), { recursive: true, mode: 0o700 })
    // A reader must not see half a file.
    writeFileSync(`${path}.${pid}`, `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600 })
    renameSync(`${path}.${pid}`, path)
    return path
  } catch {
    return undefined
  }
}

/** Removes the file at the end of this process, unless another server on the same port has replaced it. */
export function removeRunFile(path: string): void {
  if (readEntry(path)?.pid === process.pid) rmSync(path, { force: true })
}

/** The servers that run on this machine. Removes the files of servers that were killed. */
export function readRunFiles(home: string): RunFile[] {
  return listFiles(runFolder(home)).flatMap((path) => {
    const entry = readEntry(path)
    if (!entry || entry.machine !== hostname()) return []
    if (isSameProcess(entry)) return [entry]
    tryRemove(path)
    return []
  })
}

/** Whether the process of the file still runs. Its pid may belong to another program by now. */
export function isSameProcess({ pid, process_start }: Pick<RunFile, 'pid' | 'process_start'>): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // The process of another user.
    if (errorCode(error) !== 'EPERM') return false
  }
  return process_start === null || readProcessStart(pid) === process_start
}

/** Linux only: clock ticks from the start of the machine to the start of the process. A zombie has ended. */
function readProcessStart(pid: number): string | null {
  try {
    // The name of the program, in parentheses, can contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

function readEntry(path: string): RunFile | undefined {
  try {
    const entry = JSON.parse(readFileSync(path, 'utf8')) as RunFile
    return Number.isInteger(entry.pid) && entry.pid > 0 ? entry : undefined
  } catch {
    return undefined
  }
}

function tryRemove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // A read-only home folder. The file is ignored all the same.
  }
}
