import type { Config } from '../config.ts'
import type { Micros } from '../lib/time.ts'
import type { Db, Statement } from '../storage/database.ts'
import type { SchemaObject } from '../storage/schema-objects.ts'
import type { ActingContext } from '../storage/server-context.ts'

/** `info` is worth knowing and needs no action. */
export type Severity = 'error' | 'warning' | 'info'

export interface Finding {
  readonly severity: Severity
  /** What is wrong, with figures. */
  readonly what: string
  readonly why: string
  readonly fix: string
  readonly repair?: Repair
  /** Whether other checks cannot work because of it. */
  readonly endsChecks?: boolean
}

/** The schema of the database, and the one that the migrations make. */
export interface SchemaReader {
  read(): Promise<readonly SchemaObject[]>
  /** Says why if it cannot be made. `hasUnknown` means that one of the migrations is of a newer version. */
  readMigrated(applied: ReadonlySet<number>): Promise<{ readonly objects: readonly SchemaObject[]; readonly hasUnknown: boolean } | string>
}

/** A change that a user has to agree to. */
export interface Repair {
  /** Completes "Repair: …?". */
  readonly title: string
  /** Repairs in one transaction and says what was done. */
  run?(context: ActingContext): Promise<string>
  /** Statements that cannot run in a transaction. */
  readonly statements?: readonly string[]
}

/** What the checks look at. */
export interface DoctorInput {
  readonly db: Db
  readonly config: Config
  /** The time of the database. */
  readonly now: Micros
  readonly machineNow: Micros
  /** The SQLite file; undefined for PostgreSQL. */
  readonly file: string | undefined
  /** Whether checks may read whole tables. */
  readonly isFull: boolean
  readonly server: ServerFacts | undefined
  /** Undefined where a check is tested alone. */
  readonly schema?: SchemaReader
  /** When the newest backup in the folder of scheduled backups was made. */
  readonly latestBackup: Micros | undefined
}

/** A running server that uses the database. */
export interface ServerFacts {
  readonly url: string
  /** How far the clock of the server's machine is ahead of this machine's; null if it is not known. */
  readonly skewSeconds: number | null
  /** Why it is not ready; null if it is. */
  readonly problem: string | null
  /** The last failure of its scheduled backups. */
  readonly backupFailure: string | null
}

export interface Check {
  readonly name: string
  /** Completes "Checks …", for the documentation. */
  readonly summary: string
  /** Whether the check works on the schema of another version. */
  readonly anySchema?: boolean
  run(input: DoctorInput): Promise<readonly Finding[]>
}

export const repairCommand = 'Run `millrace doctor --repair`.'

/** `3 flow runs`, `1 flow run`. */
export const countText = (count: number, noun: string): string => `${count.toLocaleString('en')} ${count === 1 ? noun : `${noun}s`}`

/** A repair that is one statement. `noun` is what it changes. */
export const statementRepair = (title: string, change: Statement, noun: string, values: readonly Micros[] = []): Repair => ({
  title,
  run: ({ commands }) => commands.submit(async (tx) => `Changed ${countText(await tx.run(change, values), noun)}.`),
})
