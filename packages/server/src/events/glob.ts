import { patternLengthMax } from '@millrace/contracts/event-filter.ts'
import { type MatchBudget, MatchLimitExceeded } from './match-budget.ts'

/** Any text, also none. */
export const anyText = Symbol('*')
/** One character. */
export const anyCharacter = Symbol('?')

/** One of the characters in the ranges, or none of them. */
export interface CharacterSet {
  readonly ranges: readonly (readonly [from: string, to: string])[]
  readonly negated: boolean
}

/** A character of a pattern stands for itself unless it is one of the others. */
export type PatternToken = string | CharacterSet | typeof anyText | typeof anyCharacter

/** Only this much of a text is matched against wildcards. */
const matchedLengthMax = 4000

/** The cost of a test without wildcards, in steps. */
const testSteps = 10

type Matcher = (text: string, budget: MatchBudget) => boolean

/** Matches a pattern in which `*` stands for any text and `?` for one character. Case-sensitive. */
export const matchesGlob = (text: string, pattern: string, budget: MatchBudget): boolean => compileGlob(pattern)(text, budget)

export const wildcards: ReadonlyMap<string, PatternToken> = new Map<string, PatternToken>([
  ['*', anyText],
  ['?', anyCharacter],
])

export const compileGlob = (pattern: string): Matcher =>
  compilePattern(pattern, pattern.search(/[*?]/), (rest) => [...rest].map((character) => wildcards.get(character) ?? character))

/** `wild` is the index of the first character that does not stand for itself, or -1. Most texts differ before it and are not tokenized. */
export function compilePattern(pattern: string, wild: number, tokenize: (rest: string) => PatternToken[]): Matcher {
  if (wild >= 0 && pattern.length > patternLengthMax) {
    throw new MatchLimitExceeded(`A pattern has ${pattern.length} characters; at most ${patternLengthMax} are matched. Shorten it.`)
  }
  const literal = wild < 0 ? pattern : pattern.slice(0, wild)
  const endsWithWildcard = wild === pattern.length - 1 && pattern.endsWith('*')
  let rest: WildcardMatcher | undefined
  return (text, budget) => {
    budget.spend(testSteps)
    if (wild < 0) return text === literal
    if (!text.startsWith(literal)) return false
    if (endsWithWildcard) return true
    if (!rest) budget.spend(pattern.length)
    rest ??= new WildcardMatcher(tokenize(pattern.slice(wild)), budget)
    return rest.matches(text.slice(wild, Math.max(wild, matchedLengthMax)), budget)
  }
}

/**
 * Follows all ways to match a text at once: bit i of the state is set when the first i tokens match the text so far. So the time is the length of the text
 * times one operation for each 32 tokens, whatever they are. Backtracking took the product of both lengths: 60 seconds for 20 KB and 200 KB.
 */
class WildcardMatcher {
  readonly #count: number
  readonly #words: number
  /** The states that a `*` keeps. */
  readonly #kept: Uint32Array
  /** The tokens that match any character. */
  readonly #any: Uint32Array
  /** The tokens that match a character, for each character of the pattern. */
  readonly #literals = new Map<string, Uint32Array>()
  readonly #sets: { readonly index: number; readonly set: CharacterSet }[] = []
  /** The steps of testing a character against all sets. */
  readonly #setSteps: number

  constructor(tokens: readonly PatternToken[], budget: MatchBudget) {
    this.#count = tokens.filter((token) => token !== anyText).length
    this.#words = (this.#count >>> 5) + 1
    this.#kept = new Uint32Array(this.#words)
    this.#any = new Uint32Array(this.#words)
    let index = 0
    for (const token of tokens) {
      if (token === anyText) setBit(this.#kept, index)
      else {
        if (token === anyCharacter) setBit(this.#any, index)
        else if (typeof token === 'object') this.#sets.push({ index, set: token })
        index += 1
      }
    }
    index = 0
    for (const token of tokens) {
      if (typeof token === 'string') setBit(this.#literalMask(token, budget), index)
      if (token !== anyText) index += 1
    }
    this.#setSteps = this.#sets.reduce((sum, { set }) => sum + set.ranges.length + 1, 0)
  }

  #literalMask(character: string, budget: MatchBudget): Uint32Array {
    const known = this.#literals.get(character)
    if (known) return known
    budget.spend(this.#words)
    const mask = this.#any.slice()
    this.#literals.set(character, mask)
    return mask
  }

  matches(text: string, budget: MatchBudget): boolean {
    budget.spend(text.length * this.#words)
    const words = this.#words
    const kept = this.#kept
    // With sets: the tokens that match a character of the text.
    const masks = this.#sets.length > 0 ? new Map<string, Uint32Array>() : undefined
    const state = new Uint32Array(words)
    state[0] = 1
    for (const character of text) {
      const mask = masks ? this.#maskWithSets(character, masks, budget) : (this.#literals.get(character) ?? this.#any)
      let carry = 0
      let left = 0
      for (let word = 0; word < words; word += 1) {
        const before = state[word] as number
        const advanced = before & (mask[word] as number)
        const next = (advanced << 1) | carry | (before & (kept[word] as number))
        carry = advanced >>> 31
        state[word] = next
        left |= next
      }
      if (left === 0) return false
    }
    return (((state[this.#count >>> 5] as number) >>> (this.#count & 31)) & 1) === 1
  }

  #maskWithSets(character: string, masks: Map<string, Uint32Array>, budget: MatchBudget): Uint32Array {
    const known = masks.get(character)
    if (known) return known
    budget.spend(this.#words + this.#setSteps)
    const mask = (this.#literals.get(character) ?? this.#any).slice()
    for (const { index, set } of this.#sets) {
      if (set.ranges.some(([from, to]) => from <= character && character <= to) !== set.negated) setBit(mask, index)
    }
    masks.set(character, mask)
    return mask
  }
}

function setBit(words: Uint32Array, index: number): void {
  words[index >>> 5] = (words[index >>> 5] as number) | (1 << (index & 31))
}
