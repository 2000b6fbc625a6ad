import { bindArguments, expectInteger } from './arguments.ts'
import { TemplateError } from './errors.ts'
import { type Arguments, type Key, NativeFunction, type RenderState, TemplateObject, type Value } from './values.ts'

/** The limit of the reference. */
const rangeMax = 100

function range(run: RenderState, args: Arguments): Value {
  const { a, b, c } = bindArguments('range', args, 'a', 'b', 'c')
  const [from, to] = b === undefined ? [0, expectInteger(a, 0)] : [expectInteger(a, 0), expectInteger(b, 0)]
  const step = expectInteger(c, 1)
  if (a === undefined) throw new TemplateError('range takes at least one number')
  if (step === 0) throw new TemplateError('The step of a range cannot be zero')
  const length = Math.max(0, Math.ceil((to - from) / step))
  if (!(length <= rangeMax)) throw new TemplateError(`Range too big: at most ${rangeMax} numbers`)
  run.budget.spendOnList(length)
  return Array.from({ length }, (_, index) => BigInt(from + index * step))
}

function dict(_run: RenderState, { positional, named }: Arguments): Value {
  const [start] = positional
  const entries: [Key, Value][] = start instanceof Map ? [...start] : []
  return new Map<Key, Value>([...entries, ...named])
}

/** `cycler('a', 'b')`, with `next()`, `reset()` and `current`. */
function cycler(_run: RenderState, { positional }: Arguments): Value {
  if (positional.length === 0) throw new TemplateError('cycler takes at least one value')
  let at = 0
  const attributes = new Map<string, Value>()
  const updateCurrent = (): Value => {
    const value = positional[at % positional.length] as Value
    attributes.set('current', value)
    return value
  }
  updateCurrent()
  attributes.set(
    'next',
    new NativeFunction('next', () => {
      const value = updateCurrent()
      at += 1
      updateCurrent()
      return value
    }),
  )
  attributes.set(
    'reset',
    new NativeFunction('reset', () => {
      at = 0
      updateCurrent()
      return null
    }),
  )
  return new TemplateObject('cycler', attributes, { text: 'cycler' })
}

/** `joiner(', ')` returns an empty text the first time and the separator afterwards. */
function joiner(_run: RenderState, args: Arguments): Value {
  const { sep = ', ' } = bindArguments('joiner', args, 'sep')
  let used = false
  return new NativeFunction('joiner', () => {
    if (used) return sep
    used = true
    return ''
  })
}

export const globalFunctions: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['range', new NativeFunction('range', range)],
  ['dict', new NativeFunction('dict', dict)],
  ['cycler', new NativeFunction('cycler', cycler)],
  ['joiner', new NativeFunction('joiner', joiner)],
])
