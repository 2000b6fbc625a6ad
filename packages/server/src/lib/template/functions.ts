import { bind, wholeNumber } from './arguments.ts'
import { TemplateError } from './errors.ts'
import { type Arguments, type Key, Model, Native, type Run, type Value } from './values.ts'

/** As in the reference: whoever needs more than this many numbers is not writing a message. */
const rangeMax = 100

function range(run: Run, args: Arguments): Value {
  const { a, b, c } = bind('range', args, 'a', 'b', 'c')
  const [from, to] = b === undefined ? [0, wholeNumber(a, 0)] : [wholeNumber(a, 0), wholeNumber(b, 0)]
  const step = wholeNumber(c, 1)
  if (a === undefined) throw new TemplateError('range takes at least one number')
  if (step === 0) throw new TemplateError('The step of a range cannot be zero')
  const length = Math.max(0, Math.ceil((to - from) / step))
  if (!(length <= rangeMax)) throw new TemplateError(`Range too big: at most ${rangeMax} numbers`)
  run.budget.list(length)
  return Array.from({ length }, (_, index) => BigInt(from + index * step))
}

function dict(_run: Run, { positional, named }: Arguments): Value {
  const [start] = positional
  const entries: [Key, Value][] = start instanceof Map ? [...start] : []
  return new Map<Key, Value>([...entries, ...named])
}

/** `cycler('a', 'b')`, with `next()`, `reset()` and `current`. */
function cycler(_run: Run, { positional }: Arguments): Value {
  if (positional.length === 0) throw new TemplateError('cycler takes at least one value')
  let at = 0
  const attributes = new Map<string, Value>()
  const settle = (): Value => {
    const value = positional[at % positional.length] as Value
    attributes.set('current', value)
    return value
  }
  settle()
  attributes.set(
    'next',
    new Native('next', () => {
      const value = settle()
      at += 1
      settle()
      return value
    }),
  )
  attributes.set(
    'reset',
    new Native('reset', () => {
      at = 0
      settle()
      return null
    }),
  )
  return new Model('cycler', attributes, { text: 'cycler' })
}

/** `joiner(', ')` gives nothing the first time and the separator from then on. */
function joiner(_run: Run, args: Arguments): Value {
  const { sep = ', ' } = bind('joiner', args, 'sep')
  let used = false
  return new Native('joiner', () => {
    if (used) return sep
    used = true
    return ''
  })
}

export const globals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['range', new Native('range', range)],
  ['dict', new Native('dict', dict)],
  ['cycler', new Native('cycler', cycler)],
  ['joiner', new Native('joiner', joiner)],
])
