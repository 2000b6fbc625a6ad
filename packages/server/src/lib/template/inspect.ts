import type { Body, Call, Expression, Macro, Statement, Target } from './nodes.ts'

/** How many loops a template has, and how deep they stand within each other. */
export function countLoops(body: Body): { count: number; depth: number } {
  let count = 0
  let depth = 0
  for (const statement of body) {
    const isLoop = statement.kind === 'for'
    const inner = bodiesOf(statement).map(countLoops)
    count += inner.reduce((sum, loops) => sum + loops.count, isLoop ? 1 : 0)
    depth = Math.max(depth, Math.max(0, ...inner.map((loops) => loops.depth)) + (isLoop ? 1 : 0))
  }
  return { count, depth }
}

function bodiesOf(statement: Statement): Body[] {
  switch (statement.kind) {
    case 'if':
      return [...statement.branches.map(({ body }) => body), statement.otherwise]
    case 'for':
      return [statement.body, statement.otherwise]
    case 'set-block':
    case 'with':
    case 'filter-block':
    case 'block':
      return [statement.body]
    case 'macro':
    case 'call-block':
      return [statement.macro.body]
    default:
      return []
  }
}

/** All names that a template reads, including those it sets itself: loading an unused value is harmless. */
export function collectNames(body: Body): Set<string> {
  const names = new Set<string>()
  for (const statement of body) {
    for (const expression of expressionsOf(statement)) collect(expression, names)
    for (const inner of bodiesOf(statement)) for (const name of collectNames(inner)) names.add(name)
  }
  return names
}

function expressionsOf(statement: Statement): Expression[] {
  switch (statement.kind) {
    case 'print':
      return [statement.value]
    case 'if':
      return statement.branches.map(({ test }) => test)
    case 'for':
      return [statement.over, ...present(statement.test)]
    case 'set':
      return [statement.value, ...namespaceIn(statement.target)]
    case 'set-block':
      return present(statement.filter)
    case 'with':
      return statement.variables.map(({ value }) => value)
    case 'filter-block':
      return [statement.filter]
    case 'macro':
      return defaultsOf(statement.macro)
    case 'call-block':
      return [statement.call, ...defaultsOf(statement.macro)]
    default:
      return []
  }
}

const present = (expression: Expression | null): Expression[] => (expression ? [expression] : [])
const defaultsOf = (macro: Macro): Expression[] => macro.parameters.flatMap(({ otherwise }) => present(otherwise))
const namespaceIn = (target: Target): Expression[] => (target.kind === 'namespace' ? [{ kind: 'name', name: target.name }] : [])

function collect(node: Expression, names: Set<string>): void {
  if (node.kind === 'name') names.add(node.name)
  for (const child of childrenOf(node)) collect(child, names)
}

function childrenOf(node: Expression): Expression[] {
  switch (node.kind) {
    case 'list':
    case 'tuple':
      return [...node.items]
    case 'dict':
      return node.entries.flatMap(({ key, value }) => [key, value])
    case 'attribute':
    case 'not':
    case 'negative':
    case 'positive':
      return [node.of]
    case 'item':
      return [node.of, node.at]
    case 'slice':
      return [node.of, ...present(node.from), ...present(node.to), ...present(node.step)]
    case 'call':
    case 'condition':
      return [node.of, ...argumentsOf(node.call)]
    case 'filter':
      return [...present(node.of), ...argumentsOf(node.call)]
    case 'binary':
    case 'and':
    case 'or':
      return [node.left, node.right]
    case 'concat':
      return [...node.parts]
    case 'compare':
      return [node.first, ...node.rest.map(({ right }) => right)]
    case 'choice':
      return [node.test, node.value, ...present(node.otherwise)]
    default:
      return []
  }
}

const argumentsOf = ({ positional, named, spread, spreadNamed }: Call): Expression[] => [
  ...positional,
  ...named.map(({ value }) => value),
  ...present(spread),
  ...present(spreadNamed),
]
