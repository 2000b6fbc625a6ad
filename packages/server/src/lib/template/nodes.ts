import type { BinaryOperator, ComparisonOperator } from './operators.ts'

export interface Call {
  readonly positional: readonly Expression[]
  readonly named: readonly { readonly name: string; readonly value: Expression }[]
  /** `*list` and `**dictionary`. */
  readonly spread: Expression | null
  readonly spreadNamed: Expression | null
}

export type Expression =
  | { readonly kind: 'constant'; readonly value: null | boolean | bigint | number | string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly entries: readonly { readonly key: Expression; readonly value: Expression }[] }
  | { readonly kind: 'attribute'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly of: Expression; readonly at: Expression }
  | {
      readonly kind: 'slice'
      readonly of: Expression
      readonly from: Expression | null
      readonly to: Expression | null
      readonly step: Expression | null
    }
  | { readonly kind: 'call'; readonly of: Expression; readonly call: Call }
  /** Null for the filter of a block: `{% filter upper %}`. */
  | { readonly kind: 'filter'; readonly name: string; readonly of: Expression | null; readonly call: Call }
  | { readonly kind: 'condition'; readonly name: string; readonly of: Expression; readonly call: Call; readonly not: boolean }
  | { readonly kind: 'not' | 'negative' | 'positive'; readonly of: Expression }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'concat'; readonly parts: readonly Expression[] }
  | {
      readonly kind: 'compare'
      readonly first: Expression
      readonly rest: readonly { readonly operator: ComparisonOperator; readonly right: Expression }[]
    }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'choice'; readonly test: Expression; readonly value: Expression; readonly otherwise: Expression | null }

/** The target of an assignment. */
export type Target =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'tuple'; readonly items: readonly Target[] }
  | { readonly kind: 'namespace'; readonly name: string; readonly attribute: string }

export interface Macro {
  readonly name: string
  readonly parameters: readonly { readonly name: string; readonly otherwise: Expression | null }[]
  readonly body: Body
}

export type Body = readonly Statement[]

export type Statement =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly value: Expression; readonly line: number }
  | { readonly kind: 'if'; readonly branches: readonly { readonly test: Expression; readonly body: Body }[]; readonly otherwise: Body }
  | {
      readonly kind: 'for'
      readonly target: Target
      readonly over: Expression
      readonly test: Expression | null
      readonly recursive: boolean
      readonly body: Body
      readonly otherwise: Body
    }
  | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
  | { readonly kind: 'set-block'; readonly target: Target; readonly filter: Expression | null; readonly body: Body }
  | { readonly kind: 'with'; readonly variables: readonly { readonly target: Target; readonly value: Expression }[]; readonly body: Body }
  | { readonly kind: 'filter-block'; readonly filter: Expression; readonly body: Body }
  | { readonly kind: 'macro'; readonly macro: Macro }
  | { readonly kind: 'call-block'; readonly call: Expression; readonly macro: Macro }
  | { readonly kind: 'block'; readonly name: string; readonly body: Body }
  /** `include`, `import`, `extends`: valid syntax without a loader. */
  | { readonly kind: 'load'; readonly what: string }
