import { statement } from '../../storage/database.ts'
import { migrationTable } from '../../storage/foreign-database.ts'
import type { SchemaObject } from '../../storage/schema-objects.ts'
import { toBoolean } from '../../storage/tables.ts'
import { type DoctorInput, type Finding, repairCommand } from '../finding.ts'

const applied = statement(`select number from ${migrationTable}`)

/** Columns, constraints, triggers and functions that are not as the migrations make them. What people added is not reported. */
export async function compareSchema({ db, schema, isFull }: DoctorInput): Promise<Finding[]> {
  // On PostgreSQL the comparison writes to the catalog, and rolls back.
  if (!schema || (db.dialect.isShared && !isFull)) return []
  const numbers = new Set((await db.all<{ number: number }>(applied)).map(({ number }) => Number(number)))
  const migrated = await schema.readMigrated(numbers)
  if (typeof migrated === 'string') {
    return [
      {
        severity: 'info',
        what: `The schema was not compared with the migrations: ${migrated}`,
        why: 'A trigger or constraint may be missing.',
        fix: 'Run the check as the owner of the database.',
      },
    ]
  }
  // A migration of a newer version may have changed anything.
  if (migrated.hasUnknown) return []
  const found = new Map((await schema.read()).map((object) => [keyOf(object), object]))
  const tables = new Set([...found.values()].map(({ table }) => table))
  const missingTables = [...new Set(migrated.objects.map(({ table }) => table))].filter((table) => !tables.has(table) && table !== '')
  const findings: Finding[] = missingTables.map((table) => ({ ...lost(`The table ${table} is missing.`), endsChecks: true }))
  for (const expected of migrated.objects) {
    if (missingTables.includes(expected.table) || isDatedPartition(expected)) continue
    const finding = compareObject(expected, found.get(keyOf(expected)))
    if (finding) findings.push(finding)
  }
  for (const partition of found.values()) {
    if (partition.kind === 'partition' && !toBoolean(partition.is_enabled)) findings.push(detached(partition.name))
  }
  return findings
}

const keyOf = ({ kind, table, name }: SchemaObject): string => `${kind} ${table} ${name}`

/** Retention drops partitions of weeks. */
const isDatedPartition = ({ kind, name }: SchemaObject): boolean => kind === 'partition' && /\d$/.test(name)

function compareObject(expected: SchemaObject, found: SchemaObject | undefined): Finding | undefined {
  const { kind, table, name, create } = expected
  const title = kind === 'function' ? `The function ${name}` : `The ${kind} ${name} of ${table}`
  if (!found) {
    const finding = lost(`${title} is missing.`)
    if (kind === 'column') return { ...finding, endsChecks: true }
    return create === null ? finding : { ...finding, fix: repairCommand, repair: { title: `make the ${kind} ${name} again`, statements: [create] } }
  }
  if (kind === 'partition') return undefined
  if (found.definition !== expected.definition) {
    const finding = lost(`${title} is not the one of the migrations.`)
    if (kind === 'function' && create !== null)
      return { ...finding, fix: repairCommand, repair: { title: `make the function ${name} again`, statements: [create] } }
    if (kind !== 'trigger' || create === null) return finding
    return {
      ...finding,
      fix: repairCommand,
      repair: { title: `make the trigger ${name} again`, statements: [`drop trigger ${name}${dropScope(create, table)}`, create] },
    }
  }
  if (toBoolean(found.is_enabled)) return undefined
  if (kind === 'trigger') {
    const repair = { title: `enable the trigger ${name}`, statements: [`alter table ${table} enable trigger ${name}`] }
    return { ...lost(`${title} is disabled.`), fix: repairCommand, repair }
  }
  const repair = { title: `validate the constraint ${name}`, statements: [`alter table ${table} validate constraint ${name}`] }
  return { ...lost(`${title} is not validated.`), fix: repairCommand, repair }
}

/** PostgreSQL names the table, and its definitions say EXECUTE; SQLite has neither. */
const dropScope = (create: string, table: string): string => (/ EXECUTE FUNCTION /.test(create) ? ` on ${table}` : '')

const lost = (what: string): Finding => ({
  severity: 'error',
  what,
  why: 'The server relies on it: without it writes fail, or leave counts, tags or rows behind that do not agree.',
  fix: 'Restore a backup with `millrace restore`.',
})

const detached = (name: string): Finding => ({
  severity: 'error',
  what: `The partition ${name} of log is detached.`,
  why: 'Its logs are not shown, and retention does not remove them.',
  fix: `Attach it again: \`alter table log attach partition ${name} …\` with the bounds of its week, or drop it.`,
})
