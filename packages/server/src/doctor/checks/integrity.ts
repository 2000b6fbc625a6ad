import { type Db, statement } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { type Check, countText, type DoctorInput, type Finding, repairCommand } from '../finding.ts'

/** A foreign key of one column. */
interface ForeignKey {
  readonly child: string
  readonly column: string
  readonly parent: string
  readonly parent_column: string
  /** What happens to the row when its parent is deleted. */
  readonly on_delete: string
}

/** Both databases list their foreign keys in their own way. All of Millrace's have one column. */
const foreignKeys = statement((dialect) =>
  dialect.name === 'sqlite'
    ? `select child.name as child, key."from" as "column", key."table" as parent, coalesce(key."to", 'id') as parent_column, key.on_delete as on_delete
        from sqlite_master child join pragma_foreign_key_list(child.name) key where child.type = 'table' order by 1, 2`
    : `select conrelid::regclass::text as child, child_column.attname as "column", confrelid::regclass::text as parent, parent_column.attname as parent_column,
          case confdeltype when 'n' then 'SET NULL' else 'CASCADE' end as on_delete
        from pg_constraint
        join pg_attribute child_column on child_column.attrelid = conrelid and child_column.attnum = conkey[1]
        join pg_attribute parent_column on parent_column.attrelid = confrelid and parent_column.attnum = confkey[1]
        where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0 order by 1, 2`,
)

/** What triggers keep on PostgreSQL instead of foreign keys (ADR 0057). */
const keysOfTriggers: readonly ForeignKey[] = [
  { child: 'flow_run_state', column: 'flow_run_id', parent: 'flow_run', parent_column: 'id', on_delete: 'CASCADE' },
  { child: 'flow_run_tag', column: 'flow_run_id', parent: 'flow_run', parent_column: 'id', on_delete: 'CASCADE' },
  { child: 'task_run_state', column: 'task_run_id', parent: 'task_run', parent_column: 'id', on_delete: 'CASCADE' },
]

const fileCheck = { quick: statement('pragma quick_check(20)'), full: statement('pragma integrity_check(20)') }

/** The database itself is sound. On PostgreSQL only a full check looks at foreign keys, because only a fault of the server, a damaged index or disk breaks them. */
export const integrity: Check = {
  name: 'integrity',
  summary: 'the pages of a SQLite file, and foreign keys (on PostgreSQL with --full)',
  anySchema: true,
  async run(input) {
    const { db, isFull } = input
    const isSqlite = db.dialect.name === 'sqlite'
    const damage = isSqlite ? await fileDamage(input) : []
    if (damage.length > 0) return damage
    return isSqlite || isFull ? brokenKeys(db) : []
  },
}

async function fileDamage({ db, file, isFull }: DoctorInput): Promise<Finding[]> {
  const lines = (await db.all<Record<string, string>>(isFull ? fileCheck.full : fileCheck.quick)).flatMap((row) => Object.values(row))
  const problems = lines.filter((line) => line !== 'ok')
  if (problems.length === 0) return []
  return [
    {
      severity: 'error',
      what: `The database file ${file} is damaged: ${problems.slice(0, 3).join('; ')}`,
      why: 'Reads fail or return wrong rows, and the damage can grow.',
      fix: `Stop the server and restore a backup with \`millrace restore\`. Without one, \`sqlite3 ${file} .recover\` saves what can be read.`,
    },
  ]
}

async function brokenKeys(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  const keys = await db.all<ForeignKey>(foreignKeys)
  for (const key of db.dialect.name === 'sqlite' ? keys : [...keys, ...keysOfTriggers]) {
    const broken = `${quote(key.column)} is not null and not exists (select 1 from ${quote(key.parent)} parent where parent.${quote(key.parent_column)} = child.${quote(key.column)})`
    const [row] = await db.all<{ count: number }>(statement(`select count(*) as count from ${quote(key.child)} child where ${broken}`))
    const count = Number(row?.count ?? 0)
    if (count === 0) continue
    const change =
      key.on_delete === 'SET NULL'
        ? `update ${quote(key.child)} as child set ${quote(key.column)} = null`
        : `delete from ${quote(key.child)} as child`
    findings.push({
      severity: 'error',
      what: `${countText(count, 'row')} of ${key.child} have a ${key.column} that does not exist in ${key.parent}.`,
      why: 'Pages that join both tables miss these rows or fail.',
      fix: repairCommand,
      repair: {
        title: key.on_delete === 'SET NULL' ? `clear ${key.column} of these rows of ${key.child}` : `delete these rows of ${key.child}`,
        run: ({ commands }: ActingContext) =>
          commands.submit(async (tx) => `Changed ${countText(await tx.run(statement(`${change} where ${broken}`)), 'row')}.`),
      },
    })
  }
  return findings
}

const quote = (name: string): string => `"${name.replaceAll('"', '')}"`
