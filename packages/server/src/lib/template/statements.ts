import { parseExpression, parseFilters, parsePostfix, parsePrimary, parseTuple } from './expressions.ts'
import { tokenize } from './lexer.ts'
import type { Body, Expression, Macro, Statement, Target } from './nodes.ts'
import { describeToken, TokenStream } from './token-stream.ts'

/** Parses a template. Throws `TemplateSyntaxError`. Does not resolve names, filters and functions. */
export function parseStatements(template: string): Body {
  const tokens = new TokenStream(tokenize(template))
  return parseBody(tokens, [])
}

/** Parses statements up to one of the end tags, whose name the caller reads. */
function parseBody(tokens: TokenStream, endedBy: readonly string[]): Body {
  return tokens.nested(() => {
    const statements: Statement[] = []
    for (;;) {
      const token = tokens.current
      if (token.kind === 'end') {
        if (endedBy.length > 0) tokens.fail(`Unexpected end of template: expected ${endedBy.join(' or ')}`)
        return statements
      }
      tokens.next()
      if (token.kind === 'data') statements.push({ kind: 'text', text: token.value })
      else if (token.kind === 'print-begin') {
        statements.push({ kind: 'print', value: parseTuple(tokens), line: token.line })
        tokens.expect('print-end')
      } else {
        if (endedBy.length > 0 && tokens.isName(...endedBy)) return statements
        const made = parseStatement(tokens)
        if (made) statements.push(...made)
        tokens.expect('block-end')
      }
    }
  })
}

function parseStatement(tokens: TokenStream): readonly Statement[] | undefined {
  const { line } = tokens.current
  const name = tokens.is('name') ? tokens.next().value : tokens.fail('A tag begins with its name')
  const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined
  if (parse) return parse(tokens, line)
  return tokens.fail(
    name.startsWith('end') || name === 'else' || name === 'elif' ? `There is nothing for '${name}' to end` : `Unknown tag '${name}'`,
    line,
  )
}

const parsers: Readonly<Record<string, (tokens: TokenStream, line: number) => readonly Statement[] | undefined>> = {
  if: parseIf,
  for: parseFor,
  set: parseSet,
  with: parseWith,
  macro: parseMacro,
  call: parseCallBlock,
  filter: parseFilterBlock,
  block: parseBlock,
  autoescape: parseAutoescape,
  print: (tokens, line) => [{ kind: 'print', value: parseTuple(tokens), line }],
  include: parseLoad('include'),
  import: parseLoad('import'),
  from: parseLoad('from'),
  extends: parseLoad('extends'),
}

function expectEnd(tokens: TokenStream, name: string): void {
  tokens.expect('name', name)
}

function parseIf(tokens: TokenStream): readonly Statement[] {
  const branches: { test: Expression; body: Body }[] = []
  for (;;) {
    const test = parseTuple(tokens, { withChoice: false })
    tokens.expect('block-end')
    branches.push({ test, body: parseBody(tokens, ['elif', 'else', 'endif']) })
    const word = tokens.next().value
    if (word === 'elif') continue
    if (word === 'endif') return [{ kind: 'if', branches, otherwise: [] }]
    tokens.expect('block-end')
    const otherwise = parseBody(tokens, ['endif'])
    expectEnd(tokens, 'endif')
    return [{ kind: 'if', branches, otherwise }]
  }
}

function parseFor(tokens: TokenStream): readonly Statement[] {
  const target = parseTarget(tokens, ['in'])
  tokens.expect('name', 'in')
  const over = parseTuple(tokens, { withChoice: false, endedBy: ['recursive'] })
  const test = tokens.skip('name', 'if') ? parseExpression(tokens) : null
  const recursive = tokens.skip('name', 'recursive')
  tokens.expect('block-end')
  const inner = parseBody(tokens, ['endfor', 'else'])
  let otherwise: Body = []
  if (tokens.next().value === 'else') {
    tokens.expect('block-end')
    otherwise = parseBody(tokens, ['endfor'])
    expectEnd(tokens, 'endfor')
  }
  return [{ kind: 'for', target, over, test, recursive, body: inner, otherwise }]
}

const reserved = new Set(['true', 'false', 'none', 'True', 'False', 'None', 'and', 'or', 'not', 'in', 'is', 'if', 'else'])

function parseTarget(tokens: TokenStream, endedBy: readonly string[], withNamespace = false): Target {
  const items: Target[] = []
  let isTuple = false
  const endsHere = (): boolean => endedBy.length > 0 && tokens.isName(...endedBy)
  for (;;) {
    if (items.length > 0 && (tokens.isOperator('=') || tokens.is('block-end') || tokens.isOperator(')') || endsHere())) break
    items.push(parseSingleTarget(tokens, withNamespace))
    if (!tokens.skip('operator', ',')) break
    isTuple = true
  }
  return isTuple ? { kind: 'tuple', items } : (items[0] as Target)
}

function parseSingleTarget(tokens: TokenStream, withNamespace: boolean): Target {
  if (tokens.skip('operator', '(')) {
    const inner = tokens.nested(() => parseTarget(tokens, [], withNamespace))
    tokens.expect('operator', ')')
    return inner
  }
  const token = tokens.expect('name')
  if (reserved.has(token.value)) tokens.fail(`Nothing can be put into '${token.value}'`, token.line)
  if (withNamespace && tokens.skip('operator', '.')) return { kind: 'namespace', name: token.value, attribute: tokens.expect('name').value }
  return { kind: 'name', name: token.value }
}

function parseSet(tokens: TokenStream): readonly Statement[] {
  const target = parseTarget(tokens, [], true)
  if (tokens.skip('operator', '=')) return [{ kind: 'set', target, value: parseTuple(tokens) }]
  const filter = tokens.isOperator('|') ? parseFilters(tokens, null) : null
  tokens.expect('block-end')
  const inner = parseBody(tokens, ['endset'])
  expectEnd(tokens, 'endset')
  return [{ kind: 'set-block', target, filter, body: inner }]
}

function parseWith(tokens: TokenStream): readonly Statement[] {
  const variables: { target: Target; value: Expression }[] = []
  while (!tokens.is('block-end')) {
    if (variables.length > 0) tokens.expect('operator', ',')
    const target = parseTarget(tokens, [])
    tokens.expect('operator', '=')
    variables.push({ target, value: parseExpression(tokens) })
  }
  tokens.expect('block-end')
  const inner = parseBody(tokens, ['endwith'])
  expectEnd(tokens, 'endwith')
  return [{ kind: 'with', variables, body: inner }]
}

function parseMacro(tokens: TokenStream): readonly Statement[] {
  const name = tokens.expect('name').value
  const parameters = parseParameters(tokens)
  tokens.expect('block-end')
  const inner = parseBody(tokens, ['endmacro'])
  expectEnd(tokens, 'endmacro')
  return [{ kind: 'macro', macro: { name, parameters, body: inner } }]
}

function parseParameters(tokens: TokenStream): Macro['parameters'] {
  const parameters: { name: string; otherwise: Expression | null }[] = []
  tokens.expect('operator', '(')
  while (!tokens.skip('operator', ')')) {
    if (parameters.length > 0) tokens.expect('operator', ',')
    const name = tokens.expect('name').value
    const otherwise = tokens.skip('operator', '=') ? parseExpression(tokens) : null
    if (!otherwise && parameters.some((parameter) => parameter.otherwise)) tokens.fail('non-default argument follows default argument')
    parameters.push({ name, otherwise })
  }
  return parameters
}

function parseCallBlock(tokens: TokenStream): readonly Statement[] {
  const parameters = tokens.isOperator('(') ? parseParameters(tokens) : []
  const call = parsePostfix(tokens, parsePrimary(tokens))
  if (call.kind !== 'call') tokens.fail('Expected a call')
  tokens.expect('block-end')
  const inner = parseBody(tokens, ['endcall'])
  expectEnd(tokens, 'endcall')
  return [{ kind: 'call-block', call, macro: { name: 'caller', parameters, body: inner } }]
}

function parseFilterBlock(tokens: TokenStream): readonly Statement[] {
  const filter = parseFilters(tokens, null, true)
  tokens.expect('block-end')
  const inner = parseBody(tokens, ['endfilter'])
  expectEnd(tokens, 'endfilter')
  return [{ kind: 'filter-block', filter, body: inner }]
}

function parseBlock(tokens: TokenStream): readonly Statement[] {
  const name = tokens.expect('name').value
  tokens.skip('name', 'scoped')
  tokens.skip('name', 'required')
  tokens.expect('block-end')
  const inner = parseBody(tokens, ['endblock'])
  expectEnd(tokens, 'endblock')
  tokens.skip('name', name)
  return [{ kind: 'block', name, body: inner }]
}

/** Parses `autoescape` without effect: output is never HTML-escaped. */
function parseAutoescape(tokens: TokenStream): readonly Statement[] {
  parseExpression(tokens)
  tokens.expect('block-end')
  const inner = parseBody(tokens, ['endautoescape'])
  expectEnd(tokens, 'endautoescape')
  return inner
}

function parseLoad(what: string) {
  return (tokens: TokenStream): readonly Statement[] => {
    parseExpression(tokens)
    if (what === 'from') tokens.expect('name', 'import')
    if (what === 'import' && !tokens.isName('as')) tokens.fail(`Expected 'as', got ${describeToken(tokens.current)}`)
    while (tokens.is('name') || tokens.isOperator(',')) tokens.next()
    return [{ kind: 'load', what }]
  }
}
