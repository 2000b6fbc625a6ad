import type { Value } from './values.ts'

/** Variables of a block, on top of those of the enclosing scope. A variable set in a loop ends with the loop. */
export class Scope {
  readonly #values = new Map<string, Value>()
  readonly #around: Scope | ReadonlyMap<string, Value> | undefined

  constructor(around?: Scope | ReadonlyMap<string, Value>) {
    this.#around = around
  }

  get(name: string): Value | undefined {
    const own = this.#values.get(name)
    return own === undefined ? this.#around?.get(name) : own
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value)
  }
}

/** `namespace(a=1)`: the only value that a loop can change. */
export class Namespace {
  readonly values: Map<string, Value>
  constructor(values: ReadonlyMap<string, Value>) {
    this.values = new Map(values)
  }
}
