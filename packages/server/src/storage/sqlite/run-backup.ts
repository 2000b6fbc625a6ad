import { fork } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupError } from '../../lib/startup-error.ts'
import type { DatabaseBackups } from '../pool.ts'
import { backupName, defaultBackupFolder, listBackups } from './backup-files.ts'
import type { BackupMessage } from './backup-process.ts'
import type { BackupRequest, BackupResult } from './create-backup.ts'

/** Next to this file, or next to the bundle: see scripts/build-server.ts. */
const entry = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './backup-process.ts' : './backup-process.mjs', import.meta.url))

/** Scheduled backups of a database file. */
export function createBackups(database: string): DatabaseBackups {
  const folderOf = (folder: string): string => (folder === '' ? defaultBackupFolder(database) : resolve(folder))
  return {
    folder: folderOf,
    latest: (folder) => listBackups(folderOf(folder), database)[0],
    create({ folder, now, compress, keep, configuredKeys }, signal) {
      const target = join(folderOf(folder), backupName(database, now, compress))
      return runBackup({ database, target, full: false, includeKey: true, configuredKeys, keep }, signal)
    },
  }
}

/**
 * Makes a backup in a process of its own, with a lower priority: a check of some gigabytes takes a minute of processor time, and the threads of this
 * process have to flush the commits of requests.
 */
function runBackup(request: BackupRequest, signal?: AbortSignal): Promise<BackupResult> {
  return new Promise((resolve, reject) => {
    const child = fork(entry, [], { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    let message: BackupMessage | undefined
    let output = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-2000)
    })
    const stop = () => child.kill('SIGKILL')
    signal?.addEventListener('abort', stop, { once: true })
    child.once('message', (received) => {
      message = received as BackupMessage
    })
    child.once('error', reject)
    child.once('exit', (code, by) => {
      signal?.removeEventListener('abort', stop)
      if (message && 'result' in message) return resolve(message.result)
      if (child.pid !== undefined) removeTemporary(request.target, child.pid)
      if (message) return reject(message.isExpected ? new StartupError('failed', message.problem) : new Error(message.problem))
      reject(new Error(`The backup process ended with ${by ?? code}. ${output}`.trim()))
    })
    child.send(request)
  })
}

/** A process that was killed leaves its unfinished files. */
function removeTemporary(target: string, pid: number): void {
  const files = ['', '-journal', '.zst'].map((ending) => `${target}.${pid}.tmp${ending}`)
  for (const file of files) if (existsSync(file)) rmSync(file)
}
