import { bind, itemsOf, text, wholeNumber } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { formatted } from '../formatting.ts'
import { type Arguments, type Run, Tuple, type Value } from '../values.ts'
import { boundMethod } from './bound-method.ts'

type Act = (self: string, args: Arguments, run: Run) => Value

const onText = (letters: RegExp) => (self: string) => self !== '' && letters.test(self)
const cased = (self: string, fold: (text: string) => string): boolean => fold(self) === self && self.toLowerCase() !== self.toUpperCase()
export const capitalized = (self: string): string => self.slice(0, 1).toUpperCase() + self.slice(1).toLowerCase()
/** Each run of letters is a word; what separates them stays. */
export const titled = (self: string): string => self.replaceAll(/\p{L}+/gu, capitalized)

/** Blanks, or any of the characters that were named. */
export function stripped(self: string, characters: string | undefined, sides: 'both' | 'left' | 'right'): string {
  const dropped = characters === undefined ? undefined : new Set(characters.split(''))
  const drops = (mark: string): boolean => (dropped ? dropped.has(mark) : /\s/.test(mark))
  let [from, to] = [0, self.length]
  if (sides !== 'right') while (from < to && drops(self[from] as string)) from += 1
  if (sides !== 'left') while (to > from && drops(self[to - 1] as string)) to -= 1
  return self.slice(from, to)
}

const strip =
  (sides: 'both' | 'left' | 'right'): Act =>
  (self, args, run) => {
    const { chars } = bind('strip', args, 'chars')
    if (typeof chars === 'string') run.budget.text(chars.length)
    return stripped(self, chars == null ? undefined : text(chars), sides)
  }

function split(self: string, args: Arguments, run: Run): Value {
  const { sep, maxsplit } = bind('split', args, 'sep', 'maxsplit')
  const most = wholeNumber(maxsplit, -1)
  const parts = sep == null ? blankParts(self, most) : separated(self, text(sep), most, run)
  run.budget.list(parts.length)
  return parts
}

function separated(self: string, separator: string, most: number, run: Run): string[] {
  run.budget.search(self.length, separator.length)
  if (separator === '') throw new TemplateError('The separator is empty')
  const parts = self.split(separator)
  return most < 0 || parts.length <= most + 1 ? parts : [...parts.slice(0, most), parts.slice(most).join(separator)]
}

function blankParts(self: string, most: number): string[] {
  const trimmed = self.trim()
  if (trimmed === '') return []
  const words = trimmed.split(/\s+/)
  if (most < 0 || words.length <= most + 1) return words
  let rest = self.trimStart()
  for (let taken = 0; taken < most; taken += 1) rest = rest.slice((words[taken] as string).length).trimStart()
  return [...words.slice(0, most), rest]
}

function rsplit(self: string, args: Arguments, run: Run): Value {
  const { sep, maxsplit } = bind('rsplit', args, 'sep', 'maxsplit')
  const most = wholeNumber(maxsplit, -1)
  if (sep == null || most < 0) return split(self, args, run)
  const parts = separated(self, text(sep), -1, run)
  run.budget.list(parts.length)
  return parts.length <= most + 1 ? parts : [parts.slice(0, -most || undefined).join(text(sep)), ...(most === 0 ? [] : parts.slice(-most))]
}

function replace(self: string, args: Arguments, run: Run): Value {
  const { old, new: by, count } = bind('replace', args, 'old', 'new', 'count')
  return replaced(self, text(old), text(by), wholeNumber(count, -1), run)
}

export function replaced(self: string, old: string, by: string, count: number, run: Run): string {
  run.budget.search(self.length, old.length)
  const parts = old === '' ? ['', ...self, ''] : self.split(old)
  const times = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1)
  run.budget.text(self.length + times * by.length)
  return parts.slice(0, times + 1).join(by) + parts.slice(times + 1).reduce((rest, part) => rest + old + part, '')
}

function join(self: string, args: Arguments, run: Run): Value {
  const { iterable } = bind('join', args, 'iterable')
  const parts = itemsOf(run, iterable ?? []).map((part) => text(part))
  run.budget.text(parts.reduce((sum, part) => sum + part.length + self.length, 0))
  return parts.join(self)
}

/** `startswith` and `endswith` take one text or a tuple of them. */
const ends =
  (name: string, has: (self: string, part: string) => boolean): Act =>
  (self, args, run) => {
    const { part } = bind(name, args, 'part')
    const holds = (one: string): boolean => {
      run.budget.spend()
      run.budget.compare(self, one)
      return has(self, one)
    }
    return part instanceof Tuple ? part.items.some((one) => holds(text(one))) : holds(text(part))
  }

const find =
  (last: boolean, required: boolean): Act =>
  (self, args, run) => {
    const { sub } = bind('find', args, 'sub')
    run.budget.search(self.length, text(sub).length)
    const at = last ? self.lastIndexOf(text(sub)) : self.indexOf(text(sub))
    if (at < 0 && required) throw new TemplateError('The text was not found')
    return BigInt(at)
  }

const padded =
  (name: string, pad: (self: string, width: number, fill: string) => string): Act =>
  (self, args, run) => {
    const { width, fill } = bind(name, args, 'width', 'fill')
    const wanted = wholeNumber(width, 0)
    run.budget.text(wanted)
    const mark = text(fill, ' ')
    if ([...mark].length !== 1) throw new TemplateError('What fills a text is one character')
    return pad(self, wanted, mark)
  }

export function centered(self: string, width: number, fill = ' '): string {
  const left = Math.max(0, width - self.length)
  // Python puts the odd blank to the left only when the width is odd.
  const before = Math.floor(left / 2) + (left & width & 1)
  return fill.repeat(before) + self + fill.repeat(left - before)
}

const partition =
  (last: boolean): Act =>
  (self, args, run) => {
    const { sep } = bind('partition', args, 'sep')
    const separator = text(sep)
    run.budget.search(self.length, separator.length)
    const at = last ? self.lastIndexOf(separator) : self.indexOf(separator)
    if (at < 0) return new Tuple(last ? ['', '', self] : [self, '', ''])
    return new Tuple([self.slice(0, at), separator, self.slice(at + separator.length)])
  }

const acts: Readonly<Record<string, Act>> = {
  upper: (self) => self.toUpperCase(),
  lower: (self) => self.toLowerCase(),
  casefold: (self) => self.toLowerCase(),
  title: titled,
  capitalize: capitalized,
  swapcase: (self) => [...self].map((mark) => (mark === mark.toUpperCase() ? mark.toLowerCase() : mark.toUpperCase())).join(''),
  strip: strip('both'),
  lstrip: strip('left'),
  rstrip: strip('right'),
  split,
  rsplit,
  splitlines: (self) => (self === '' ? [] : self.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/)),
  join,
  replace,
  startswith: ends('startswith', (self, part) => self.startsWith(part)),
  endswith: ends('endswith', (self, part) => self.endsWith(part)),
  find: find(false, false),
  rfind: find(true, false),
  index: find(false, true),
  rindex: find(true, true),
  count(self, args, run) {
    const sub = text(bind('count', args, 'sub').sub)
    run.budget.search(self.length, sub.length)
    return BigInt(self.split(sub).length - 1)
  },
  isdigit: onText(/^\d+$/),
  isnumeric: onText(/^\p{N}+$/u),
  isdecimal: onText(/^\p{Nd}+$/u),
  isalpha: onText(/^\p{L}+$/u),
  isalnum: onText(/^[\p{L}\p{N}]+$/u),
  isspace: onText(/^\s+$/),
  islower: (self) => cased(self, (it) => it.toLowerCase()),
  isupper: (self) => cased(self, (it) => it.toUpperCase()),
  istitle: (self) => cased(self, titled),
  ljust: padded('ljust', (self, width, fill) => self.padEnd(width, fill)),
  rjust: padded('rjust', (self, width, fill) => self.padStart(width, fill)),
  center: padded('center', centered),
  zfill(self, args, run) {
    const width = wholeNumber(bind('zfill', args, 'width').width, 0)
    run.budget.text(width)
    const sign = /^[+-]/.test(self) ? self.slice(0, 1) : ''
    return sign + self.slice(sign.length).padStart(width - sign.length, '0')
  },
  partition: partition(false),
  rpartition: partition(true),
  removeprefix(self, args) {
    const prefix = text(bind('removeprefix', args, 'prefix').prefix)
    return self.startsWith(prefix) ? self.slice(prefix.length) : self
  },
  removesuffix(self, args) {
    const suffix = text(bind('removesuffix', args, 'suffix').suffix)
    return suffix !== '' && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self
  },
  format: (self, args, run) => formatted(self, args, run),
}

/** What templates may call on a text. Every call costs as much as looking through the text once. */
export const textMethods: ReadonlyMap<string, (self: string) => Value> = new Map<string, (self: string) => Value>([
  ...Object.entries(acts).map(([name, act]): [string, (self: string) => Value] => [
    name,
    boundMethod<string>(name, (self, args, run) => {
      run.budget.text(self.length)
      return act(self, args, run)
    }),
  ]),
  // Words of the API, such as the type of a state, were enumerations: people wrote `flow_run.state.type.value`.
  ['value', (self) => self],
])
