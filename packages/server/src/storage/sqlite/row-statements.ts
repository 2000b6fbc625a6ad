import type { SqlValue } from '../connection.ts'
import type { StoredRows } from '../dialect.ts'
import { addBits, allColumns, columnsIn, joinedBits, property, type RowShape, ShapeCache } from '../row-shapes.ts'
import type { TableName } from '../tables.ts'

/** A statement that is run once for each row. */
export interface RowStatement {
  readonly text: string
  /** The values of a row in the order of the statement. Compiled, because reading properties by variable names is slow. */
  readonly bind: (row: object) => SqlValue[]
}

interface InsertPlan extends RowShape, RowStatement {
  readonly onConflict: string
}

interface UpdatePlan extends RowShape {
  readonly key: string
  /** A bit for each column that differs from the stored row. */
  readonly changedColumns: (row: object, stored: object) => number
  readonly statements: Map<number, RowStatement>
}

const insertPlans = new ShapeCache<InsertPlan>()
const updatePlans = new ShapeCache<UpdatePlan>()

/** The insert of rows with the columns of the first one. */
export function insertStatement(table: TableName, row: object, onConflict: string): RowStatement {
  const names = Object.keys(row)
  return (
    insertPlans.find(table, names, (plan) => plan.onConflict === onConflict) ??
    insertPlans.add(table, {
      names,
      onConflict,
      text: `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${onConflict}`,
      bind: compileBind(names),
    })
  )
}

/**
 * The rows of an update by their statement, which assigns the columns that differ from the stored row, or all without one. SQLite rewrites an entry of each index
 * with an assigned column, and evaluates the triggers of each, even if the value is the same: of a run that completes this would be five of nine indexes.
 */
export function updateStatements(table: TableName, rows: readonly object[], key: string, stored?: StoredRows): Map<RowStatement, object[]> {
  const plan = updatePlan(table, rows[0] as object, key)
  const groups = new Map<RowStatement, object[]>()
  for (const row of rows) {
    const present = stored?.get((row as Record<string, string>)[key] as string)
    // A row without a change is written whole, so that it counts as updated.
    const columns = (present && plan.changedColumns(row, present)) || allColumns(plan)
    const statement = plan.statements.get(columns) ?? addStatement(table, plan, columns)
    const group = groups.get(statement)
    if (group) group.push(row)
    else groups.set(statement, [row])
  }
  return groups
}

function updatePlan(table: TableName, row: object, key: string): UpdatePlan {
  const names = Object.keys(row).filter((name) => name !== key)
  return (
    updatePlans.find(table, names, (plan) => plan.key === key) ??
    updatePlans.add(table, { names, key, changedColumns: compileComparison(names), statements: new Map() })
  )
}

/**
 * Because of the triggers a plain update would keep a statement journal, to undo itself alone if it fails. It changes one row and checks the constraints first,
 * and the command that fails is rolled back anyway. Without the journal, which copies each changed page, a flow run takes half the time.
 */
function addStatement(table: TableName, plan: UpdatePlan, columns: number): RowStatement {
  const { key, statements } = plan
  const assigned = columnsIn(plan, columns)
  const statement = {
    text: `update or fail ${table} set ${assigned.map((name) => `${name} = ?`).join(', ')} where ${key} = ?`,
    bind: compileBind([...assigned, key]),
  }
  statements.set(columns, statement)
  return statement
}

function compileBind(names: readonly string[]): RowStatement['bind'] {
  return new Function('row', `return [${names.map((name) => property('row', name)).join(', ')}]`) as RowStatement['bind']
}

function compileComparison(names: readonly string[]): UpdatePlan['changedColumns'] {
  const addAll = addBits(names, (name) => `${property('row', name)} !== ${property('stored', name)}`)
  return new Function('row', 'stored', `let low = 0, high = 0; ${addAll}; return ${joinedBits}`) as UpdatePlan['changedColumns']
}
