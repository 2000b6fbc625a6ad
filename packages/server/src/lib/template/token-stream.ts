import { TemplateSyntaxError } from './errors.ts'
import type { Token, TokenKind } from './lexer.ts'

/** Maximum nesting of brackets and blocks. Deeper templates would exhaust the stack. */
const depthMax = 100
/** Maximum length of chains such as `a.b.b.b` or `1 + 1 + 1`, whose nodes are nested. */
const linksMax = 500

/** Reads the tokens of a template in order. */
export class TokenStream {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get current(): Token {
    return this.#tokens[this.#at] as Token
  }

  get following(): Token {
    return this.#tokens[Math.min(this.#at + 1, this.#tokens.length - 1)] as Token
  }

  next(): Token {
    const token = this.current
    if (token.kind !== 'end') this.#at += 1
    return token
  }

  is(kind: TokenKind, value?: string): boolean {
    const { current } = this
    return current.kind === kind && (value === undefined || current.value === value)
  }

  isOperator(...values: readonly string[]): boolean {
    return this.current.kind === 'operator' && values.includes(this.current.value)
  }

  isName(...values: readonly string[]): boolean {
    return this.current.kind === 'name' && (values.length === 0 || values.includes(this.current.value))
  }

  /** Consumes the token if it is next. */
  skip(kind: TokenKind, value?: string): boolean {
    if (!this.is(kind, value)) return false
    this.next()
    return true
  }

  expect(kind: TokenKind, value?: string): Token {
    if (this.is(kind, value)) return this.next()
    return this.fail(`Expected ${value === undefined ? kind : `'${value}'`}, got ${describeToken(this.current)}`)
  }

  fail(message: string, line = this.current.line): never {
    throw new TemplateSyntaxError(message, line)
  }

  /** Returns the link of a chain. Fails if the chain is too long. */
  checkChainLength<T>(links: number, part: T): T {
    return links > linksMax ? this.fail(`A chain in an expression may have ${linksMax} links at most`) : part
  }

  nested<T>(inner: () => T): T {
    if (this.#depth >= depthMax) this.fail(`Brackets and blocks may stand ${depthMax} deep at most`)
    this.#depth += 1
    const made = inner()
    this.#depth -= 1
    return made
  }
}

export function describeToken({ kind, value }: Token): string {
  if (kind === 'end') return 'the end of the template'
  if (kind === 'print-end') return "'}}'"
  if (kind === 'block-end') return "'%}'"
  return kind === 'data' ? 'text' : `'${value}'`
}
