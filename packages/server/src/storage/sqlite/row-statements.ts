import type { SqlValue } from '../connection.ts'
import type { StoredRows } from '../dialect.ts'
import type { TableName } from '../tables.ts'

/** A statement that is run once for each row. */
export interface RowStatement {
  readonly text: string
  /** The values of a row in the order of the statement. Compiled, because reading properties by variable names is slow. */
  readonly bind: (row: object) => SqlValue[]
}

interface Shape {
  readonly names: readonly string[]
}

interface InsertPlan extends Shape, RowStatement {
  readonly onConflict: string
}

interface UpdatePlan extends Shape {
  readonly key: string
  /** A bit for each column that differs from the stored row. No table has the 53 columns that a number has exact bits for. */
  readonly changedColumns: (row: object, stored: object) => number
  readonly statements: Map<number, RowStatement>
}

/** Rows of a table have few shapes, but an update of some fields has one for each set of them. */
const plansMax = 50

const insertPlans = new Map<TableName, InsertPlan[]>()
const updatePlans = new Map<TableName, UpdatePlan[]>()

/** The insert of rows with the columns of the first one. */
export function insertStatement(table: TableName, row: object, onConflict: string): RowStatement {
  const names = Object.keys(row)
  const plans = plansOf(insertPlans, table)
  return (
    plans.find((plan) => plan.onConflict === onConflict && hasNames(plan, names)) ??
    remember(plans, {
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

const allColumns = ({ names }: Shape): number => 2 ** names.length - 1

function updatePlan(table: TableName, row: object, key: string): UpdatePlan {
  const names = Object.keys(row).filter((name) => name !== key)
  const plans = plansOf(updatePlans, table)
  return (
    plans.find((plan) => plan.key === key && hasNames(plan, names)) ??
    remember(plans, { names, key, changedColumns: compileComparison(names), statements: new Map() })
  )
}

/**
 * Because of the triggers a plain update would keep a statement journal, to undo itself alone if it fails. It changes one row and checks the constraints first,
 * and the command that fails is rolled back anyway. Without the journal, which copies each changed page, a flow run takes half the time.
 */
function addStatement(table: TableName, { key, names, statements }: UpdatePlan, columns: number): RowStatement {
  const assigned = names.filter((_, index) => Math.floor(columns / 2 ** index) % 2 === 1)
  const statement = {
    text: `update or fail ${table} set ${assigned.map((name) => `${name} = ?`).join(', ')} where ${key} = ?`,
    bind: compileBind([...assigned, key]),
  }
  statements.set(columns, statement)
  return statement
}

function plansOf<P>(plans: Map<TableName, P[]>, table: TableName): P[] {
  const found = plans.get(table)
  if (found) return found
  const added: P[] = []
  plans.set(table, added)
  return added
}

function remember<P>(plans: P[], plan: P): P {
  if (plans.length >= plansMax) plans.shift()
  plans.push(plan)
  return plan
}

const hasNames = (plan: Shape, names: readonly string[]): boolean =>
  plan.names.length === names.length && names.every((name, index) => name === plan.names[index])

const property = (object: string, name: string): string => `${object}[${JSON.stringify(name)}]`

/** The names are columns of the server's own tables. */
function compileBind(names: readonly string[]): RowStatement['bind'] {
  return new Function('row', `return [${names.map((name) => property('row', name)).join(', ')}]`) as RowStatement['bind']
}

function compileComparison(names: readonly string[]): UpdatePlan['changedColumns'] {
  const bits = names.map((name, index) => `(${property('row', name)} !== ${property('stored', name)} ? ${2 ** index} : 0)`)
  return new Function('row', 'stored', `return ${bits.join(' + ')}`) as UpdatePlan['changedColumns']
}
