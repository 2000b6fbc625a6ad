import type { Fault } from '../errors.ts'
import { prefixFaults, type Read } from './read-scalar.ts'

/** A property of an object schema. */
export interface Field {
  readonly name: string
  readonly read: Read
  readonly required: boolean
  readonly fallback: (() => unknown) | undefined
}

/** Reads the fields of an object into another one. */
type FieldReader = (value: Readonly<Record<string, unknown>>, made: Record<string, unknown>, faults: Fault[]) => void

/**
 * Generates a function that reads the fields by name: 6 µs instead of 12 for the bodies of a new run and of a state. A loop that reads all schemas
 * accesses objects of any shape by any name, which the engine cannot cache. The names come from the contracts, never from a request. Generated when it
 * is first called, because most schemas of a server are never read. With `isParameters` null counts as no value.
 */
export function compileFieldReader(fields: readonly Field[], isParameters: boolean): FieldReader {
  let readFields: FieldReader | undefined
  return (value, made, faults) => {
    readFields ??= generate(fields, isParameters)
    readFields(value, made, faults)
  }
}

function generate(fields: readonly Field[], isParameters: boolean): FieldReader {
  const lines = fields.map(({ name, required, fallback }, index) => {
    const key = JSON.stringify(name)
    const absent = fallback ? `made[${key}] = fallbacks[${index}]()` : required ? `addMissing(faults, ${key}, value)` : ''
    return `
      given = value[${key}]
      if (given === undefined${isParameters ? ' || given === null' : ''}) { ${absent} }
      else {
        before = faults.length
        made[${key}] = reads[${index}](given, faults)
        if (faults.length > before) prefixFaults(faults, before, [${key}])
      }`
  })
  const body = `return (value, made, faults) => { let given, before; ${lines.join('')} }`
  return new Function('reads', 'fallbacks', 'addMissing', 'prefixFaults', body)(
    fields.map(({ read }) => read),
    fields.map(({ fallback }) => fallback),
    addMissing,
    prefixFaults,
  )
}

function addMissing(faults: Fault[], name: string, value: unknown): void {
  faults.push({ loc: [name], type: 'missing', msg: 'Field required', input: value })
}
