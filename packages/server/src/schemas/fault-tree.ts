import type { SchemaValueError } from '@millrace/contracts/schema-validation.ts'
import type { Fault } from './form-checker.ts'

type Node = Exclude<SchemaValueError, string>

const isAt = (node: SchemaValueError, step: string | number): node is Node =>
  typeof node !== 'string' && (typeof step === 'number' ? 'index' in node && node.index === step : 'property' in node && node.property === step)

const nodeAt = (step: string | number): Node => (typeof step === 'number' ? { index: step, errors: [] } : { property: step, errors: [] })

/** Faults laid out as the values are: by field, by index, and so on inwards. Each fault of a field stands for itself. */
export function faultTree(faults: readonly Fault[]): SchemaValueError[] {
  const root: SchemaValueError[] = []
  for (const { path, message } of faults) {
    let level = root
    path.forEach((step, depth) => {
      const known = depth < path.length - 1 ? level.find((node) => isAt(node, step)) : undefined
      const node = (known as Node | undefined) ?? nodeAt(step)
      if (!known) level.push(node)
      level = node.errors
    })
    level.push(message)
  }
  return root
}
