import { toItems } from './arguments.ts'
import { getAttribute, getCallable, getItem, getSlice, orUndefined } from './attributes.ts'
import type { Budget } from './budget.ts'
import { allConditions } from './conditions.ts'
import { TemplateError } from './errors.ts'
import type { Call, Expression } from './nodes.ts'
import { applyBinary, applyComparison, concatenate, negate } from './operators.ts'
import { Namespace, type Scope } from './scope.ts'
import {
  type Arguments,
  type Condition,
  type Filter,
  isDict,
  isNumber,
  isTruthy,
  type Key,
  type RenderState,
  TemplateObject,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from './values.ts'

/** The state of one rendering. */
export class Evaluation implements RenderState {
  readonly budget: Budget
  readonly #filters: ReadonlyMap<string, Filter>
  readonly #clock: (() => number) | undefined
  /** Only `set` distinguishes namespaces from other objects. */
  readonly #namespaces = new WeakMap<TemplateObject, Namespace>()

  constructor(budget: Budget, filters: ReadonlyMap<string, Filter>, clock: (() => number) | undefined) {
    this.budget = budget
    this.#filters = filters
    this.#clock = clock
  }

  now(): number {
    if (this.#clock) return this.#clock()
    throw new TemplateError('The current time is not available here')
  }

  filter(name: string): Filter | undefined {
    return this.#filters.get(name)
  }

  condition(name: string): Condition | undefined {
    return allConditions.get(name)
  }

  attribute(of: Value, name: string): Value {
    return getAttribute(of, name)
  }

  item(of: Value, key: Value): Value {
    // Indexing a text iterates over its characters.
    if (typeof of === 'string') this.budget.spendOnText(of.length)
    return getItem(of, key)
  }

  makeNamespace(values: ReadonlyMap<string, Value>): Value {
    const namespace = new Namespace(values)
    const model = new TemplateObject('namespace', namespace.values)
    this.#namespaces.set(model, namespace)
    return model
  }

  setInNamespace(target: Value | undefined, name: string, value: Value): void {
    const namespace = target instanceof TemplateObject ? this.#namespaces.get(target) : undefined
    if (!namespace) throw new TemplateError('Only a namespace can be changed')
    namespace.values.set(name, value)
  }

  evaluate(node: Expression, scope: Scope): Value {
    const { budget } = this
    budget.spend()
    switch (node.kind) {
      case 'constant':
        return node.value
      case 'name':
        return orUndefined(scope.get(node.name), node.name)
      case 'list':
        return node.items.map((item) => this.evaluate(item, scope))
      case 'tuple':
        return new Tuple(node.items.map((item) => this.evaluate(item, scope)))
      case 'dict':
        return new Map(node.entries.map(({ key, value }) => [this.#key(this.evaluate(key, scope)), this.evaluate(value, scope)]))
      case 'attribute':
        return getAttribute(this.evaluate(node.of, scope), node.name)
      case 'item':
        return this.item(this.evaluate(node.of, scope), this.evaluate(node.at, scope))
      case 'slice':
        return this.#slice(node, scope)
      case 'call':
        return budget.nested(() => getCallable(this.evaluate(node.of, scope))(this, this.arguments(node.call, scope)))
      case 'filter':
        if (!node.of) throw new TemplateError('A filter needs a value')
        return this.applyFilter(node, this.evaluate(node.of, scope), scope)
      case 'condition':
        return this.#condition(node, scope)
      case 'not':
        return !isTruthy(this.evaluate(node.of, scope))
      case 'negative':
        return negate(this.evaluate(node.of, scope))
      case 'positive':
        return this.#positive(this.evaluate(node.of, scope))
      case 'binary':
        return applyBinary(node.operator, this.evaluate(node.left, scope), this.evaluate(node.right, scope), budget)
      case 'concat':
        return concatenate(
          node.parts.map((part) => this.evaluate(part, scope)),
          budget,
        )
      case 'compare':
        return this.#compare(node, scope)
      case 'and': {
        const left = this.evaluate(node.left, scope)
        return isTruthy(left) ? this.evaluate(node.right, scope) : left
      }
      case 'or': {
        const left = this.evaluate(node.left, scope)
        return isTruthy(left) ? left : this.evaluate(node.right, scope)
      }
      case 'choice':
        if (isTruthy(this.evaluate(node.test, scope))) return this.evaluate(node.value, scope)
        return node.otherwise ? this.evaluate(node.otherwise, scope) : new Undefined('the inline if-expression')
    }
  }

  /** Applies a filter to the value of an expression or a block. */
  applyFilter(node: Expression, value: Value, scope: Scope): Value {
    if (node.kind !== 'filter') return value
    const filter = this.filter(node.name)
    if (!filter) throw new TemplateError(`No filter named '${node.name}'`)
    return filter(this, value, this.arguments(node.call, scope))
  }

  /** Applies a chain of filters to the text of a block. */
  applyToBlock(node: Expression | null, text: string, scope: Scope): Value {
    if (node?.kind !== 'filter') return text
    return this.applyFilter(node, this.applyToBlock(node.of, text, scope), scope)
  }

  arguments({ positional, named, spread, spreadNamed }: Call, scope: Scope): Arguments {
    const values = positional.map((argument) => this.evaluate(argument, scope))
    const byName = new Map(named.map(({ name, value }) => [name, this.evaluate(value, scope)]))
    if (spread) values.push(...toItems(this, this.evaluate(spread, scope)))
    if (spreadNamed) {
      const more = this.evaluate(spreadNamed, scope)
      if (!isDict(more)) throw new TemplateError('** takes a dictionary')
      for (const [name, value] of more) byName.set(String(name), value)
    }
    return { positional: values, named: byName }
  }

  #key(value: Value): Key {
    if (value === null || typeof value !== 'object') return value
    throw new TemplateError(`A ${typeName(value)} cannot be a key`)
  }

  #slice(node: Expression & { kind: 'slice' }, scope: Scope): Value {
    const of = this.evaluate(node.of, scope)
    const bounds = [node.from, node.to, node.step].map((bound) => (bound ? this.evaluate(bound, scope) : null))
    if (typeof of === 'string') this.budget.spendOnText(of.length)
    else if (Array.isArray(of)) this.budget.spendOnList(of.length)
    return getSlice(of, bounds[0] ?? null, bounds[1] ?? null, bounds[2] ?? null)
  }

  #condition(node: Expression & { kind: 'condition' }, scope: Scope): boolean {
    const condition = allConditions.get(node.name)
    if (!condition) throw new TemplateError(`No test named '${node.name}'`)
    return condition(this, this.evaluate(node.of, scope), this.arguments(node.call, scope)) !== node.not
  }

  #positive(value: Value): Value {
    if (!isNumber(value)) throw new TemplateError(`bad operand type for unary +: '${typeName(value)}'`)
    return typeof value === 'boolean' ? BigInt(value) : value
  }

  /** `1 < a < 3` compares a with both. */
  #compare(node: Expression & { kind: 'compare' }, scope: Scope): boolean {
    let left = this.evaluate(node.first, scope)
    for (const { operator, right } of node.rest) {
      const value = this.evaluate(right, scope)
      if (!applyComparison(operator, left, value, this.budget)) return false
      left = value
    }
    return true
  }
}
