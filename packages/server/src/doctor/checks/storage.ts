import { chmodSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyFileOf } from '../../config/database-url.ts'
import { readDatabaseBytes } from '../../domains/admin/retention-store.ts'
import { readKeyIds } from '../../domains/blocks/key-store.ts'
import { type Db, statement } from '../../storage/database.ts'
import { type Check, type DoctorInput, type Finding, repairCommand } from '../finding.ts'

const freeSharesMin = 0.05
const freeBytesMin = 1e9

const keysInUse = statement('select key_id, count(*) as count from block_document group by key_id')

/** The files of a SQLite database. */
const fileEndings = ['', '-wal', '-shm', '.key', '.lock'] as const

export const disk: Check = {
  name: 'disk',
  summary: 'free space and the size of the database',
  anySchema: true,
  async run({ db, file }) {
    const bytes = await readDatabaseBytes(db)
    const size: Finding = { severity: 'info', what: `The database has ${megabytes(bytes)} MB.`, why: 'For planning.', fix: 'Nothing.' }
    if (file === undefined) return [size]
    const { bavail, blocks, bsize } = statfsSync(dirname(file))
    const free = bavail * bsize
    if (free > freeBytesMin && free > freeSharesMin * blocks * bsize) return [size]
    return [
      {
        severity: 'warning',
        what: `The disk of ${file} has ${megabytes(free)} MB left; the database has ${megabytes(bytes)} MB.`,
        why: 'With a full disk the server answers 503 to all writes.',
        fix: 'Free some space, move the database, or lower the retention settings.',
      },
    ]
  },
}

export const permissions: Check = {
  name: 'permissions',
  summary: 'that other users cannot read the files of a SQLite database',
  anySchema: true,
  async run({ file }) {
    const open = file === undefined ? [] : fileEndings.map((ending) => `${file}${ending}`).filter((path) => othersCanRead(path))
    return open.map((path) => ({
      severity: path.endsWith('.key') ? 'error' : 'warning',
      what: `Other users of this machine can read ${path} (mode ${(statSync(path).mode & 0o777).toString(8)}).`,
      why: path.endsWith('.key') ? 'The file decrypts all block documents.' : 'The file contains parameters, logs and events.',
      fix: `${repairCommand} Or: \`chmod 600 ${path}\``,
      repair: {
        title: `restrict ${path} to its owner`,
        async run() {
          chmodSync(path, ownerOnly)
          return `Restricted ${path}.`
        },
      },
    }))
  },
}

const ownerOnly = 0o600
const others = 0o007

/** A group was given access on purpose. False for an absent file. */
function othersCanRead(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && process.platform !== 'win32' && (found.mode & others) !== 0
}

export const secrets: Check = {
  name: 'secrets',
  summary: 'that the keys of all block documents are known',
  async run(input) {
    const used = await input.db.all<{ key_id: string; count: number }>(keysInUse)
    if (used.length === 0) return []
    const known = await knownKeyIds(input.db, input)
    return used
      .filter(({ key_id }) => !known.has(key_id))
      .map(({ key_id, count }) => ({
        severity: 'error',
        what: `${count} block documents are encrypted with key ${key_id}, which is not known here.`,
        why: 'Flows that load these blocks fail.',
        fix: `Restore the key file${input.file === undefined ? '' : ` ${keyFileOf(input.file)}`}, or set MILLRACE_SERVER_ENCRYPTION_KEY for this command as for the server.`,
      }))
  },
}

const knownKeyIds = async (db: Db, { config }: DoctorInput): Promise<ReadonlySet<string>> => new Set(await readKeyIds(db, config))

const megabytes = (bytes: number): string => Math.round(bytes / 1e6).toLocaleString('en')
