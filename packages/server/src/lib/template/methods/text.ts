import { bindArguments, expectInteger, expectText, toItems } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { formatBraces } from '../formatting.ts'
import { type Arguments, boundMethod, type RenderState, Tuple, type Value } from '../values.ts'

type TextFunction = (self: string, args: Arguments, run: RenderState) => Value

const onText = (letters: RegExp) => (self: string) => self !== '' && letters.test(self)
const cased = (self: string, fold: (text: string) => string): boolean => fold(self) === self && self.toLowerCase() !== self.toUpperCase()
export const capitalized = (self: string): string => self.slice(0, 1).toUpperCase() + self.slice(1).toLowerCase()
/** Each run of letters is a word; separators stay unchanged. */
export const titled = (self: string): string => self.replaceAll(/\p{L}+/gu, capitalized)

/** Strips blanks, or any of the given characters. */
export function stripText(self: string, characters: string | undefined, sides: 'both' | 'left' | 'right'): string {
  const dropped = characters === undefined ? undefined : new Set(characters.split(''))
  const drops = (mark: string): boolean => (dropped ? dropped.has(mark) : /\s/.test(mark))
  let [from, to] = [0, self.length]
  if (sides !== 'right') while (from < to && drops(self[from] as string)) from += 1
  if (sides !== 'left') while (to > from && drops(self[to - 1] as string)) to -= 1
  return self.slice(from, to)
}

const strip =
  (sides: 'both' | 'left' | 'right'): TextFunction =>
  (self, args, run) => {
    const { chars } = bindArguments('strip', args, 'chars')
    if (typeof chars === 'string') run.budget.spendOnText(chars.length)
    return stripText(self, chars == null ? undefined : expectText(chars), sides)
  }

function split(self: string, args: Arguments, run: RenderState): Value {
  const { sep, maxsplit } = bindArguments('split', args, 'sep', 'maxsplit')
  const most = expectInteger(maxsplit, -1)
  const parts = sep == null ? blankParts(self, most) : separated(self, expectText(sep), most, run)
  run.budget.spendOnList(parts.length)
  return parts
}

function separated(self: string, separator: string, most: number, run: RenderState): string[] {
  run.budget.spendOnSearch(self.length, separator.length)
  if (separator === '') throw new TemplateError('empty separator')
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

function rsplit(self: string, args: Arguments, run: RenderState): Value {
  const { sep, maxsplit } = bindArguments('rsplit', args, 'sep', 'maxsplit')
  const most = expectInteger(maxsplit, -1)
  if (sep == null || most < 0) return split(self, args, run)
  const parts = separated(self, expectText(sep), -1, run)
  run.budget.spendOnList(parts.length)
  return parts.length <= most + 1 ? parts : [parts.slice(0, -most || undefined).join(expectText(sep)), ...(most === 0 ? [] : parts.slice(-most))]
}

function replace(self: string, args: Arguments, run: RenderState): Value {
  const { old, new: by, count } = bindArguments('replace', args, 'old', 'new', 'count')
  return replaceText(self, expectText(old), expectText(by), expectInteger(count, -1), run)
}

export function replaceText(self: string, old: string, by: string, count: number, run: RenderState): string {
  run.budget.spendOnSearch(self.length, old.length)
  const parts = old === '' ? ['', ...self, ''] : self.split(old)
  const times = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1)
  run.budget.spendOnText(self.length + times * by.length)
  return parts.slice(0, times + 1).join(by) + parts.slice(times + 1).reduce((rest, part) => rest + old + part, '')
}

function join(self: string, args: Arguments, run: RenderState): Value {
  const { iterable } = bindArguments('join', args, 'iterable')
  const parts = toItems(run, iterable ?? []).map((part) => expectText(part))
  run.budget.spendOnText(parts.reduce((sum, part) => sum + part.length + self.length, 0))
  return parts.join(self)
}

/** `startswith` and `endswith` take one text or a tuple of them. */
const startsOrEndsWith =
  (name: string, has: (self: string, part: string) => boolean): TextFunction =>
  (self, args, run) => {
    const { part } = bindArguments(name, args, 'part')
    const holds = (one: string): boolean => {
      run.budget.spend()
      run.budget.spendOnComparison(self, one)
      return has(self, one)
    }
    return part instanceof Tuple ? part.items.some((one) => holds(expectText(one))) : holds(expectText(part))
  }

const find =
  (last: boolean, required: boolean): TextFunction =>
  (self, args, run) => {
    const { sub } = bindArguments('find', args, 'sub')
    run.budget.spendOnSearch(self.length, expectText(sub).length)
    const at = last ? self.lastIndexOf(expectText(sub)) : self.indexOf(expectText(sub))
    if (at < 0 && required) throw new TemplateError('substring not found')
    return BigInt(at)
  }

const padded =
  (name: string, pad: (self: string, width: number, fill: string) => string): TextFunction =>
  (self, args, run) => {
    const { width, fill } = bindArguments(name, args, 'width', 'fill')
    const wanted = expectInteger(width, 0)
    run.budget.spendOnText(wanted)
    const mark = expectText(fill, ' ')
    if ([...mark].length !== 1) throw new TemplateError('The fill character must be exactly one character long')
    return pad(self, wanted, mark)
  }

export function centerText(self: string, width: number, fill = ' '): string {
  const left = Math.max(0, width - self.length)
  // Python adds the extra blank on the left only for an odd width.
  const before = Math.floor(left / 2) + (left & width & 1)
  return fill.repeat(before) + self + fill.repeat(left - before)
}

const partition =
  (last: boolean): TextFunction =>
  (self, args, run) => {
    const { sep } = bindArguments('partition', args, 'sep')
    const separator = expectText(sep)
    run.budget.spendOnSearch(self.length, separator.length)
    const at = last ? self.lastIndexOf(separator) : self.indexOf(separator)
    if (at < 0) return new Tuple(last ? ['', '', self] : [self, '', ''])
    return new Tuple([self.slice(0, at), separator, self.slice(at + separator.length)])
  }

const textFunctions: Readonly<Record<string, TextFunction>> = {
  upper: (self) => self.toUpperCase(),
  lower: (self) => self.toLowerCase(),
  casefold: (self) => self.toLowerCase(),
  title: (self, _args, { budget }) => {
    budget.spendOnDivision(self.length)
    return titled(self)
  },
  capitalize: capitalized,
  swapcase: (self, _args, { budget }) => {
    budget.spendOnDivision(self.length)
    return [...self].map((mark) => (mark === mark.toUpperCase() ? mark.toLowerCase() : mark.toUpperCase())).join('')
  },
  strip: strip('both'),
  lstrip: strip('left'),
  rstrip: strip('right'),
  split,
  rsplit,
  splitlines: (self) => (self === '' ? [] : self.replace(/(\r\n|\r|\n)$/, '').split(/\r\n|\r|\n/)),
  join,
  replace,
  startswith: startsOrEndsWith('startswith', (self, part) => self.startsWith(part)),
  endswith: startsOrEndsWith('endswith', (self, part) => self.endsWith(part)),
  find: find(false, false),
  rfind: find(true, false),
  index: find(false, true),
  rindex: find(true, true),
  count(self, args, run) {
    const sub = expectText(bindArguments('count', args, 'sub').sub)
    run.budget.spendOnSearch(self.length, sub.length)
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
  istitle: (self, _args, { budget }) => {
    budget.spendOnDivision(self.length)
    return cased(self, titled)
  },
  ljust: padded('ljust', (self, width, fill) => self.padEnd(width, fill)),
  rjust: padded('rjust', (self, width, fill) => self.padStart(width, fill)),
  center: padded('center', centerText),
  zfill(self, args, run) {
    const width = expectInteger(bindArguments('zfill', args, 'width').width, 0)
    run.budget.spendOnText(width)
    const sign = /^[+-]/.test(self) ? self.slice(0, 1) : ''
    return sign + self.slice(sign.length).padStart(width - sign.length, '0')
  },
  partition: partition(false),
  rpartition: partition(true),
  removeprefix(self, args) {
    const prefix = expectText(bindArguments('removeprefix', args, 'prefix').prefix)
    return self.startsWith(prefix) ? self.slice(prefix.length) : self
  },
  removesuffix(self, args) {
    const suffix = expectText(bindArguments('removesuffix', args, 'suffix').suffix)
    return suffix !== '' && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self
  },
  format: (self, args, run) => formatBraces(self, args, run),
}

/** The methods of strings. Each call spends as much as one scan of the text. */
export const textMethods: ReadonlyMap<string, (self: string) => Value> = new Map<string, (self: string) => Value>([
  ...Object.entries(textFunctions).map(([name, act]): [string, (self: string) => Value] => [
    name,
    boundMethod<string>(name, (self, args, run) => {
      run.budget.spendOnText(self.length)
      return act(self, args, run)
    }),
  ]),
  // State types and similar values were enums in the reference: templates use `flow_run.state.type.value`.
  ['value', (self) => self],
])
