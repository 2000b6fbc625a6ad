import { matchesGlob, matchesWildcards } from '../../events/glob.ts'

/** Tests one character, or matches any number of them (`*`). */
type PatternToken = '*' | ((character: string) => boolean)

const anyCharacter = (): boolean => true
const exactly = (expected: string) => (character: string) => character === expected

/** Matches an event name. `*` stands for at least one character: `prefect.flow-run.*` does not match `prefect.flow-run.`. */
export function matchesName(name: string, pattern: string): boolean {
  if (!pattern.includes('*')) return name === pattern
  return matchesTokens(
    name,
    [...pattern].flatMap((character): PatternToken[] => (character === '*' ? [anyCharacter, '*'] : [exactly(character)])),
  )
}

/** Matches a label value: `*` any text, `?` one character, `[abc]`, `[a-z]` and `[!abc]` character sets. A leading `!` negates the pattern. */
export const matchesValue = (value: string, pattern: string): boolean =>
  pattern.startsWith('!') ? !matchesPattern(value, pattern.slice(1)) : matchesPattern(value, pattern)

// Few patterns have a set, and tokenizing costs more than matching.
const matchesPattern = (value: string, pattern: string): boolean =>
  pattern.includes('[') ? matchesTokens(value, tokenizePattern(pattern)) : matchesGlob(value, pattern)

/** An unclosed bracket is a literal. */
const SET = /\[(!?)(\]?[^\]]*)\]|./gsu

const tokenizePattern = (pattern: string): PatternToken[] =>
  [...pattern.matchAll(SET)].map(([token, not, members]) => {
    if (members !== undefined) return characterSet(members, not === '!')
    return token === '*' ? '*' : token === '?' ? anyCharacter : exactly(token)
  })

const RANGE = /(.)-(.)|./gsu

function characterSet(members: string, negated: boolean): PatternToken {
  const ranges = [...members.matchAll(RANGE)].map(([one, from = one, to = one]) => [from, to] as const)
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated
}

function matchesTokens(text: string, tokens: readonly PatternToken[]): boolean {
  const characters = [...text]
  return matchesWildcards(
    characters.length,
    tokens.length,
    (index) => tokens[index] === '*',
    (at, index) => (tokens[index] as (character: string) => boolean)(characters[at] as string),
  )
}
