import type { Value } from './values.ts'

/** Names and their values, over those of what is around. A name that is set in a loop is gone when the loop is over. */
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

/** `namespace(a=1)`: the one thing that can be changed from within a loop. */
export class Namespace {
  readonly values: Map<string, Value>
  constructor(values: ReadonlyMap<string, Value>) {
    this.values = new Map(values)
  }
}
