import { matchesGlob, matchesWildcards } from '../../events/glob.ts'

/** Whether a character fits this place of a pattern; a star fits any number of them. */
type PatternToken = '*' | ((character: string) => boolean)

const anyCharacter = (): boolean => true
const exactly = (wanted: string) => (character: string) => character === wanted

/** Names of events know one wildcard: `*` stands for at least one character, so that `prefect.flow-run.*` is no `prefect.flow-run.`. */
export function matchesName(name: string, pattern: string): boolean {
  if (!pattern.includes('*')) return name === pattern
  return matchesTokens(
    name,
    [...pattern].flatMap((mark): PatternToken[] => (mark === '*' ? [anyCharacter, '*'] : [exactly(mark)])),
  )
}

/** Values of labels: `*` for any text, `?` for one character, and sets of characters as in `[abc]`, `[a-z]` and `[!abc]`. `!` in front means not. */
export const matchesValue = (value: string, pattern: string): boolean =>
  pattern.startsWith('!') ? !matchesPattern(value, pattern.slice(1)) : matchesPattern(value, pattern)

// Few patterns have a set, and taking one apart costs more than to match it.
const matchesPattern = (value: string, pattern: string): boolean =>
  pattern.includes('[') ? matchesTokens(value, tokenizePattern(pattern)) : matchesGlob(value, pattern)

/** A bracket that is never closed stands for itself. */
const SET = /\[(!?)(\]?[^\]]*)\]|./gsu

const tokenizePattern = (pattern: string): PatternToken[] =>
  [...pattern.matchAll(SET)].map(([mark, not, members]) => {
    if (members !== undefined) return characterSet(members, not === '!')
    return mark === '*' ? '*' : mark === '?' ? anyCharacter : exactly(mark)
  })

const RANGE = /(.)-(.)|./gsu

function characterSet(members: string, negated: boolean): PatternToken {
  const ranges = [...members.matchAll(RANGE)].map(([one, from = one, to = one]) => [from, to] as const)
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated
}

function matchesTokens(text: string, places: readonly PatternToken[]): boolean {
  const characters = [...text]
  return matchesWildcards(
    characters.length,
    places.length,
    (place) => places[place] === '*',
    (at, place) => (places[place] as (character: string) => boolean)(characters[at] as string),
  )
}
