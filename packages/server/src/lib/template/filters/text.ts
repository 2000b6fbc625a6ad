import { bindArguments, expectInteger, expectText, isIterable, lengthOf, toItems } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { printf } from '../formatting.ts'
import { capitalized, centerText, replaceText, stripText } from '../methods/text.ts'
import { toText } from '../to-text.ts'
import { type Filter, isDict, isTruthy, type RenderState, Tuple, Undefined, type Value } from '../values.ts'

/** A filter on the text form of any value. */
const onText =
  (act: (self: string) => string): Filter =>
  (run, value) =>
    act(written(run, value))

function written(run: RenderState, value: Value): string {
  const text = toText(value, run.budget)
  run.budget.spendOnText(text.length)
  return text
}

/** Not a regular expression, which would search for the end of a comment at each of its starts. */
function withoutComments(self: string): string {
  let out = ''
  let at = 0
  for (;;) {
    const open = self.indexOf('<!--', at)
    const close = open < 0 ? -1 : self.indexOf('-->', open + 4)
    if (close < 0) return out + self.slice(at)
    out += self.slice(at, open)
    at = close + 3
  }
}

const marks: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': '\u00a0',
}
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' }
const escaped: Filter = (run, value) => {
  const self = written(run, value)
  run.budget.spendOnText(self.length * 5)
  return self.replace(/[&<>'"]/g, (mark) => entities[mark] as string)
}

const trim: Filter = (run, value, args) => {
  const { chars } = bindArguments('trim', args, 'chars')
  if (typeof chars === 'string') run.budget.spendOnText(chars.length)
  return stripText(written(run, value), chars == null ? undefined : expectText(chars), 'both')
}

const replace: Filter = (run, value, args) => {
  const { old, new: by, count } = bindArguments('replace', args, 'old', 'new', 'count')
  const times = count == null ? -1 : expectInteger(count, -1)
  return replaceText(written(run, value), written(run, old ?? ''), written(run, by ?? ''), times, run)
}

const truncate: Filter = (run, value, args) => {
  const { length, killwords, end, leeway } = bindArguments('truncate', args, 'length', 'killwords', 'end', 'leeway')
  const self = written(run, value)
  const most = expectInteger(length, 255)
  const mark = expectText(end, '...')
  if (most < mark.length) throw new TemplateError(`truncate needs a length of at least ${mark.length}`)
  if (self.length <= most + (leeway == null ? 5 : expectInteger(leeway, 5))) return self
  const kept = self.slice(0, most - mark.length)
  const lastBlank = kept.lastIndexOf(' ')
  return (killwords !== undefined && isTruthy(killwords)) || lastBlank < 0 ? kept + mark : kept.slice(0, lastBlank) + mark
}

const indent: Filter = (run, value, args) => {
  const { width, first, blank } = bindArguments('indent', args, 'width', 'first', 'blank')
  const by = typeof width === 'string' ? width : ' '.repeat(Math.min(Math.max(0, expectInteger(width, 4)), 1000))
  const [head = '', ...lines] = written(run, value).split('\n')
  run.budget.spendOnText(lines.length * by.length)
  const indented = lines.map((line) => (line === '' && !(blank !== undefined && isTruthy(blank)) ? line : by + line))
  return [first !== undefined && isTruthy(first) ? by + head : head, ...indented].join('\n')
}

const center: Filter = (run, value, args) => {
  const width = expectInteger(bindArguments('center', args, 'width').width, 80)
  run.budget.spendOnText(width)
  return centerText(written(run, value), width)
}

/** Fills lines up to the width and splits longer words. */
const wordwrap: Filter = (run, value, args) => {
  const { width, break_long_words, wrapstring } = bindArguments('wordwrap', args, 'width', 'break_long_words', 'wrapstring', 'break_on_hyphens')
  const most = Math.max(1, expectInteger(width, 79))
  const cut = break_long_words === undefined || isTruthy(break_long_words)
  const self = written(run, value)
  run.budget.spendOnDivision(self.length)
  const lines = self.split('\n').flatMap((line) => wrapped(line, most, cut))
  const between = wrapstring == null ? '\n' : expectText(wrapstring)
  run.budget.spendOnList(lines.length)
  run.budget.spendOnText(lines.length * between.length)
  return lines.join(between)
}

function wrapped(line: string, most: number, cut: boolean): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/\s+/)) {
    for (const piece of cut ? pieces(word, most) : [word]) {
      if (current !== '' && current.length + 1 + piece.length > most) {
        lines.push(current)
        current = piece
      } else current = current === '' ? piece : `${current} ${piece}`
    }
  }
  return [...lines, current]
}

const pieces = (word: string, most: number): string[] =>
  Array.from({ length: Math.max(1, Math.ceil(word.length / most)) }, (_, at) => word.slice(at * most, (at + 1) * most))

const urlencode: Filter = (run, value) => {
  if (typeof value === 'string' || !isIterable(value) || value instanceof Undefined) return quotedUrl(written(run, value), '/')
  const pairs: (readonly Value[])[] = isDict(value) ? [...value] : toItems(run, value).map((item) => toItems(run, item))
  return pairs.map(([key = '', inner = '']) => `${quotedPart(written(run, key))}=${quotedPart(written(run, inner))}`).join('&')
}

/** A blank in a query is a plus. */
const quotedPart = (self: string): string => quotedUrl(self, '').replaceAll('%20', '+')

const quotedUrl = (self: string, safe: string): string =>
  encodeURIComponent(self.toWellFormed())
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', safe === '/' ? '/' : '%2F')

const format: Filter = (run, value, args) => {
  if (args.positional.length > 0 && args.named.size > 0) throw new TemplateError("can't handle positional and keyword arguments at the same time")
  return printf(written(run, value), args.named.size > 0 ? new Map(args.named) : new Tuple(args.positional), run.budget)
}

export const textFilters: Readonly<Record<string, Filter>> = {
  upper: onText((self) => self.toUpperCase()),
  lower: onText((self) => self.toLowerCase()),
  capitalize: onText(capitalized),
  // Unlike the method of that name, words are separated by blanks, dashes and opening brackets.
  title(run, value) {
    const self = written(run, value)
    run.budget.spendOnDivision(self.length)
    return self
      .split(/([-\s({[<]+)/u)
      .map(capitalized)
      .join('')
  },
  trim,
  truncate,
  replace,
  indent,
  center,
  wordwrap,
  wordcount: (run, value) => BigInt(written(run, value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
  striptags: onText((self) =>
    withoutComments(self)
      .replaceAll(/<[^<>]*>/g, '')
      .split(/\s+/)
      .join(' ')
      .trim()
      .replaceAll(/&(?:amp|lt|gt|quot|apos|#39|#34|nbsp);/g, (entity) => marks[entity] as string),
  ),
  escape: escaped,
  e: escaped,
  forceescape: escaped,
  safe: onText((self) => self),
  string: onText((self) => self),
  urlencode,
  format,
  length: (run, value) => {
    if (typeof value === 'string') run.budget.spendOnText(value.length)
    return BigInt(lengthOf(value))
  },
  flow_run_id: (run, value) => /flow-run\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/.exec(written(run, value))?.[1] ?? null,
}
