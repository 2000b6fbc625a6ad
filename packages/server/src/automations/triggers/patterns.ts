import { anyCharacter, anyText, type CharacterSet, compileGlob, compilePattern, type PatternToken, wildcards } from '../../events/glob.ts'
import type { MatchBudget } from '../../events/match-budget.ts'

/** Matches an event name. `*` stands for at least one character: `prefect.flow-run.*` does not match `prefect.flow-run.`. */
export function matchesName(name: string, pattern: string, budget: MatchBudget): boolean {
  const tokenize = (rest: string) => [...rest].flatMap((character): PatternToken[] => (character === '*' ? [anyCharacter, anyText] : [character]))
  const wild = pattern.indexOf('*')
  // The most frequent form.
  if (wild >= 0 && wild === pattern.length - 1 && name.length === wild) return false
  return compilePattern(pattern, wild, tokenize)(name, budget)
}

/** Matches a label value: `*` any text, `?` one character, `[abc]`, `[a-z]` and `[!abc]` character sets. A leading `!` negates the pattern. */
export const matchesValue = (value: string, pattern: string, budget: MatchBudget): boolean =>
  pattern.startsWith('!') ? !matchesPattern(value, pattern.slice(1), budget) : matchesPattern(value, pattern, budget)

const matchesPattern = (value: string, pattern: string, budget: MatchBudget): boolean =>
  (pattern.includes('[') ? compilePattern(pattern, pattern.search(/[*?[]/), tokenizePattern) : compileGlob(pattern))(value, budget)

const SET = /\[(!?)(\]?[^\]]*)\]|./gsu

/** An unclosed bracket is a literal. None is searched for its end after the last `]`, which would take the square of the length. */
function tokenizePattern(pattern: string): PatternToken[] {
  const end = pattern.lastIndexOf(']') + 1
  const tokens = [...pattern.slice(0, end).matchAll(SET)].map(([token, not, members]) =>
    members === undefined ? tokenOf(token) : characterSet(members, not === '!'),
  )
  return [...tokens, ...[...pattern.slice(end)].map(tokenOf)]
}

const tokenOf = (character: string): PatternToken => wildcards.get(character) ?? character

const RANGE = /(.)-(.)|./gsu

const characterSet = (members: string, negated: boolean): CharacterSet => ({
  ranges: [...members.matchAll(RANGE)].map(([one, from = one, to = one]) => [from, to] as const),
  negated,
})
