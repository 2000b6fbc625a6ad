import type { Connection, SqlValue } from '../src/storage/connection.ts'

/** A statement that an operation sent, with its values. */
export interface SentStatement {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Tables that grow with the number of runs. */
const growingTables = [
  'flow_run',
  'flow_run_state',
  'flow_run_tag',
  'flow_run_input',
  'task_run',
  'task_run_state',
  'task_run_cache',
  'run_history_slot',
  'run_name_block',
  'log',
  'artifact',
  'verdict',
  'event',
  'event_resource',
]

/** A connection that records what is read through it. */
export function recordStatements(connection: Connection): { readonly connection: Connection; take(): SentStatement[] } {
  let sent: SentStatement[] = []
  return {
    connection: {
      ...connection,
      all: (text, values, options) => {
        sent.push({ text, values })
        return connection.all(text, values, options)
      },
    },
    take: () => {
      const taken = sent
      sent = []
      return taken
    },
  }
}

/** Describes each full scan of a growing table in the plan of a statement. */
export type FindScans = (connection: Connection, statement: SentStatement) => Promise<string[]>

/**
 * SQLite has no counters of rows, so the plan has to tell: a scan of a table, or of an index by a statement without limit. With a limit, a scan of an
 * index in its order stops early.
 */
export const findSqliteScans: FindScans = async (connection, { text, values }) => {
  const rows = await connection.all<{ detail: string }>(`explain query plan ${text}`, values)
  const aliases = aliasesIn(text)
  return rows.flatMap(({ detail }) => {
    const [, name = '', index] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? []
    const table = aliases.get(name)
    if (table === undefined || (index !== undefined && /\blimit\b/i.test(text))) return []
    return [`scans ${index === undefined ? table : `all of index ${index}`}`]
  })
}

/** Growing tables by the names that a statement gives them. */
function aliasesIn(text: string): ReadonlyMap<string, string> {
  const aliases = new Map(growingTables.map((table) => [table, table]))
  const keywords = new Set(['where', 'cross', 'left', 'join', 'on', 'order', 'indexed', 'limit', 'group', 'set', 'inner', 'union'])
  for (const [, table = '', alias = ''] of text.matchAll(/(?:from|join) "?(\w+)"? (?:as )?(\w+)/gi)) {
    if (growingTables.includes(table) && !keywords.has(alias.toLowerCase())) aliases.set(alias, table)
  }
  // A subquery or a table expression with the name of a table hides it.
  for (const [, alias = ''] of text.matchAll(/\) (?:as )?(\w+) where/gi)) if (growingTables.includes(alias)) aliases.delete(alias)
  for (const [, from = '', alias = ''] of text.matchAll(/from "?(\w+)"? "?(\w+)"? where/gi)) if (!growingTables.includes(from)) aliases.delete(alias)
  return aliases
}

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Index Name'?: string
  readonly 'Node Type': string
  readonly Plans?: readonly PlanNode[]
}

/** A node that reads more of a table is a full scan. Searches that stop at a number of rows read less. */
const scannedShare = 0.85

/** PostgreSQL runs the statement and tells how many rows each node has read. */
export const findPostgresScans =
  (rowsOf: (table: string) => number): FindScans =>
  async (connection, statement) =>
    [...(await countPostgresReads(connection, statement))].flatMap(([key, rows]) => {
      const total = rowsOf(key.split(' ')[0] as string)
      return total > 0 && rows > scannedShare * total ? [`reads ${Math.round(rows)} of ${total} rows of ${key}`] : []
    })

/** How many rows of growing tables PostgreSQL reads for a statement, by table and way of reading. */
export async function countPostgresReads(connection: Connection, { text, values }: SentStatement): Promise<ReadonlyMap<string, number>> {
  const [row] = await connection.all<{ 'QUERY PLAN': string }>(`explain (analyze, timing off, format json) ${text}`, values)
  const [{ Plan }] = JSON.parse(row?.['QUERY PLAN'] ?? '[]') as [{ Plan: PlanNode }]
  const read = new Map<string, number>()
  const visit = (node: PlanNode): void => {
    const table = node['Relation Name']?.replace(/_(default|\d{8})$/, '')
    if (table !== undefined && growingTables.includes(table)) {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
      const key = `${table} by ${node['Node Type']}${node['Index Name'] ? ` ${node['Index Name'].replace(/^log_\d{8}/, 'log')}` : ''}`
      read.set(key, (read.get(key) ?? 0) + (node['Actual Rows'] + removed) * node['Actual Loops'])
    }
    for (const child of node.Plans ?? []) visit(child)
  }
  visit(Plan)
  return read
}
