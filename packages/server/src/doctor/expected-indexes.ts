import { migrationsOf } from '../storage/migrate.ts'
import { splitSteps, statementsOf } from '../storage/migration-steps.ts'

export interface ExpectedIndex {
  readonly name: string
  readonly table: string
  readonly statement: string
  /** Whether the server works without it, as after a failed optional step. */
  readonly isOptional: boolean
}

/** The indexes that a migrated database has, except those of primary keys and of partitions. Read from the statements of the migrations. */
export function expectedIndexes(dialect: 'sqlite' | 'postgres', applied: ReadonlySet<number>): ExpectedIndex[] {
  const indexes = new Map<string, ExpectedIndex>()
  for (const { number, up } of migrationsOf(dialect)) {
    if (!applied.has(number)) continue
    for (const { text, isOptional } of splitSteps(up)) {
      for (const statement of statementsOf(text)) applyStatement(indexes, statement.replaceAll(/--.*$/gm, '').trim(), isOptional)
    }
  }
  return [...indexes.values()]
}

function applyStatement(indexes: Map<string, ExpectedIndex>, statement: string, isOptional: boolean): void {
  const [, created, table] = /^create (?:unique )?index (?:concurrently )?(?:if not exists )?(\w+)\s+on (\w+)/is.exec(statement) ?? []
  if (created !== undefined && table !== undefined) return void indexes.set(created, { name: created, table, statement, isOptional })
  const [, dropped] = /^drop index (?:concurrently )?(?:if exists )?(\w+)/is.exec(statement) ?? []
  if (dropped !== undefined) return void indexes.delete(dropped)
  const [, droppedTable] = /^drop table (?:if exists )?(\w+)/is.exec(statement) ?? []
  if (droppedTable !== undefined) return void removeWhere(indexes, ({ table: of }) => of === droppedTable)
  const [, from, to] = /^alter index (?:if exists )?(\w+) rename to (\w+)/is.exec(statement) ?? []
  const renamed = from === undefined ? undefined : indexes.get(from)
  if (renamed && from !== undefined && to !== undefined) {
    indexes.delete(from)
    indexes.set(to, { ...renamed, name: to, statement: renamed.statement.replace(new RegExp(`\\b${from}\\b`), to) })
  }
  const [, oldTable, newTable] = /^alter table (\w+) rename to (\w+)/is.exec(statement) ?? []
  if (oldTable === undefined || newTable === undefined) return
  for (const index of [...indexes.values()]) if (index.table === oldTable) indexes.set(index.name, { ...index, table: newTable })
}

function removeWhere(indexes: Map<string, ExpectedIndex>, isRemoved: (index: ExpectedIndex) => boolean): void {
  for (const index of [...indexes.values()]) if (isRemoved(index)) indexes.delete(index.name)
}
