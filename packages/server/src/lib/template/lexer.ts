import { TemplateSyntaxError } from './errors.ts'

export type TokenKind =
  | 'data'
  | 'print-begin'
  | 'print-end'
  | 'block-begin'
  | 'block-end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  /** The unescaped text of data and strings; the source text of other tokens. */
  readonly value: string
  readonly line: number
}

const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy
const FLOAT = /\d+(?:_\d+)*(?:(?:\.\d+(?:_\d+)*)?[eE][+-]?\d+(?:_\d+)*|\.\d+(?:_\d+)*)/y
const INTEGER = /0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|[1-9](?:_?\d)*|0(?:_?0)*/y
const STRING = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[+\-/*%~[\](){}><=.:|,;]/y
const BLANK = /\s+/y
const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ['float', FLOAT],
  ['integer', INTEGER],
  ['name', NAME],
  ['string', STRING],
  ['operator', OPERATOR],
]
const OPENING = /\{(?:%|\{|#)/g
const RAW_BEGIN = /\{%[-+]?\s*raw\s*(?:-%\}\s*|%\})/y
const RAW_END = /\{%([-+]?)\s*endraw\s*(-%\}\s*|\+?%\})/g
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Splits a template into text and the tokens of its tags. */
export function tokenize(template: string): Token[] {
  const source = template.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')
  const tokens: Token[] = []
  let at = 0
  let line = 1
  /** A tag that ends in `-` strips the following blanks. */
  let eatBlanks = false

  const fail = (message: string): never => {
    throw new TemplateSyntaxError(message, line)
  }
  const push = (kind: TokenKind, value: string): void => {
    tokens.push({ kind, value, line })
  }
  const advance = (to: number): void => {
    for (; at < to; at += 1) if (source.charCodeAt(at) === 10) line += 1
  }
  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    return pattern.exec(source)?.[0]
  }
  function data(to: number, trimEnd: boolean): void {
    let text = source.slice(at, to)
    if (eatBlanks) text = text.trimStart()
    if (trimEnd) text = text.trimEnd()
    if (text !== '') push('data', text)
    advance(to)
    eatBlanks = false
  }

  function comment(): void {
    const end = source.indexOf('#}', at + 2)
    if (end < 0) fail('Missing end of comment tag')
    eatBlanks = source[end - 1] === '-' && end - 1 > at + 1
    advance(end + 2)
  }

  function raw(begin: string): void {
    advance(at + begin.length)
    eatBlanks = begin.includes('-%}')
    RAW_END.lastIndex = at
    const end = RAW_END.exec(source)
    if (!end) throw new TemplateSyntaxError('Missing end of raw directive', line)
    data(end.index, end[1] === '-')
    eatBlanks = (end[2] as string).startsWith('-')
    advance(RAW_END.lastIndex)
  }

  /** Reads the content of a tag. Counts brackets, because `}}` may close two dictionaries. */
  function tag(kind: 'print' | 'block'): void {
    const end = kind === 'print' ? '}}' : '%}'
    const open: string[] = []
    push(`${kind}-begin`, '')
    for (;;) {
      const blank = match(BLANK)
      if (blank !== undefined) advance(at + blank.length)
      if (at >= source.length) fail(`Unexpected end of template: a tag is not closed with ${end}`)
      if (open.length === 0) {
        const sign = source[at] === '-' || (source[at] === '+' && kind === 'block') ? source[at] : ''
        if (source.startsWith(`${sign}${end}`, at)) {
          push(`${kind}-end`, '')
          eatBlanks = sign === '-'
          advance(at + end.length + (sign ? 1 : 0))
          return
        }
      }
      token(open)
    }
  }

  function token(open: string[]): void {
    const [kind, spelling] = nextToken()
    if (kind === 'operator') count(spelling, open)
    const value =
      kind === 'string' ? unescapeString(spelling.slice(1, -1)) : kind === 'integer' || kind === 'float' ? spelling.replaceAll('_', '') : spelling
    push(kind, value)
    advance(at + spelling.length)
  }

  function nextToken(): [TokenKind, string] {
    for (const [kind, pattern] of patterns) {
      const spelling = match(pattern)
      if (spelling !== undefined) return [kind, spelling]
    }
    return fail(`Unexpected character ${JSON.stringify(source[at])}`)
  }

  /** Checks that brackets match. */
  function count(operator: string, open: string[]): void {
    if (operator in CLOSERS) open.push(CLOSERS[operator] as string)
    else if (operator === ')' || operator === ']' || operator === '}') {
      const expected = open.pop()
      if (expected !== operator) fail(expected ? `Unexpected '${operator}', expected '${expected}'` : `Unexpected '${operator}'`)
    }
  }

  for (;;) {
    OPENING.lastIndex = at
    const opening = OPENING.exec(source)
    if (!opening) break
    const mark = opening[0]
    const sign = source[opening.index + 2] ?? ''
    data(opening.index, sign === '-')
    if (mark === '{#') comment()
    else {
      const rawBegin = mark === '{%' ? match(RAW_BEGIN) : undefined
      if (rawBegin !== undefined) raw(rawBegin)
      else {
        advance(at + (sign === '-' || sign === '+' ? 3 : 2))
        tag(mark === '{{' ? 'print' : 'block')
      }
    }
  }
  data(source.length, false)
  push('end', '')
  return tokens
}

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
}

function unescapeString(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(ESCAPE, (whole, two?: string, four?: string, eight?: string, octal?: string, mark?: string) => {
    const code = two ?? four ?? eight
    if (code !== undefined) return codePoint(Number.parseInt(code, 16), whole)
    if (octal !== undefined) return codePoint(Number.parseInt(octal, 8), whole)
    return Object.hasOwn(ESCAPES, mark as string) ? (ESCAPES[mark as string] as string) : whole
  })
}

const codePoint = (code: number, otherwise: string): string => (code <= 0x10ffff ? String.fromCodePoint(code) : otherwise)
