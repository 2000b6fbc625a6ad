import { TemplateSyntaxError } from './errors.ts'
import type { Token } from './lexer.ts'
import type { Call, Expression } from './nodes.ts'
import type { BinaryOperator, ComparisonOperator } from './operators.ts'
import { described, type TokenStream } from './token-stream.ts'
import { parseDigits } from './whole-numbers.ts'

const constants: ReadonlyMap<string, null | boolean> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

/** `a if b else c`, the loosest of all; each function below binds tighter than the one above it. */
export function parseExpression(tokens: TokenStream, withChoice = true): Expression {
  return tokens.deeper(() => (withChoice ? choice(tokens) : either(tokens)))
}

function choice(tokens: TokenStream): Expression {
  let made = either(tokens)
  while (tokens.skip('name', 'if')) {
    const test = either(tokens)
    const otherwise = tokens.skip('name', 'else') ? tokens.deeper(() => choice(tokens)) : null
    made = { kind: 'choice', test, value: made, otherwise }
  }
  return made
}

function either(tokens: TokenStream): Expression {
  let left = both(tokens)
  for (let links = 1; tokens.skip('name', 'or'); links += 1) left = { kind: 'or', left, right: tokens.linked(links, both(tokens)) }
  return left
}

function both(tokens: TokenStream): Expression {
  let left = negation(tokens)
  for (let links = 1; tokens.skip('name', 'and'); links += 1) left = { kind: 'and', left, right: tokens.linked(links, negation(tokens)) }
  return left
}

function negation(tokens: TokenStream): Expression {
  if (!tokens.skip('name', 'not')) return comparison(tokens)
  return { kind: 'not', of: tokens.deeper(() => negation(tokens)) }
}

function comparison(tokens: TokenStream): Expression {
  const first = sum(tokens)
  const rest: { operator: ComparisonOperator; right: Expression }[] = []
  for (;;) {
    const operator = comparisonOperator(tokens)
    if (!operator) return rest.length === 0 ? first : { kind: 'compare', first, rest }
    rest.push({ operator, right: sum(tokens) })
  }
}

function comparisonOperator(tokens: TokenStream): ComparisonOperator | undefined {
  if (tokens.isOperator('==', '!=', '<', '<=', '>', '>=')) return tokens.next().value as ComparisonOperator
  if (tokens.skip('name', 'in')) return 'in'
  if (tokens.isName('not') && tokens.following.kind === 'name' && tokens.following.value === 'in') {
    tokens.next()
    tokens.next()
    return 'not in'
  }
  return undefined
}

function leftToRight(tokens: TokenStream, operators: readonly string[], operand: (tokens: TokenStream) => Expression): Expression {
  let left = operand(tokens)
  for (let links = 1; tokens.isOperator(...operators); links += 1) {
    const operator = tokens.next().value as BinaryOperator
    left = { kind: 'binary', operator, left, right: tokens.linked(links, operand(tokens)) }
  }
  return left
}

const sum = (tokens: TokenStream): Expression => leftToRight(tokens, ['+', '-'], concatenation)
const product = (tokens: TokenStream): Expression => leftToRight(tokens, ['*', '/', '//', '%'], power)
const power = (tokens: TokenStream): Expression => leftToRight(tokens, ['**'], unary)

function concatenation(tokens: TokenStream): Expression {
  const parts = [product(tokens)]
  while (tokens.skip('operator', '~')) parts.push(product(tokens))
  return parts.length === 1 ? (parts[0] as Expression) : { kind: 'concat', parts }
}

function unary(tokens: TokenStream, withFilters = true): Expression {
  let made: Expression
  if (tokens.skip('operator', '-')) made = { kind: 'negative', of: tokens.deeper(() => unary(tokens, false)) }
  else if (tokens.skip('operator', '+')) made = { kind: 'positive', of: tokens.deeper(() => unary(tokens, false)) }
  else made = parsePrimary(tokens)
  made = parsePostfix(tokens, made)
  return withFilters ? filtered(tokens, made) : made
}

export function parsePrimary(tokens: TokenStream): Expression {
  const token = tokens.current
  switch (token.kind) {
    case 'name':
      tokens.next()
      return constants.has(token.value)
        ? { kind: 'constant', value: constants.get(token.value) as null | boolean }
        : { kind: 'name', name: token.value }
    case 'string': {
      let text = ''
      while (tokens.is('string')) text += tokens.next().value
      return { kind: 'constant', value: text }
    }
    case 'integer':
      tokens.next()
      return { kind: 'constant', value: wholeLiteral(token) }
    case 'float':
      tokens.next()
      return { kind: 'constant', value: Number(token.value) }
    default:
  }
  if (tokens.skip('operator', '(')) {
    const made = tokens.deeper(() => parseTuple(tokens, { emptyAllowed: true }))
    tokens.expect('operator', ')')
    return made
  }
  if (tokens.skip('operator', '[')) return { kind: 'list', items: tokens.deeper(() => until(tokens, ']', () => parseExpression(tokens))) }
  if (tokens.skip('operator', '{')) return { kind: 'dict', entries: tokens.deeper(() => until(tokens, '}', () => entry(tokens))) }
  return tokens.fail(`Unexpected ${described(token)}`)
}

function entry(tokens: TokenStream): { key: Expression; value: Expression } {
  const key = parseExpression(tokens)
  tokens.expect('operator', ':')
  return { key, value: parseExpression(tokens) }
}

/** Parts between commas up to the closing bracket; a comma may stand before it. */
function until<T>(tokens: TokenStream, close: string, part: () => T): T[] {
  const parts: T[] = []
  while (!tokens.skip('operator', close)) {
    if (parts.length > 0) {
      tokens.expect('operator', ',')
      if (tokens.skip('operator', close)) break
    }
    parts.push(part())
  }
  return parts
}

interface TupleOptions {
  readonly emptyAllowed?: boolean
  readonly withChoice?: boolean
  /** Names that end it. */
  readonly endedBy?: readonly string[]
}

/** One expression, or several between commas, which are a tuple. */
export function parseTuple(tokens: TokenStream, { emptyAllowed = false, withChoice = true, endedBy = [] }: TupleOptions = {}): Expression {
  const items: Expression[] = []
  let isTuple = false
  const ends = (): boolean =>
    tokens.is('print-end') || tokens.is('block-end') || tokens.isOperator(')') || (endedBy.length > 0 && tokens.isName(...endedBy))
  for (;;) {
    if (items.length > 0) tokens.expect('operator', ',')
    if (ends()) break
    items.push(parseExpression(tokens, withChoice))
    if (!tokens.is('operator', ',')) break
    isTuple = true
  }
  if (!isTuple && items.length > 0) return items[0] as Expression
  if (items.length === 0 && !emptyAllowed) return tokens.fail(`Expected an expression, got ${described(tokens.current)}`)
  return { kind: 'tuple', items }
}

export function parsePostfix(tokens: TokenStream, start: Expression): Expression {
  let made = start
  for (let links = 1; ; links += 1) {
    tokens.linked(links, made)
    if (tokens.isOperator('.', '[')) made = subscript(tokens, made)
    else if (tokens.isOperator('(')) made = { kind: 'call', of: made, call: parseCall(tokens) }
    else return made
  }
}

function subscript(tokens: TokenStream, of: Expression): Expression {
  if (tokens.skip('operator', '.')) {
    const token = tokens.next()
    if (token.kind === 'name') return { kind: 'attribute', of, name: token.value }
    if (token.kind === 'integer') return { kind: 'item', of, at: { kind: 'constant', value: wholeLiteral(token) } }
    return tokens.fail('Expected name or number', token.line)
  }
  tokens.expect('operator', '[')
  const parts = tokens.deeper(() => until(tokens, ']', () => index(tokens)))
  if (parts.length === 0) return tokens.fail('Expected an index')
  const [first] = parts
  if (parts.length === 1 && first) return first.kind === 'slice' ? { ...first, of } : { kind: 'item', of, at: first }
  if (parts.some(({ kind }) => kind === 'slice')) return tokens.fail('A slice stands alone')
  return { kind: 'item', of, at: { kind: 'tuple', items: parts } }
}

/** An index, or a slice that does not know yet what it cuts. */
function index(tokens: TokenStream): Expression {
  const part = (): Expression | null => (tokens.isOperator(':', ']', ',') ? null : parseExpression(tokens))
  const from = part()
  if (!tokens.skip('operator', ':')) return from ?? tokens.fail(`Unexpected ${described(tokens.current)}`)
  const to = part()
  const step = tokens.skip('operator', ':') ? part() : null
  return { kind: 'slice', of: { kind: 'constant', value: null }, from, to, step }
}

export function parseCall(tokens: TokenStream): Call {
  tokens.expect('operator', '(')
  const positional: Expression[] = []
  const named: { name: string; value: Expression }[] = []
  let spread: Expression | null = null
  let spreadNamed: Expression | null = null
  tokens.deeper(() =>
    until(tokens, ')', () => {
      if (tokens.skip('operator', '*')) {
        if (spread || spreadNamed) tokens.fail('Invalid syntax for function call expression')
        spread = parseExpression(tokens)
      } else if (tokens.skip('operator', '**')) {
        if (spreadNamed) tokens.fail('Invalid syntax for function call expression')
        spreadNamed = parseExpression(tokens)
      } else if (tokens.is('name') && tokens.following.kind === 'operator' && tokens.following.value === '=') {
        const name = tokens.next().value
        tokens.next()
        named.push({ name, value: parseExpression(tokens) })
      } else {
        if (spread || spreadNamed || named.length > 0) tokens.fail('Invalid syntax for function call expression')
        positional.push(parseExpression(tokens))
      }
    }),
  )
  return { positional, named, spread, spreadNamed }
}

const noCall: Call = { positional: [], named: [], spread: null, spreadNamed: null }

function filtered(tokens: TokenStream, start: Expression): Expression {
  let made = start
  for (let links = 1; ; links += 1) {
    tokens.linked(links, made)
    if (tokens.isOperator('|')) made = parseFilters(tokens, made)
    else if (tokens.isName('is')) made = condition(tokens, made)
    else if (tokens.isOperator('(')) made = { kind: 'call', of: made, call: parseCall(tokens) }
    else return made
  }
}

/** `| upper | join(', ')`, applied to an expression or, where there is none, to a block. */
export function parseFilters(tokens: TokenStream, start: Expression | null, firstNamed = false): Expression {
  let made = start
  let bare = firstNamed
  for (let links = 1; bare || tokens.skip('operator', '|'); links += 1) {
    tokens.linked(links, made)
    bare = false
    const name = dottedName(tokens)
    made = { kind: 'filter', name, of: made, call: tokens.isOperator('(') ? parseCall(tokens) : noCall }
  }
  return made ?? tokens.fail('Expected a filter')
}

function condition(tokens: TokenStream, of: Expression): Expression {
  tokens.expect('name', 'is')
  const not = tokens.skip('name', 'not')
  const name = dottedName(tokens)
  return { kind: 'condition', name, of, call: conditionCall(tokens), not }
}

/** `is divisibleby 3` may go without brackets. */
function conditionCall(tokens: TokenStream): Call {
  if (tokens.isOperator('(')) return parseCall(tokens)
  const { kind } = tokens.current
  const begins =
    kind === 'string' ||
    kind === 'integer' ||
    kind === 'float' ||
    tokens.isOperator('[', '{') ||
    (kind === 'name' && !tokens.isName('else', 'or', 'and'))
  if (!begins) return noCall
  if (tokens.isName('is')) return tokens.fail('You cannot chain multiple tests with is')
  // `if x is defined` within a `for` or a choice goes on with words of the statement.
  if (tokens.isName('if', 'in', 'not', 'recursive')) return noCall
  return { ...noCall, positional: [parsePostfix(tokens, parsePrimary(tokens))] }
}

function dottedName(tokens: TokenStream): string {
  let name = tokens.expect('name').value
  while (tokens.skip('operator', '.')) name += `.${tokens.expect('name').value}`
  return name
}

function wholeLiteral({ value, line }: Token): bigint {
  try {
    return parseDigits(value)
  } catch (error) {
    throw new TemplateSyntaxError((error as Error).message, line)
  }
}
