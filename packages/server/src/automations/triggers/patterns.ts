import { matchesGlob, matchesStars } from '../../events/glob.ts'

/** Whether a character fits this place of a pattern; a star fits any number of them. */
type Place = '*' | ((character: string) => boolean)

const any = (): boolean => true
const exactly = (wanted: string) => (character: string) => character === wanted

/** Names of events know one wildcard: `*` stands for at least one character, so that `prefect.flow-run.*` is no `prefect.flow-run.`. */
export function matchesName(name: string, pattern: string): boolean {
  if (!pattern.includes('*')) return name === pattern
  return matchesPlaces(
    name,
    [...pattern].flatMap((mark): Place[] => (mark === '*' ? [any, '*'] : [exactly(mark)])),
  )
}

/** Values of labels: `*` for any text, `?` for one character, and sets of characters as in `[abc]`, `[a-z]` and `[!abc]`. `!` in front means not. */
export const matchesValue = (value: string, pattern: string): boolean =>
  pattern.startsWith('!') ? !fits(value, pattern.slice(1)) : fits(value, pattern)

// Few patterns have a set, and taking one apart costs more than to match it.
const fits = (value: string, pattern: string): boolean =>
  pattern.includes('[') ? matchesPlaces(value, placesOf(pattern)) : matchesGlob(value, pattern)

/** A bracket that is never closed stands for itself. */
const SET = /\[(!?)(\]?[^\]]*)\]|./gsu

const placesOf = (pattern: string): Place[] =>
  [...pattern.matchAll(SET)].map(([mark, not, members]) => {
    if (members !== undefined) return setOf(members, not === '!')
    return mark === '*' ? '*' : mark === '?' ? any : exactly(mark)
  })

const RANGE = /(.)-(.)|./gsu

function setOf(members: string, negated: boolean): Place {
  const ranges = [...members.matchAll(RANGE)].map(([one, from = one, to = one]) => [from, to] as const)
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated
}

function matchesPlaces(text: string, places: readonly Place[]): boolean {
  const characters = [...text]
  return matchesStars(
    characters.length,
    places.length,
    (place) => places[place] === '*',
    (at, place) => (places[place] as (character: string) => boolean)(characters[at] as string),
  )
}
