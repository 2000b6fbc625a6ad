import type { TableName } from './tables.ts'

/** The columns of rows that were built in one place. */
export interface RowShape {
  readonly names: readonly string[]
}

/** Rows of a table have few shapes, but an update of some fields has one for each set of them. */
const shapesMax = 50

/** What was prepared for the shapes of a table's rows. */
export class ShapeCache<P extends RowShape> {
  readonly #byTable = new Map<TableName, P[]>()

  find(table: TableName, names: readonly string[], matches: (prepared: P) => boolean): P | undefined {
    return this.#byTable.get(table)?.find((prepared) => hasNames(prepared, names) && matches(prepared))
  }

  add(table: TableName, prepared: P): P {
    const ofTable = this.#byTable.get(table) ?? []
    this.#byTable.set(table, ofTable)
    if (ofTable.length >= shapesMax) ofTable.shift()
    ofTable.push(prepared)
    return prepared
  }
}

const hasNames = (shape: RowShape, names: readonly string[]): boolean =>
  shape.names.length === names.length && names.every((name, index) => name === shape.names[index])

/** The code that reads a property. Reading by a variable name is slow. The names are columns of the server's own tables. */
export const property = (object: string, name: string): string => `${object}[${JSON.stringify(name)}]`

/** Code that sets a bit for each column whose condition holds, in `low` for the first 31 and in `high` for the others. */
export function addBits(names: readonly string[], condition: (name: string) => string): string {
  return names.map((name, index) => `${index < 31 ? 'low' : 'high'} |= ${condition(name)} ? ${2 ** (index % 31)} : 0`).join('; ')
}

/** Code that joins the two to one number. No table has the 53 columns that a number has exact bits for. */
export const joinedBits = `high * ${2 ** 31} + low`

export const allColumns = ({ names }: RowShape): number => 2 ** names.length - 1

/** The columns whose bits are set. */
export const columnsIn = ({ names }: RowShape, bits: number): string[] => names.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1)
