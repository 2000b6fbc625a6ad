import { TemplateSyntaxError } from './errors.ts'
import type { Token } from './lexer.ts'
import type { Call, Expression } from './nodes.ts'
import { parseDigits } from './numbers.ts'
import type { BinaryOperator, ComparisonOperator } from './operators.ts'
import { describeToken, type TokenStream } from './token-stream.ts'

const constants: ReadonlyMap<string, null | boolean> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

/** `a if b else c` has the lowest precedence. Each function below binds tighter than the one above it. */
export function parseExpression(tokens: TokenStream, withChoice = true): Expression {
  return tokens.nested(() => (withChoice ? parseConditional(tokens) : parseOr(tokens)))
}

function parseConditional(tokens: TokenStream): Expression {
  let node = parseOr(tokens)
  while (tokens.skip('name', 'if')) {
    const test = parseOr(tokens)
    const otherwise = tokens.skip('name', 'else') ? tokens.nested(() => parseConditional(tokens)) : null
    node = { kind: 'choice', test, value: node, otherwise }
  }
  return node
}

function parseOr(tokens: TokenStream): Expression {
  let left = parseAnd(tokens)
  for (let links = 1; tokens.skip('name', 'or'); links += 1) left = { kind: 'or', left, right: tokens.checkChainLength(links, parseAnd(tokens)) }
  return left
}

function parseAnd(tokens: TokenStream): Expression {
  let left = parseNot(tokens)
  for (let links = 1; tokens.skip('name', 'and'); links += 1) left = { kind: 'and', left, right: tokens.checkChainLength(links, parseNot(tokens)) }
  return left
}

function parseNot(tokens: TokenStream): Expression {
  if (!tokens.skip('name', 'not')) return parseComparison(tokens)
  return { kind: 'not', of: tokens.nested(() => parseNot(tokens)) }
}

function parseComparison(tokens: TokenStream): Expression {
  const first = parseSum(tokens)
  const rest: { operator: ComparisonOperator; right: Expression }[] = []
  for (;;) {
    const operator = parseComparisonOperator(tokens)
    if (!operator) return rest.length === 0 ? first : { kind: 'compare', first, rest }
    rest.push({ operator, right: parseSum(tokens) })
  }
}

function parseComparisonOperator(tokens: TokenStream): ComparisonOperator | undefined {
  if (tokens.isOperator('==', '!=', '<', '<=', '>', '>=')) return tokens.next().value as ComparisonOperator
  if (tokens.skip('name', 'in')) return 'in'
  if (tokens.isName('not') && tokens.following.kind === 'name' && tokens.following.value === 'in') {
    tokens.next()
    tokens.next()
    return 'not in'
  }
  return undefined
}

function parseLeftAssociative(tokens: TokenStream, operators: readonly string[], operand: (tokens: TokenStream) => Expression): Expression {
  let left = operand(tokens)
  for (let links = 1; tokens.isOperator(...operators); links += 1) {
    const operator = tokens.next().value as BinaryOperator
    left = { kind: 'binary', operator, left, right: tokens.checkChainLength(links, operand(tokens)) }
  }
  return left
}

const parseSum = (tokens: TokenStream): Expression => parseLeftAssociative(tokens, ['+', '-'], parseConcatenation)
const parseProduct = (tokens: TokenStream): Expression => parseLeftAssociative(tokens, ['*', '/', '//', '%'], parsePower)
const parsePower = (tokens: TokenStream): Expression => parseLeftAssociative(tokens, ['**'], parseUnary)

function parseConcatenation(tokens: TokenStream): Expression {
  const parts = [parseProduct(tokens)]
  while (tokens.skip('operator', '~')) parts.push(parseProduct(tokens))
  return parts.length === 1 ? (parts[0] as Expression) : { kind: 'concat', parts }
}

function parseUnary(tokens: TokenStream, withFilters = true): Expression {
  let node: Expression
  if (tokens.skip('operator', '-')) node = { kind: 'negative', of: tokens.nested(() => parseUnary(tokens, false)) }
  else if (tokens.skip('operator', '+')) node = { kind: 'positive', of: tokens.nested(() => parseUnary(tokens, false)) }
  else node = parsePrimary(tokens)
  node = parsePostfix(tokens, node)
  return withFilters ? parseFiltersAndTests(tokens, node) : node
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
      return { kind: 'constant', value: integerLiteral(token) }
    case 'float':
      tokens.next()
      return { kind: 'constant', value: Number(token.value) }
    default:
  }
  if (tokens.skip('operator', '(')) {
    const node = tokens.nested(() => parseTuple(tokens, { emptyAllowed: true }))
    tokens.expect('operator', ')')
    return node
  }
  if (tokens.skip('operator', '[')) return { kind: 'list', items: tokens.nested(() => parseListUntil(tokens, ']', () => parseExpression(tokens))) }
  if (tokens.skip('operator', '{')) return { kind: 'dict', entries: tokens.nested(() => parseListUntil(tokens, '}', () => parseEntry(tokens))) }
  return tokens.fail(`Unexpected ${describeToken(token)}`)
}

function parseEntry(tokens: TokenStream): { key: Expression; value: Expression } {
  const key = parseExpression(tokens)
  tokens.expect('operator', ':')
  return { key, value: parseExpression(tokens) }
}

/** Comma-separated parts up to the closing bracket, with an optional trailing comma. */
function parseListUntil<T>(tokens: TokenStream, close: string, part: () => T): T[] {
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

/** One expression, or several comma-separated ones as a tuple. */
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
  if (items.length === 0 && !emptyAllowed) return tokens.fail(`Expected an expression, got ${describeToken(tokens.current)}`)
  return { kind: 'tuple', items }
}

export function parsePostfix(tokens: TokenStream, start: Expression): Expression {
  let node = start
  for (let links = 1; ; links += 1) {
    tokens.checkChainLength(links, node)
    if (tokens.isOperator('.', '[')) node = parseSubscript(tokens, node)
    else if (tokens.isOperator('(')) node = { kind: 'call', of: node, call: parseCall(tokens) }
    else return node
  }
}

function parseSubscript(tokens: TokenStream, of: Expression): Expression {
  if (tokens.skip('operator', '.')) {
    const token = tokens.next()
    if (token.kind === 'name') return { kind: 'attribute', of, name: token.value }
    if (token.kind === 'integer') return { kind: 'item', of, at: { kind: 'constant', value: integerLiteral(token) } }
    return tokens.fail('Expected name or number', token.line)
  }
  tokens.expect('operator', '[')
  const parts = tokens.nested(() => parseListUntil(tokens, ']', () => parseIndex(tokens)))
  if (parts.length === 0) return tokens.fail('Expected an index')
  const [first] = parts
  if (parts.length === 1 && first) return first.kind === 'slice' ? { ...first, of } : { kind: 'item', of, at: first }
  if (parts.some(({ kind }) => kind === 'slice')) return tokens.fail('A slice cannot be combined with other indexes')
  return { kind: 'item', of, at: { kind: 'tuple', items: parts } }
}

/** An index, or a slice whose operand is set later. */
function parseIndex(tokens: TokenStream): Expression {
  const part = (): Expression | null => (tokens.isOperator(':', ']', ',') ? null : parseExpression(tokens))
  const from = part()
  if (!tokens.skip('operator', ':')) return from ?? tokens.fail(`Unexpected ${describeToken(tokens.current)}`)
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
  tokens.nested(() =>
    parseListUntil(tokens, ')', () => {
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

const emptyCall: Call = { positional: [], named: [], spread: null, spreadNamed: null }

function parseFiltersAndTests(tokens: TokenStream, start: Expression): Expression {
  let node = start
  for (let links = 1; ; links += 1) {
    tokens.checkChainLength(links, node)
    if (tokens.isOperator('|')) node = parseFilters(tokens, node)
    else if (tokens.isName('is')) node = parseTest(tokens, node)
    else if (tokens.isOperator('(')) node = { kind: 'call', of: node, call: parseCall(tokens) }
    else return node
  }
}

/** `| upper | join(', ')`, applied to an expression, or to a block without one. */
export function parseFilters(tokens: TokenStream, start: Expression | null, firstNamed = false): Expression {
  let node = start
  let bare = firstNamed
  for (let links = 1; bare || tokens.skip('operator', '|'); links += 1) {
    tokens.checkChainLength(links, node)
    bare = false
    const name = parseDottedName(tokens)
    node = { kind: 'filter', name, of: node, call: tokens.isOperator('(') ? parseCall(tokens) : emptyCall }
  }
  return node ?? tokens.fail('Expected a filter')
}

function parseTest(tokens: TokenStream, of: Expression): Expression {
  tokens.expect('name', 'is')
  const not = tokens.skip('name', 'not')
  const name = parseDottedName(tokens)
  return { kind: 'condition', name, of, call: parseTestCall(tokens), not }
}

/** `is divisibleby 3` needs no brackets. */
function parseTestCall(tokens: TokenStream): Call {
  if (tokens.isOperator('(')) return parseCall(tokens)
  const { kind } = tokens.current
  const begins =
    kind === 'string' ||
    kind === 'integer' ||
    kind === 'float' ||
    tokens.isOperator('[', '{') ||
    (kind === 'name' && !tokens.isName('else', 'or', 'and'))
  if (!begins) return emptyCall
  if (tokens.isName('is')) return tokens.fail('You cannot chain multiple tests with is')
  // In a `for` or a conditional expression, `x is defined` is followed by keywords of the statement.
  if (tokens.isName('if', 'in', 'not', 'recursive')) return emptyCall
  return { ...emptyCall, positional: [parsePostfix(tokens, parsePrimary(tokens))] }
}

function parseDottedName(tokens: TokenStream): string {
  let name = tokens.expect('name').value
  while (tokens.skip('operator', '.')) name += `.${tokens.expect('name').value}`
  return name
}

function integerLiteral({ value, line }: Token): bigint {
  try {
    return parseDigits(value)
  } catch (error) {
    throw new TemplateSyntaxError((error as Error).message, line)
  }
}
