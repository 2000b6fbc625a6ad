import { isEqual } from './operators.ts'
import { NativeFunction, type RenderState, TemplateObject, Tuple, Undefined, type Value } from './values.ts'

export interface LoopState {
  readonly items: readonly Value[]
  readonly index: number
  readonly depth: number
  /** Renders the loop again over other items, for a recursive loop. */
  readonly recurse: ((items: Value) => Value) | null
  /** The last arguments of `loop.changed`. */
  readonly lastChanged: { values: readonly Value[] | undefined }
}

/** The `loop` variable of an iteration. */
export function createLoopObject({ items, index, depth, recurse, lastChanged }: LoopState): Value {
  const last = items.length - 1
  const itemAt = (at: number): Value => items[at] as Value
  const attributes = new Map<string, Value>([
    ['index', BigInt(index + 1)],
    ['index0', BigInt(index)],
    ['revindex', BigInt(last - index + 1)],
    ['revindex0', BigInt(last - index)],
    ['first', index === 0],
    ['last', index === last],
    ['length', BigInt(items.length)],
    ['depth', BigInt(depth + 1)],
    ['depth0', BigInt(depth)],
    ['previtem', index === 0 ? new Undefined('there is no previous item') : itemAt(index - 1)],
    ['nextitem', index === last ? new Undefined('there is no next item') : itemAt(index + 1)],
    [
      'cycle',
      new NativeFunction('cycle', (_run, { positional }) =>
        positional.length === 0 ? new Undefined('cycle') : (positional[index % positional.length] as Value),
      ),
    ],
    [
      'changed',
      new NativeFunction('changed', (run: RenderState, { positional }) => {
        const changed = lastChanged.values === undefined || !isEqual(new Tuple(lastChanged.values), new Tuple(positional), run.budget)
        lastChanged.values = positional
        return changed
      }),
    ],
  ])
  return new TemplateObject('loop', attributes, recurse ? { call: (_run, { positional }) => recurse(positional[0] ?? []) } : {})
}
