import { isEqual } from './operators.ts'
import { NativeFunction, type RenderState, TemplateObject, Tuple, Undefined, type Value } from './values.ts'

export interface LoopState {
  readonly items: readonly Value[]
  readonly index: number
  readonly depth: number
  /** Renders the loop again over other items, for a recursive loop. */
  readonly recurse: ((items: Value) => Value) | null
  /** What `loop.changed` was last asked with. */
  readonly lastChanged: { values: readonly Value[] | undefined }
}

/** The `loop` of a turn. */
export function createLoopObject({ items, index, depth, recurse: again, lastChanged: asked }: LoopState): Value {
  const last = items.length - 1
  const beside = (at: number): Value => items[at] as Value
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
    ['previtem', index === 0 ? new Undefined('there is no previous item') : beside(index - 1)],
    ['nextitem', index === last ? new Undefined('there is no next item') : beside(index + 1)],
    [
      'cycle',
      new NativeFunction('cycle', (_run, { positional }) =>
        positional.length === 0 ? new Undefined('cycle') : (positional[index % positional.length] as Value),
      ),
    ],
    [
      'changed',
      new NativeFunction('changed', (run: RenderState, { positional }) => {
        const changed = asked.values === undefined || !isEqual(new Tuple(asked.values), new Tuple(positional), run.budget)
        asked.values = positional
        return changed
      }),
    ],
  ])
  return new TemplateObject('loop', attributes, again ? { call: (_run, { positional }) => again(positional[0] ?? []) } : {})
}
