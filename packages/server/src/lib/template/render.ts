import { toItems } from './arguments.ts'
import { TemplateError } from './errors.ts'
import type { Evaluation } from './evaluate.ts'
import { createLoopObject, type LoopState } from './loop.ts'
import type { Body, Macro, Statement, Target } from './nodes.ts'
import { Scope } from './scope.ts'
import { toText } from './to-text.ts'
import { type Arguments, isTruthy, NativeFunction, Undefined, type Value } from './values.ts'

/** Renders statements in order. */
export class Rendering {
  readonly #evaluation: Evaluation

  constructor(evaluation: Evaluation, top: Scope) {
    this.#evaluation = evaluation
    top.set('namespace', new NativeFunction('namespace', (_run, { named }) => evaluation.makeNamespace(named)))
  }

  body(statements: Body, scope: Scope): string {
    let out = ''
    for (const statement of statements) out += this.#statement(statement, scope)
    return out
  }

  #statement(node: Statement, scope: Scope): string {
    const { budget } = this.#evaluation
    budget.spend()
    switch (node.kind) {
      case 'text':
        budget.spendOnOutput(node.text.length)
        return node.text
      case 'print': {
        const text = toText(this.#evaluation.evaluate(node.value, scope), budget)
        budget.spendOnOutput(text.length)
        return text
      }
      case 'if': {
        const branch = node.branches.find(({ test }) => isTruthy(this.#evaluation.evaluate(test, scope)))
        return this.body(branch ? branch.body : node.otherwise, scope)
      }
      case 'for':
        return this.#loop(node, this.#evaluation.evaluate(node.over, scope), scope, 0)
      case 'set':
        this.#assign(node.target, this.#evaluation.evaluate(node.value, scope), scope)
        return ''
      case 'set-block':
        this.#assign(node.target, this.#evaluation.applyToBlock(node.filter, this.body(node.body, new Scope(scope)), scope), scope)
        return ''
      case 'with': {
        const inner = new Scope(scope)
        for (const { target, value } of node.variables) this.#assign(target, this.#evaluation.evaluate(value, scope), inner)
        return this.body(node.body, inner)
      }
      case 'filter-block': {
        const text = toText(this.#evaluation.applyToBlock(node.filter, this.body(node.body, new Scope(scope)), scope), budget)
        budget.spendOnOutput(text.length)
        return text
      }
      case 'macro':
        scope.set(node.macro.name, this.#macro(node.macro, scope))
        return ''
      case 'call-block':
        return this.#callBlock(node, scope)
      case 'block':
        return this.body(node.body, new Scope(scope))
      case 'load':
        throw new TemplateError(`Templates cannot ${node.what} other templates`)
    }
  }

  #loop(node: Statement & { kind: 'for' }, over: Value, scope: Scope, depth: number): string {
    const { budget } = this.#evaluation
    return budget.nested(() => {
      const items = this.#itemsFor(node, over, scope)
      if (items.length === 0) return this.body(node.otherwise, scope)
      const asked: LoopState['lastChanged'] = { values: undefined }
      const again = node.recursive ? (inner: Value): Value => this.#loop(node, inner, scope, depth + 1) : null
      let out = ''
      for (const [index, item] of items.entries()) {
        budget.spend()
        const turn = new Scope(scope)
        this.#assign(node.target, item, turn)
        turn.set('loop', createLoopObject({ items, index, depth, recurse: again, lastChanged: asked }))
        out += this.body(node.body, turn)
      }
      return out
    })
  }

  #itemsFor({ target, test }: Statement & { kind: 'for' }, over: Value, scope: Scope): readonly Value[] {
    const items = toItems(this.#evaluation, over)
    if (!test) return items
    return items.filter((item) => {
      const turn = new Scope(scope)
      this.#assign(target, item, turn)
      return isTruthy(this.#evaluation.evaluate(test, turn))
    })
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === 'name') scope.set(target.name, value)
    else if (target.kind === 'namespace') this.#evaluation.setInNamespace(scope.get(target.name), target.attribute, value)
    else {
      const items = toItems(this.#evaluation, value)
      if (items.length !== target.items.length) throw new TemplateError(`Expected ${target.items.length} values, got ${items.length}`)
      target.items.forEach((inner, index) => {
        this.#assign(inner, items[index] as Value, scope)
      })
    }
  }

  #macro({ name, parameters, body }: Macro, around: Scope): NativeFunction {
    return new NativeFunction(name, (_run, args) => {
      const scope = new Scope(around)
      const caller = args.named.get('caller')
      if (caller) scope.set('caller', caller)
      const given = this.#passed(name, parameters, args)
      for (const [index, parameter] of parameters.entries()) {
        const passed = given[index]
        const otherwise = () => (parameter.otherwise ? this.#evaluation.evaluate(parameter.otherwise, scope) : new Undefined(parameter.name))
        scope.set(parameter.name, passed === undefined ? otherwise() : passed)
      }
      return this.body(body, scope)
    })
  }

  #passed(name: string, parameters: Macro['parameters'], { positional, named }: Arguments): (Value | undefined)[] {
    if (positional.length > parameters.length) throw new TemplateError(`The macro '${name}' takes at most ${parameters.length} arguments`)
    for (const key of named.keys()) {
      if (key !== 'caller' && !parameters.some((parameter) => parameter.name === key))
        throw new TemplateError(`The macro '${name}' has no argument '${key}'`)
    }
    return parameters.map((parameter, index) => (index < positional.length ? positional[index] : named.get(parameter.name)))
  }

  /** The called macro gets the block as `caller`. */
  #callBlock({ call, macro }: Statement & { kind: 'call-block' }, scope: Scope): string {
    if (call.kind !== 'call') throw new TemplateError('Expected a call')
    const called = this.#evaluation.evaluate(call.of, scope)
    if (!(called instanceof NativeFunction)) throw new TemplateError('Only a macro can be called with a block')
    const { positional, named } = this.#evaluation.arguments(call.call, scope)
    const { budget } = this.#evaluation
    const args = { positional, named: new Map([...named, ['caller', this.#macro(macro, scope)]]) }
    const text = toText(
      budget.nested(() => called.call(this.#evaluation, args)),
      budget,
    )
    budget.spendOnOutput(text.length)
    return text
  }
}
