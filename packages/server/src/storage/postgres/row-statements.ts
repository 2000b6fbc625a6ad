import type { SqlValue } from '../connection.ts'
import type { InsertRows, StoredRows, UpdateRows } from '../dialect.ts'
import { addBits, allColumns, columnsIn, joinedBits, property, type RowShape, ShapeCache } from '../row-shapes.ts'
import { type ColumnKind, columnsOf, type TableName } from '../tables.ts'
import { arrayEncoder } from './array-parameter.ts'

/** A statement for any number of rows, with one array for each column. */
export interface RowsStatement {
  readonly text: string
  readonly bind: (rows: readonly object[]) => SqlValue[]
}

interface InsertPlan extends RowShape {
  readonly onConflict: string
  readonly isRecorded: boolean
  /** A bit for each column that is not null in some row. */
  readonly usedColumns: (rows: readonly object[]) => number
  readonly statements: Map<number, RowsStatement>
}

interface UpdatePlan extends RowShape {
  readonly key: string
  readonly isRecorded: boolean
  /** A bit for each column that some row changes. A row that is not in `stored` changes all of them. */
  readonly changedColumns: (rows: readonly object[], stored: StoredRows | undefined) => number
  readonly statements: Map<number, RowsStatement>
}

/** Every session prepares each statement once. Clients must not be able to make many. */
const statementsMax = 20

const insertPlans = new ShapeCache<InsertPlan>()
const updatePlans = new ShapeCache<UpdatePlan>()

/** The insert of rows with the columns of the first one, without those that are null in all rows. */
export function insertStatement({ insert: table, rows, onConflict = '', isRecorded = false }: InsertRows): RowsStatement {
  const names = Object.keys(rows[0] as object)
  const plan =
    insertPlans.find(table, names, (each) => each.onConflict === onConflict && each.isRecorded === isRecorded) ??
    insertPlans.add(table, { names, onConflict, isRecorded, usedColumns: compileUsedColumns(names), statements: new Map() })
  return statementOf(plan, plan.usedColumns(rows), (columns) => {
    const used = columnsIn(plan, columns)
    return {
      text: `insert into ${table} (${used.join(', ')}) select * from unnest(${arrayParameters(table, used)}) as ${alias(isRecorded)} ${onConflict}`,
      bind: compileBind(table, used),
    }
  })
}

/** The update of rows by their key, without columns that none of them changes. */
export function updateStatement({ update: table, rows, key = 'id', stored, isRecorded = false }: UpdateRows): RowsStatement {
  const names = Object.keys(rows[0] as object).filter((name) => name !== key)
  const plan =
    updatePlans.find(table, names, (each) => each.key === key && each.isRecorded === isRecorded) ??
    updatePlans.add(table, { names, key, isRecorded, changedColumns: compileChangedColumns(names, key), statements: new Map() })
  return statementOf(plan, plan.changedColumns(rows, stored), (columns) => {
    const given = [key, ...columnsIn(plan, columns)]
    return updateFrom(table, given, alias(isRecorded))
  })
}

/** The first column is the key. */
function updateFrom(table: TableName, given: readonly string[], from: string): RowsStatement {
  return {
    text: `update ${table} set ${assignments(given, from)} from unnest(${arrayParameters(table, given)}) as ${from}(${given.join(', ')}) where ${table}.${given[0]} = ${from}.${given[0]}`,
    bind: compileBind(table, given),
  }
}

const assignments = ([, ...changed]: readonly string[], from: string): string => changed.map((name) => `${name} = ${from}.${name}`).join(', ')

/** Triggers ignore the rows of a statement that names them `recorded`; see migration 026. */
const alias = (isRecorded: boolean): string => (isRecorded ? 'recorded' : 'given')

/** The statement for the columns, or for all if no column is needed. A row without a change is written whole, so that it counts as updated. */
function statementOf(plan: InsertPlan | UpdatePlan, columns: number, build: (columns: number) => RowsStatement): RowsStatement {
  const known = plan.statements.get(columns)
  if (known) return known
  const isFull = plan.statements.size >= statementsMax
  const chosen = columns === 0 || isFull ? allColumns(plan) : columns
  const statement = plan.statements.get(chosen) ?? build(chosen)
  if (!isFull || chosen === allColumns(plan)) plan.statements.set(chosen, statement)
  return statement
}

const kindOf = (table: TableName, name: string): ColumnKind => (columnsOf(table)[name] as { kind: ColumnKind }).kind

/** The types of PostgreSQL by kind. */
export const columnTypes: Record<ColumnKind, string> = {
  uuid: 'uuid',
  text: 'text',
  int: 'bigint',
  real: 'double precision',
  bool: 'boolean',
  json: 'json',
  tags: 'jsonb',
  bytes: 'bytea',
}

const arrayParameters = (table: TableName, names: readonly string[]): string =>
  names.map((name, index) => `$${index + 1}::${columnTypes[kindOf(table, name)]}[]`).join(', ')

function compileUsedColumns(names: readonly string[]): InsertPlan['usedColumns'] {
  const addRow = addBits(names, (name) => `${property('row', name)} !== null`)
  return new Function('rows', `let low = 0, high = 0; for (const row of rows) { ${addRow} } return ${joinedBits}`) as InsertPlan['usedColumns']
}

function compileChangedColumns(names: readonly string[], key: string): UpdatePlan['changedColumns'] {
  const addRow = addBits(names, (name) => `${property('row', name)} !== ${property('present', name)}`)
  return new Function(
    'rows',
    'stored',
    `let low = 0, high = 0
    for (const row of rows) {
      const present = stored?.get(${property('row', key)})
      if (present === undefined) return ${allColumns({ names })}
      ${addRow}
    }
    return ${joinedBits}`,
  ) as UpdatePlan['changedColumns']
}

function compileBind(table: TableName, names: readonly string[]): RowsStatement['bind'] {
  const encoders = names.map((name) => arrayEncoder(kindOf(table, name)))
  const lists = names.map((_, index) => `list${index} = new Array(count)`).join(', ')
  const addRow = names.map((name, index) => `list${index}[n] = ${property('row', name)} ?? null`).join('; ')
  const encoded = names.map((_, index) => `encoders[${index}](list${index})`).join(', ')
  const code = `return (rows) => {
    const count = rows.length, ${lists}
    for (let n = 0; n < count; n += 1) { const row = rows[n]; ${addRow} }
    return [${encoded}]
  }`
  return new Function('encoders', code)(encoders)
}
